//! A strict, streaming reader of one XML document over decoded text. quick-xml splits the text into markup; this
//! module adds what a well-formed document needs and quick-xml leaves to its caller: one root, nothing around it,
//! names, attributes (space between them, no duplicates), every entity known, a cap on depth.
//!
//! Document type definitions are skipped, never read: no entity beyond the five of XML exists, so nothing is ever
//! expanded or fetched. Character references to code points that XML forbids (`&#8;`) are common in real files
//! and kept as data. Memory: the stack of open elements; text and attributes are borrowed where they can be.

use std::borrow::Cow;
use std::collections::HashSet;

use quick_xml::events::Event;
use quick_xml::reader::Reader;

use super::error::{ImportError, Source};

/// Elements inside each other. Real reports have less than 30; the cap keeps a hostile file from growing the stack.
pub(super) const MAX_DEPTH: usize = 1_000;

/// What the reader found next.
#[derive(Debug)]
pub(super) enum XmlEvent<'t> {
    /// A start tag. An empty element gives an `End` too.
    Start(Element<'t>),
    /// A piece of text: plain, CDATA, or one resolved reference. Line ends are unified.
    Text(Cow<'t, str>),
    /// The end of the innermost open element.
    End,
    /// The end of a complete document.
    Eof,
}

/// A start tag.
#[derive(Debug)]
pub(super) struct Element<'t> {
    /// The name without its namespace prefix.
    pub(super) name: &'t str,
    /// Byte offset of its `<`.
    pub(super) at: usize,
    attributes: Vec<(&'t str, Cow<'t, str>)>,
}

impl Element<'_> {
    /// The value of attribute `name`.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| *key == name).map(|(_, value)| value.as_ref())
    }

    /// The value of attribute `name`, if it holds more than white space.
    pub(super) fn filled(&self, name: &str) -> Option<&str> {
        self.attribute(name).filter(|value| !value.trim().is_empty())
    }
}

pub(super) struct XmlReader<'t> {
    source: Source<'t>,
    reader: Reader<&'t [u8]>,
    /// Name and offset of every open element.
    open: Vec<(&'t str, usize)>,
    /// True once the root element was opened.
    rooted: bool,
    doctype: bool,
}

impl<'t> XmlReader<'t> {
    pub(super) fn new(source: Source<'t>) -> Self {
        let mut reader = Reader::from_str(source.text);
        reader.config_mut().expand_empty_elements = true;
        Self { source, reader, open: Vec::new(), rooted: false, doctype: false }
    }

