//! From the JSON tree to the raw view. Reports wrong types; every other rule has its own file.

use super::place::{Findings, Spot, child};
use super::raw::{Field, RawCategory, RawDependency, RawMap, RawRetired, RawSignature, Text};
use super::rules::bad_type;
use crate::diag::json::{Member, Node, Value};

/// Reads the whole map.
pub(super) fn map(root: &Node, found: &mut Findings) -> RawMap {
    let spot = Spot::new("", &(root.span.start..root.span.start + 1));
    if root.members().is_none() {
        bad_type::report(found, &spot, "the map", root.kind(), "an object");
        // Nothing is missing from what is not a map at all.
        let (schema, repo, map_version, categories) = (Field::Bad, Field::Bad, Field::Bad, Field::Bad);
        return RawMap { spot, schema, repo, map_version, categories, ..RawMap::default() };
    }
    let mut reader = Reader { found };
    let object = At { node: root, pointer: String::new() };
    let schema = reader.text(&object, "schema");
    let repo = reader.text(&object, "repo");
    let map_version = reader.text(&object, "map_version");
    let categories = match reader.entries(&object, "categories") {
        Field::Is(entries) => Field::Is(entries.iter().map(|entry| reader.category(entry)).collect()),
        Field::Bad => Field::Bad,
        Field::Missing => Field::Missing,
    };
    let categories_spot =
        root.get("categories").map_or_else(|| spot.clone(), |m| Spot::new("/categories", &m.key_span));
    let retired = match reader.entries(&object, "retired") {
        Field::Is(entries) => entries.iter().map(|entry| reader.retired(entry)).collect(),
        Field::Bad | Field::Missing => Vec::new(),
    };
    RawMap { spot, schema, repo, map_version, categories, categories_spot, retired }
}

/// A value and its pointer.
struct At<'n> {
    node: &'n Node,
    pointer: String,
}

impl<'n> At<'n> {
    fn spot(&self) -> Spot {
        Spot::new(&self.pointer, &self.node.span)
    }

    fn get(&self, key: &str) -> Option<At<'n>> {
        self.node.get(key).map(|member| At { node: &member.value, pointer: child(&self.pointer, key) })
    }
}

/// An entry of an object that is used as a table: its key and its value.
struct Entry<'n> {
    member: &'n Member,
    value: At<'n>,
}

impl Entry<'_> {
    fn key_spot(&self) -> Spot {
        Spot::new(&self.value.pointer, &self.member.key_span)
    }
}

struct Reader<'f> {
    found: &'f mut Findings,
}

impl Reader<'_> {
    fn wrong<T>(&mut self, at: &At<'_>, what: &str, wanted: &str) -> Field<T> {
        bad_type::report(self.found, &at.spot(), what, at.node.kind(), wanted);
        Field::Bad
    }

    fn text(&mut self, object: &At<'_>, key: &str) -> Field<Text> {
        match object.get(key) {
            None => Field::Missing,
            Some(at) => self.as_text(&at, &format!("`{key}`")),
        }
    }

    fn as_text(&mut self, at: &At<'_>, what: &str) -> Field<Text> {
        match &at.node.value {
            Value::Text(value) => Field::Is(Text { value: value.clone(), spot: at.spot() }),
            _ => self.wrong(at, what, "a text"),
        }
    }

    fn items<'n>(&mut self, object: &At<'n>, key: &str) -> Vec<At<'n>> {
        let Some(at) = object.get(key) else { return Vec::new() };
        let Some(items) = at.node.items() else {
            let _: Field<()> = self.wrong(&at, &format!("`{key}`"), "a list");
            return Vec::new();
        };
        let item = |(index, node)| At { node, pointer: child(&at.pointer, &format!("{index}")) };
        items.iter().enumerate().map(item).collect()
    }

    fn texts(&mut self, object: &At<'_>, key: &str) -> Vec<Text> {
        let what = format!("every item of `{key}`");
        let mut texts = Vec::new();
        for at in self.items(object, key) {
            if let Field::Is(text) = self.as_text(&at, &what) {
                texts.push(text);
            }
        }
        texts
    }

    fn entries<'n>(&mut self, object: &At<'n>, key: &str) -> Field<Vec<Entry<'n>>> {
        let Some(at) = object.get(key) else { return Field::Missing };
        let Some(members) = at.node.members() else { return self.wrong(&at, &format!("`{key}`"), "an object") };
        let entry = |member: &'n Member| Entry {
            member,
            value: At { node: &member.value, pointer: child(&at.pointer, &member.key) },
        };
        Field::Is(members.iter().map(entry).collect())
    }

    fn category(&mut self, entry: &Entry<'_>) -> RawCategory {
        let at = &entry.value;
        let mut category =
            RawCategory { key: entry.member.key.clone(), spot: entry.key_spot(), ..RawCategory::default() };
        if at.node.members().is_none() {
            category.id = self.wrong(at, "every category", "an object");
            (category.label, category.defect, category.expected) = (Field::Bad, Field::Bad, Field::Bad);
            return category;
        }
        category.id = self.text(at, "category_id");
        category.label = self.text(at, "label");
        category.defect = self.text(at, "defect");
        category.expected = self.text(at, "expected");
        category.supports_claims = self.texts(at, "supports_claims");
        category.seams = self.texts(at, "seams");
        category.risks = self.texts(at, "risks");
        category.cases = self.texts(at, "cases");
        category.signatures = self.items(at, "signatures").iter().filter_map(|item| self.signature(item)).collect();
        category.depends_on = self.items(at, "depends_on").iter().filter_map(|item| self.dependency(item)).collect();
        if let Some(examples) = at.get("examples") {
            if examples.node.members().is_some() {
                category.examples_match = self.texts(&examples, "match");
                category.examples_no_match = self.texts(&examples, "no_match");
            } else {
                let _: Field<()> = self.wrong(&examples, "`examples`", "an object");
            }
        }
        category
    }

    fn signature(&mut self, at: &At<'_>) -> Option<RawSignature> {
        if at.node.members().is_none() {
            let _: Field<()> = self.wrong(at, "every item of `signatures`", "an object");
            return None;
        }
        let (id, pattern, stream) = (self.text(at, "id"), self.text(at, "pattern"), self.text(at, "in"));
        Some(RawSignature { spot: at.spot(), id, pattern, stream })
    }

    fn dependency(&mut self, at: &At<'_>) -> Option<RawDependency> {
        match &at.node.value {
            // A bare id is a target whose rationale is missing; the rule about rationales says so.
            Value::Text(_) => {
                let target = self.as_text(at, "the target");
                Some(RawDependency { spot: at.spot(), target, rationale: Field::Missing })
            }
            Value::Object(_) => {
                let (target, rationale) = (self.text(at, "category_id"), self.text(at, "rationale"));
                Some(RawDependency { spot: at.spot(), target, rationale })
            }
            _ => {
                let _: Field<()> = self.wrong(at, "every item of `depends_on`", "an object");
                None
            }
        }
    }

    fn retired(&mut self, entry: &Entry<'_>) -> RawRetired {
        let (at, id, spot) = (&entry.value, entry.member.key.clone(), entry.key_spot());
        if at.node.members().is_none() {
            let kind = self.wrong(at, "every retired entry", "an object");
            return RawRetired { id, spot, kind, into: Vec::new(), reason: Field::Bad };
        }
        let (kind, into, reason) = (self.text(at, "kind"), self.texts(at, "into"), self.text(at, "reason"));
        RawRetired { id, spot, kind, into, reason }
    }
}
