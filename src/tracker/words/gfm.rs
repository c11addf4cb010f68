//! For tests: what GitHub would make of a text. A CommonMark parser with GitHub's extensions draws it; a scanner looks
//! for mentions, references and the like in the drawn text outside of code, as GitHub does.

use std::sync::LazyLock;

use comrak::nodes::{AstNode, NodeValue};
use comrak::{Arena, Options, parse_document};
use proptest::prelude::*;
use regex::Regex;

/// A drawn document.
#[derive(Debug)]
pub(crate) struct Drawn {
    /// Every node but text and code spans, indented by its depth.
    pub(crate) structure: Vec<String>,
    /// Whatever acts outside of code.
    pub(crate) acting: Vec<String>,
}

impl Drawn {
    /// The structure without the text of HTML comments.
    pub(crate) fn without_comments(&self) -> Vec<String> {
        let comment = |line: &String| if line.contains("<!--") { "comment".to_owned() } else { line.clone() };
        self.structure.iter().map(comment).collect()
    }
}

pub(crate) fn options() -> Options<'static> {
    let mut options = Options::default();
    let extension = &mut options.extension;
    extension.strikethrough = true;
    extension.table = true;
    extension.autolink = true;
    extension.tasklist = true;
    extension.footnotes = true;
    extension.alerts = true;
    extension.math_dollars = true;
    extension.math_code = true;
    extension.shortcodes = true;
    options
}

/// Parses and scans.
pub(crate) fn draw(markdown: &str) -> Drawn {
    let arena = Arena::new();
    let root = parse_document(&arena, markdown, &options());
    let mut drawn = Drawn { structure: Vec::new(), acting: Vec::new() };
    visit(root, 0, &mut drawn);
    drawn
}

fn visit<'a>(node: &'a AstNode<'a>, depth: usize, drawn: &mut Drawn) {
    let value = &node.data.borrow().value;
    let name = match value {
        NodeValue::Text(_) | NodeValue::Code(_) => None,
        NodeValue::CodeBlock(block) => Some(format!("CodeBlock {:?} fenced={}", block.info, block.fenced)),
        NodeValue::HtmlBlock(html) => Some(format!("HtmlBlock {}", html.literal)),
        NodeValue::Heading(heading) => Some(format!("Heading {} setext={}", heading.level, heading.setext)),
        NodeValue::List(list) => Some(format!("List {:?} start={}", list.list_type, list.start)),
        NodeValue::Link(link) | NodeValue::Image(link) => {
            drawn.acting.push(format!("link to {}", link.url));
            None
        }
        NodeValue::HtmlInline(html) => {
            drawn.acting.push(format!("HTML {html}"));
            None
        }
        NodeValue::FootnoteReference(_)
        | NodeValue::FootnoteDefinition(_)
        | NodeValue::ShortCode(_)
        | NodeValue::Math(_) => {
            drawn.acting.push(format!("{value:?}"));
            None
        }
        other => Some(format!("{other:?}").chars().take_while(|c| c.is_alphanumeric()).collect()),
    };
    drawn.structure.extend(name.map(|name| format!("{}{name}", "  ".repeat(depth))));
    if matches!(value, NodeValue::Paragraph | NodeValue::Heading(_) | NodeValue::TableCell) {
        let mut text = String::new();
        flow(node, &mut text);
        drawn.acting.extend(acting(&text));
    }
    for child in node.children() {
        visit(child, depth + 1, drawn);
    }
}

/// The text of a block as a reader of the drawn page finds it; code is one opaque character.
fn flow<'a>(node: &'a AstNode<'a>, text: &mut String) {
    for child in node.children() {
        match &child.data.borrow().value {
            NodeValue::Text(literal) => text.push_str(literal),
            NodeValue::Code(_) => text.push('\u{fffc}'),
            NodeValue::SoftBreak | NodeValue::LineBreak => text.push(' '),
            _ => flow(child, text),
        }
    }
}