    /// The next event; `Err` at the first thing that is not well-formed.
    pub(super) fn next(&mut self) -> Result<XmlEvent<'t>, ImportError> {
        loop {
            let start = self.position();
            let event = match self.reader.read_event() {
                Ok(event) => event,
                Err(error) => {
                    let at = usize::try_from(self.reader.error_position()).unwrap_or(start);
                    return Err(self.source.error(at, format!("not well-formed XML: {}", reason(&error))));
                }
            };
            let raw = self.source.text.get(start..self.position()).unwrap_or_default();
            match event {
                Event::Start(_) | Event::Empty(_) => return self.start(raw, start).map(XmlEvent::Start),
                Event::End(_) => {
                    self.open.pop();
                    return Ok(XmlEvent::End);
                }
                Event::Text(_) => {
                    if self.open.is_empty() {
                        self.only_space(raw, start)?;
                        continue;
                    }
                    return Ok(XmlEvent::Text(unify_line_ends(raw)));
                }
                Event::CData(_) => {
                    self.inside(start, "a CDATA section")?;
                    let content = raw.strip_prefix("<![CDATA[").and_then(|r| r.strip_suffix("]]>")).unwrap_or_default();
                    return Ok(XmlEvent::Text(unify_line_ends(content)));
                }
                Event::GeneralRef(_) => {
                    self.inside(start, "a reference")?;
                    let name = raw.strip_prefix('&').and_then(|r| r.strip_suffix(';')).unwrap_or_default();
                    return self.resolve(name, raw, start).map(XmlEvent::Text);
                }
                Event::Decl(_) if start != 0 => {
                    return Err(self.source.error(start, "the XML declaration is not at the start of the file").hint(
                        "remove what stands before it; files put together by `cat` have to be passed one by one",
                    ));
                }
                Event::DocType(_) => {
                    if self.rooted || self.doctype {
                        return Err(self.source.error(start, "a document type definition has no place here"));
                    }
                    self.doctype = true;
                }
                Event::Decl(_) | Event::Comment(_) | Event::PI(_) => {}
                Event::Eof => return self.end(),
            }
        }
    }

    fn position(&self) -> usize {
        // The text is in memory, so its offsets fit.
        usize::try_from(self.reader.buffer_position()).unwrap_or(usize::MAX)
    }

    fn only_space(&self, raw: &str, start: usize) -> Result<(), ImportError> {
        match raw.find(|c: char| !c.is_ascii_whitespace()) {
            None => Ok(()),
            Some(at) if self.rooted => Err(self.source.error(start + at, "text after the root element")),
            Some(at) => Err(self.source.error(start + at, "the file is not XML: it does not start with a tag")),
        }
    }

    fn inside(&self, at: usize, what: &str) -> Result<(), ImportError> {
        if self.open.is_empty() {
            Err(self.source.error(at, format!("{what} outside the root element")))
        } else {
            Ok(())
        }
    }

    fn end(&self) -> Result<XmlEvent<'t>, ImportError> {
        let end = self.source.text.len();
        if let Some((name, at)) = self.open.last() {
            let line = self.source.place(*at).line.unwrap_or(1);
            return Err(self
                .source
                .error(end, format!("the file ends inside <{name}>, which is opened in line {line}"))
                .hint("the file is cut off; import the whole file"));
        }
        if !self.rooted {
            return Err(self.source.error(end, "the file holds no XML element"));
        }
        Ok(XmlEvent::Eof)
    }

    /// `raw` is `<name …>` or `<name …/>`.
    fn start(&mut self, raw: &'t str, at: usize) -> Result<Element<'t>, ImportError> {
        let tag = raw.strip_suffix("/>").or_else(|| raw.strip_suffix('>')).unwrap_or(raw);
        let tag = tag.strip_prefix('<').unwrap_or(tag);
        let length = tag.find(|c: char| c.is_ascii_whitespace()).unwrap_or(tag.len());
        let (qualified, attributes) = tag.split_at(length);
        if !is_name(qualified) {
            return Err(self
                .source
                .error(at, "`<` does not start a tag here")
                .hint("a `<` in text has to be written as `&lt;`"));
        }
        if self.open.is_empty() && self.rooted {
            return Err(self
                .source
                .error(at, format!("a second root element <{qualified}>"))
                .hint("files put together by `cat` have to be passed one by one"));
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(self.source.error(at, format!("elements are nested deeper than {MAX_DEPTH} levels")));
        }
        self.rooted = true;
        self.open.push((qualified, at));
        let attributes = self.attributes(attributes, at + 1 + length)?;
        let name = qualified.rsplit_once(':').map_or(qualified, |(_, local)| local);
        Ok(Element { name, at, attributes })
    }

    fn attributes(&self, mut rest: &'t str, mut at: usize) -> Result<Vec<(&'t str, Cow<'t, str>)>, ImportError> {
        let mut found = Vec::new();
        let mut seen = HashSet::new();
        loop {
            let trimmed = rest.trim_ascii_start();
            let space = rest.len() - trimmed.len();
            at += space;
            if trimmed.is_empty() {
                return Ok(found);
            }
            if space == 0 {
                return Err(self.source.error(at, "white space is missing before an attribute"));
            }
            let (key, after) =
                trimmed.split_once('=').ok_or_else(|| self.source.error(at, "an attribute has no value"))?;
            let name = key.trim_ascii_end();
            if !is_name(name) {
                return Err(self.source.error(at, "not an attribute: expected `name=\"value\"`"));
            }
            if !seen.insert(name) {
                return Err(self.source.error(at, format!("attribute `{name}` is given twice")));
            }
            let value = after.trim_ascii_start();
            let value_at = at + key.len() + 1 + (after.len() - value.len()) + 1;
            let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
            let Some((inner, next)) = quote.and_then(|quote| value[1..].split_once(quote)) else {
                return Err(self.source.error(value_at - 1, format!("the value of attribute `{name}` has no quotes")));
            };
            found.push((name, self.attribute_value(inner, value_at)?));
            at = value_at + inner.len() + 1;
            rest = next;
        }
    }

    /// Resolves references and turns line breaks and tabs into spaces, as XML asks for; written as references
    /// (`&#10;`) they stay.
    fn attribute_value(&self, raw: &'t str, at: usize) -> Result<Cow<'t, str>, ImportError> {
        if !raw.contains(['&', '<', '\n', '\r', '\t']) {
            return Ok(Cow::Borrowed(raw));
        }
        let mut out = String::with_capacity(raw.len());
        let mut rest = raw;
        while let Some(next) = rest.find(['&', '<', '\n', '\r', '\t']) {
            out.push_str(&rest[..next]);
            let here = at + (raw.len() - rest.len()) + next;
            rest = &rest[next..];
            if rest.starts_with('<') {
                return Err(self.source.error(here, "`<` in an attribute").hint("it has to be written as `&lt;`"));
            }
            if let Some(reference) = rest.strip_prefix('&') {
                let Some((name, after)) = reference.split_once(';') else { return Err(self.unterminated(here)) };
                out.push_str(&self.resolve(name, &rest[..name.len() + 2], here)?);
                rest = after;
            } else {
                out.push(' ');
                rest = rest.strip_prefix("\r\n").unwrap_or(&rest[1..]);
            }
        }
        out.push_str(rest);
        Ok(Cow::Owned(out))
    }

    fn unterminated(&self, at: usize) -> ImportError {
        self.source
            .error(at, "`&` starts a reference that has no `;`")
            .hint("an `&` in text has to be written as `&amp;`")
    }

    /// The text that `&name;` stands for. A character reference to something that is no character at all
    /// (`&#0;`, half of a surrogate pair) stands for itself, so that it stays visible.
    fn resolve(&self, name: &str, raw: &'t str, at: usize) -> Result<Cow<'t, str>, ImportError> {
        let predefined = match name {
            "lt" => "<",
            "gt" => ">",
            "amp" => "&",
            "apos" => "'",
            "quot" => "\"",
            _ => "",
        };
        if !predefined.is_empty() {
            return Ok(Cow::Borrowed(predefined));
        }
        if let Some(number) = name.strip_prefix('#') {
            let (digits, radix) = number.strip_prefix('x').map_or((number, 10), |hex| (hex, 16));
            if !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix)) {
                let code = u32::from_str_radix(digits, radix).ok().filter(|code| *code != 0);
                return Ok(code.and_then(char::from_u32).map_or(Cow::Borrowed(raw), |c| Cow::Owned(c.to_string())));
            }
        } else if !is_name(name) {
            return Err(self.unterminated(at));
        }
        Err(self
            .source
            .error(at, format!("the entity `&{name};` is not defined"))
            .hint("entities of a document type definition are never resolved; write the text itself"))
    }
}

