//! Text that tries to become markup, a link, a directive or an escape sequence.

use super::formats::parse;
use super::*;

const HOSTILE: [&str; 12] = [
    "<script>alert(1)</script>",
    "]]>&amp;\"'<!--",
    "\u{202e}drawkcab",
    "a\nb\tc\u{0}d\u{1b}[31m\u{9b}m",
    "%%{init: {'securityLevel':'loose'}}%%",
    "n0 --> n1; click n0 \"javascript:alert(1)\"",
    "\"]; n9[\"x",
    "\\N \\G \\\" \\",
    "`**bold**` [x](https://evil.example) 1. one",
    "<b onclick=x>&lt;</b>",
    "データベース接続 😀 👩\u{200d}👧",
    "\u{e0041}\u{feff}\u{fffe}",
];

fn hostile() -> Picture {
    let mut picture = picture(13, &(1..13).map(|at| (at, (at - 1) / 2)).collect::<Vec<_>>());
    picture.title = HOSTILE.concat();
    for (at, text) in HOSTILE.iter().enumerate() {
        let node = &mut picture.nodes[at];
        node.label = (*text).to_owned();
        node.tooltip = text.repeat(3);
        node.ticket = Some((*text).to_owned());
        node.url = Some(format!("javascript:{text}"));
        picture.edges[at].rationale = (*text).to_owned();
    }
    picture.nodes[12].label = "x".repeat(300);
    picture.nodes[12].url = Some("https://ok.example/?a=1&b=\"<".to_owned());
    picture
}

#[test]
fn svg_stays_an_inert_document() {
    let svg = svg(&hostile());
    let counts = parse(&svg);
    let known = ["a", "desc", "g", "path", "rect", "style", "svg", "text", "title"];
    for name in counts.keys() {
        assert!(known.contains(&name.split('.').next().unwrap()), "unexpected element {name}");
    }
    assert_eq!(counts["a"], 1, "the only web link");
    assert!(!svg.contains("javascript:alert(1)\""));
    assert!(svg.contains("href=\"https://ok.example/?a=1&amp;b=&quot;&lt;\""));
    let full = "x".repeat(300);
    assert!(svg.contains(&full), "the full name is in the title");
    assert!(!svg.contains(&format!(">{full}</text>")), "and cut in the box");
}

#[test]
fn mermaid_labels_are_letters_digits_and_entities() {
    let mermaid = mermaid(&hostile());
    for line in mermaid.lines().filter(|line| line.contains('"')) {
        let (_, rest) = line.split_once('"').unwrap();
        let (label, close) = rest.rsplit_once('"').unwrap();
        let label = label.replace("<br/>", " ");
        let allowed = |c: char| !c.is_ascii() || c.is_ascii_alphanumeric() || " -#;".contains(c);
        assert!(label.chars().all(allowed), "{label}");
        assert!(close.chars().all(|c| "])/}".contains(c)), "{line}");
    }
    assert!(!mermaid.contains("%%"));
    let statements = ["flowchart LR", "  accTitle: ", "  n", "  class ", "  classDef "];
    for line in mermaid.lines() {
        assert!(statements.iter().any(|statement| line.starts_with(statement)), "{line}");
        let title = line.strip_prefix("  accTitle: ");
        assert!(title.is_none_or(|title| title.chars().all(|c| c == ' ' || c.is_alphanumeric())));
    }
    assert!(!mermaid.chars().any(|c| c != '\n' && crate::model::is_unsafe_for_display(c)));
}

#[test]
fn dot_text_stays_inside_its_quotes() {
    let dot = dot(&hostile());
    for line in dot.lines() {
        let mut quoted = false;
        let mut outside = String::new();
        let mut chars = line.chars();
        while let Some(c) = chars.next() {
            match c {
                '\\' if quoted => drop(chars.next()),
                '"' => quoted = !quoted,
                c if !quoted => outside.push(c),
                _ => {}
            }
        }
        assert!(!quoted, "open quote: {line}");
        let plain = |c: char| c.is_ascii_alphanumeric() || " _-.=,;[]{}>".contains(c);
        assert!(outside.chars().all(plain), "{outside}");
    }
    assert!(!dot.chars().any(|c| c != '\n' && crate::model::is_unsafe_for_display(c)));
    assert_eq!(dot.matches("URL=").count(), 1);
}

#[test]
fn text_shows_no_controls() {
    let text = text(&hostile());
    assert!(!text.chars().any(|c| c != '\n' && crate::model::is_unsafe_for_display(c)));
    assert!(text.contains("\\u{202e}drawkcab"));
}

/// Graphviz itself reads what we write, if it is installed.
#[test]
fn graphviz_reads_the_dot() {
    use std::io::Write as _;
    use std::process::{Command, Stdio};
    for picture in [hostile(), small(), cyclic(), Picture::default()] {
        let child = Command::new("dot").arg("-Tplain").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let Ok(mut child) = child else {
            eprintln!("skipped: dot is not installed");
            return;
        };
        child.stdin.take().unwrap().write_all(dot(&picture).as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        let plain = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(plain.lines().filter(|line| line.starts_with("node ")).count(), picture.nodes.len());
        assert_eq!(plain.lines().filter(|line| line.starts_with("edge ")).count(), picture.edges.len());
    }
}