/// The first thing in a drawn text that GitHub would act on.
pub(crate) fn acting(text: &str) -> Option<String> {
    static ACTS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
        [
            r"@[\w\u{fffc}]",
            r"#\d+",
            r"(?i)\b(gh|[a-z][a-z0-9]*)-\d+",
            r"(?i)(https?|ftp|mailto|xmpp):[^\s]",
            r"(?i)www\.\S",
            r"\S+@\S+\.\S",
            r":[\w+-]+:",
            r"<[A-Za-z/!?]",
            r"(?i)\b(close[sd]?|fix(es|ed)?|resolve[sd]?):?\s+(#|gh-|https?:|[\w.-]+/[\w.-]+#)",
            r"\[\^|\]\(|!\[",
            r"[\u{200b}-\u{200f}\u{202a}-\u{202e}\u{2066}-\u{2069}]",
        ]
        .iter()
        .map(|pattern| Regex::new(pattern).unwrap())
        .collect()
    });
    static COMMIT: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?i)\b[0-9a-f]{7,}\b").unwrap());
    let commit = COMMIT.find_iter(text).find(|found| found.as_str().bytes().any(|byte| byte.is_ascii_digit()));
    ACTS.iter().find_map(|pattern| pattern.find(text)).or(commit).map(|found| found.as_str().to_owned())
}

/// Hostile text: what acts on GitHub, in any order, next to ordinary words and any other characters.
pub(crate) fn hostile() -> impl Strategy<Value = String> {
    const PIECES: [&str; 84] = [
        "@octocat",
        "@org/team",
        "#1",
        "GH-12",
        "JIRA-7",
        "owner/repo#1",
        "owner/repo@0123abc",
        "fixes #1",
        "Closes: #2",
        "resolves GH-3",
        "https://github.com/o/r/issues/1",
        "http://x.example",
        "www.example.com",
        "a@b.example",
        "mailto:a@b.c",
        "0123456789abcdef0123456789abcdef01234567",
        "deadbeef1",
        "1234567",
        "<b>",
        "</details>",
        "<details>",
        "<img src=x>",
        "<!--",
        "-->",
        "<!-- greenloop:v1 category_id=a:b:c campaign=x -->",
        "<!-",
        "-",
        "![x](http://y)",
        "[x](y)",
        "[x]: http://y",
        "[^1]",
        "[^1]: note",
        "`",
        "``",
        "```",
        "````",
        "~~~",
        "~~s~~",
        "# h",
        "## ",
        "=====",
        "---",
        "***",
        "- [ ] t",
        "* a",
        "+ a",
        "1. a",
        "12) b",
        "> q",
        "> [!NOTE]",
        "    code",
        "\t",
        "\n",
        "\n\n",
        "\r\n",
        "| a | b |",
        "|---|---|",
        "|",
        "\\",
        "\\|",
        "&lt;b&gt;",
        "&#64;me",
        "&amp;",
        ":tada:",
        ":+1:",
        "$x$",
        "$$",
        "$`a`$",
        "*e*",
        "_e_",
        "**s**",
        "\u{202e}",
        "\u{200b}",
        "\u{feff}",
        "\n```\n",
        "\n````\n\n@octocat\n",
        "\n~~~\n",
        "\n---\n",
        "\n\n# h\n",
        "\n</details>\n\n",
        "%%{init: {}}%%",
        "click n0 href \"http://x\"",
        "end",
        "\"",
    ];
    let piece = prop_oneof![
        6 => (0..PIECES.len()).prop_map(|at| PIECES[at].to_owned()),
        2 => "[a-z]{1,7}",
        2 => Just(" ".to_owned()),
        1 => "\\PC{1,4}",
        1 => "[ -~]{1,4}",
        1 => any::<char>().prop_map(String::from),
    ];
    proptest::collection::vec(piece, 0..10).prop_map(|pieces| pieces.concat())
}

#[test]
fn the_scanner_finds_what_acts() {
    for text in [
        "@me",
        "#1",
        "a GH-1",
        "https://x.y",
        "www.x.y",
        "a@b.cd",
        ":tada:",
        "<b>x</b>",
        "[x](y)",
        "![x](y)",
        "0123456789abcdef",
        "a[^1]\n\n[^1]: b",
        "$x$",
        "$`x`$",
        "owner/repo#1",
        "&#64;me",
        "\\@me",
        "fixes #1",
        "J-1",
    ] {
        assert!(!draw(text).acting.is_empty(), "{text}");
    }
    assert_eq!(draw("just `@me #1 www.x.y` words (5%), and/or none.").acting, Vec::<String>::new());
}