/// What quick-xml says, without the class of error in front.
fn reason(error: &quick_xml::Error) -> String {
    match error {
        quick_xml::Error::Syntax(error) => error.to_string(),
        quick_xml::Error::IllFormed(error) => error.to_string(),
        error => error.to_string(),
    }
}

/// Close enough to an XML name: no markup, quotes or controls, and no digit, hyphen or dot in front.
fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    let first = |c: char| c.is_alphabetic() || matches!(c, '_' | ':') || !c.is_ascii();
    chars.next().is_some_and(first) && chars.all(|c| first(c) || c.is_ascii_digit() || matches!(c, '-' | '.'))
}

fn unify_line_ends(text: &str) -> Cow<'_, str> {
    if text.contains('\r') { Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n")) } else { Cow::Borrowed(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The document as a flat text, or the error with its place.
    fn flat(text: &str) -> Result<String, String> {
        let mut reader = XmlReader::new(Source { file: "f", text });
        let mut out = String::new();
        loop {
            match reader.next().map_err(|error| format!("{} {error}", error.place.compact()))? {
                XmlEvent::Start(element) => {
                    out.push_str(&format!("({}", element.name));
                    for (key, value) in &element.attributes {
                        out.push_str(&format!(" {key}={value}"));
                    }
                    out.push('|');
                }
                XmlEvent::Text(text) => out.push_str(&text),
                XmlEvent::End => out.push(')'),
                XmlEvent::Eof => return Ok(out),
            }
        }
    }

    #[test]
    fn well_formed_documents_are_read() {
        let text = "<?xml version='1.0'?>\n<!-- a -- b --><n:a x = '1\n2' y=\"&lt;&#10;&#x41;>\"><b/>t&amp;<![CDATA[<c>&d;]]>\r\n</n:a>\n";
        assert_eq!(flat(text).unwrap(), "(a x=1 2 y=<\nA>|(b|)t&<c>&d;\n)");
    }

    #[test]
    fn forbidden_references_stay_visible() {
        assert_eq!(
            flat("<a b='&#8;&#0;'>&#27;[1m&#xD800;&#x110000;&#99999999999;</a>").unwrap(),
            "(a b=\u{8}&#0;|\u{1b}[1m&#xD800;&#x110000;&#99999999999;)"
        );
    }

    #[test]
    fn what_is_not_well_formed_is_refused_with_its_place() {
        for (text, expected) in [
            ("", "f:1:1 the file holds no XML element"),
            ("{\"a\": 1}", "f:1:1 the file is not XML: it does not start with a tag"),
            ("<a>\n<b></a>", "f:2:4 not well-formed XML"),
            ("<a>\n<b>", "f:2:4 the file ends inside <b>, which is opened in line 2"),
            ("<a></a>\n<b/>", "f:2:1 a second root element <b>"),
            ("<a/>\nx", "f:2:1 text after the root element"),
            ("<a/>\n&amp;", "f:2:1 a reference outside the root element"),
            ("<a/><![CDATA[x]]>", "f:1:5 a CDATA section outside the root element"),
            (" <?xml version='1.0'?><a/>", "f:1:2 the XML declaration is not at the start of the file"),
            ("<a b='1' b='2'/>", "f:1:10 attribute `b` is given twice"),
            ("<a b='1'c='2'/>", "f:1:9 white space is missing before an attribute"),
            ("<a b=1/>", "f:1:6 the value of attribute `b` has no quotes"),
            ("<a b/>", "f:1:4 an attribute has no value"),
            ("<a b='<'/>", "f:1:7 `<` in an attribute"),
            ("<a>1 < 2</a>", "f:1:6 `<` does not start a tag here"),
            ("<a>&nope;</a>", "f:1:4 the entity `&nope;` is not defined"),
            ("<a>\n<b x='y&nope;'/></a>", "f:2:8 the entity `&nope;` is not defined"),
            ("<a x='1 & 2; 3'/>", "f:1:9 `&` starts a reference that has no `;`"),
            ("<a>1 & 2</a>", "f:1:6 not well-formed XML"),
            ("<a><!DOCTYPE b></a>", "f:1:4 a document type definition has no place here"),
            ("<a><![CDATA[x</a>", "f:1:4 not well-formed XML"),
            ("<a><!-- x</a>", "f:1:4 not well-formed XML"),
            ("<a x='1></a>", "f:1:1 not well-formed XML"),
        ] {
            let error = flat(text).unwrap_err();
            assert!(error.starts_with(expected), "{text:?}: {error}");
        }
    }

    #[test]
    fn a_document_type_is_skipped_and_its_entities_do_not_exist() {
        let dtd = "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'> <!ENTITY y '&x;&x;'>]>";
        assert_eq!(flat(&format!("{dtd}<a>t</a>")).unwrap(), "(a|t)");
        assert!(flat(&format!("{dtd}\n<a>&y;</a>")).unwrap_err().starts_with("f:2:4 the entity `&y;` is not defined"));
    }

    #[test]
    fn depth_is_capped_without_recursion() {
        let deep = |levels: usize| format!("{}{}", "<a>".repeat(levels), "</a>".repeat(levels));
        assert!(flat(&deep(MAX_DEPTH)).is_ok());
        assert!(flat(&deep(100_000)).unwrap_err().starts_with("f:1:3001 elements are nested deeper than 1000 levels"));
    }

    #[test]
    fn a_tag_with_very_many_attributes_takes_linear_time() {
        let attributes: Vec<String> = (0..200_000).map(|n| format!(" a{n}=''")).collect();
        assert!(flat(&format!("<a{}/>", attributes.concat())).is_ok());
    }
}
