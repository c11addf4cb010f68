//! The formats, and which one a file name asks for.

use super::{Picture, ask_dag_json, dot, mermaid, svg, text};

/// A format a picture can be written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DrawFormat {
    /// A vector picture for people.
    Svg,
    /// Graphviz.
    Dot,
    /// Mermaid, as GitHub draws it in Markdown.
    Mermaid,
    /// A list grouped by rank, for terminals.
    Text,
    /// ask.dag.v1, JSON for other tools.
    AskDag,
}

impl DrawFormat {
    /// Every format, in the order of help texts.
    pub const ALL: [Self; 5] = [Self::Svg, Self::Dot, Self::Mermaid, Self::Text, Self::AskDag];

    /// The format that a file extension (without the dot, any case) asks for.
    pub fn from_extension(extension: &str) -> Option<Self> {
        match extension.to_ascii_lowercase().as_str() {
            "svg" => Some(Self::Svg),
            "dot" | "gv" => Some(Self::Dot),
            "mmd" | "mermaid" => Some(Self::Mermaid),
            "txt" | "text" => Some(Self::Text),
            "json" => Some(Self::AskDag),
            _ => None,
        }
    }

    /// The usual extension, without the dot.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Dot => "dot",
            Self::Mermaid => "mmd",
            Self::Text => "txt",
            Self::AskDag => "json",
        }
    }

    /// Draws `picture` in this format. The text ends with a line break.
    pub fn draw(self, picture: &Picture) -> String {
        match self {
            Self::Svg => svg(picture),
            Self::Dot => dot(picture),
            Self::Mermaid => mermaid(picture),
            Self::Text => text(picture),
            Self::AskDag => ask_dag_json(picture),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_found_by_its_extension() {
        for format in DrawFormat::ALL {
            assert_eq!(DrawFormat::from_extension(format.extension()), Some(format));
        }
        assert_eq!(DrawFormat::from_extension("SVG"), Some(DrawFormat::Svg));
        assert_eq!(DrawFormat::from_extension("png"), None);
    }
}
