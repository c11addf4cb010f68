//! A small XML writer: whatever comes in, well-formed XML comes out.

use crate::model::display_safe;

/// Writes elements with two spaces of indentation per level, one element a line.
#[derive(Debug, Default)]
pub(super) struct Xml {
    out: String,
    open: Vec<&'static str>,
}

/// An attribute. Values are escaped; numbers are written with [`number`] first.
pub(super) type Attribute<'a> = (&'static str, &'a str);

impl Xml {
    pub(super) fn open(&mut self, tag: &'static str, attributes: &[Attribute<'_>]) {
        self.start(tag, attributes);
        self.out.push_str(">\n");
        self.open.push(tag);
    }

    pub(super) fn close(&mut self) {
        if let Some(tag) = self.open.pop() {
            self.indent();
            self.out.push_str("</");
            self.out.push_str(tag);
            self.out.push_str(">\n");
        }
    }

    pub(super) fn empty(&mut self, tag: &'static str, attributes: &[Attribute<'_>]) {
        self.start(tag, attributes);
        self.out.push_str("/>\n");
    }

    /// An element that holds text. Its lines are shown as lines; every other unsafe character is spelled out.
    pub(super) fn text(&mut self, tag: &'static str, attributes: &[Attribute<'_>], text: &str) {
        self.start(tag, attributes);
        self.out.push('>');
        for (at, line) in text.split('\n').enumerate() {
            if at > 0 {
                self.out.push('\n');
            }
            escape(line, &mut self.out);
        }
        self.out.push_str("</");
        self.out.push_str(tag);
        self.out.push_str(">\n");
    }

    /// The document; elements still open are closed.
    pub(super) fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        self.out
    }

    fn start(&mut self, tag: &'static str, attributes: &[Attribute<'_>]) {
        self.indent();
        self.out.push('<');
        self.out.push_str(tag);
        for (name, value) in attributes {
            self.out.push(' ');
            self.out.push_str(name);
            self.out.push_str("=\"");
            escape(value, &mut self.out);
            self.out.push('"');
        }
    }

    fn indent(&mut self) {
        self.out.extend(std::iter::repeat_n("  ", self.open.len()));
    }
}

fn escape(text: &str, out: &mut String) {
    for c in display_safe(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
}

/// A coordinate with at most one decimal: `12`, `12.5`, never `-0`.
pub(super) fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// The link, if it is one that a picture may hold: http or https, with a host, without white space or controls.
pub(in crate::graph::draw) fn http_link(url: &str) -> Option<&str> {
    let url = url.trim();
    let scheme_end = url.find("://")?;
    let scheme = &url[..scheme_end];
    let known = scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http");
    let rest = &url[scheme_end + 3..];
    let clean = !rest.chars().any(|c| c.is_whitespace() || crate::model::is_unsafe_for_display(c));
    (known && clean && rest.chars().next().is_some_and(char::is_alphanumeric)).then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_attributes_are_escaped() {
        let mut xml = Xml::default();
        xml.open("g", &[("id", "\"><script>")]);
        xml.text("title", &[], "a]]>b & <c>\u{202e}\u{0}\nnext");
        assert_eq!(
            xml.finish(),
            "<g id=\"&quot;&gt;&lt;script&gt;\">\n  <title>a]]&gt;b &amp; &lt;c&gt;\\u{202e}\\x00\nnext</title>\n</g>\n"
        );
    }

    #[test]
    fn only_web_links_pass() {
        assert_eq!(http_link(" HTTPS://example.org/1?a=b "), Some("HTTPS://example.org/1?a=b"));
        for bad in
            ["javascript:alert(1)//://", "data:text/html,x", "https://", "http://a b", "//x", "https://\u{202e}x"]
        {
            assert_eq!(http_link(bad), None, "{bad}");
        }
    }

    #[test]
    fn numbers_are_short_and_fixed() {
        assert_eq!([number(12.0), number(-0.04), number(2.25), number(2.75)], ["12", "0", "2.2", "2.8"]);
    }
}
