//! `redundant-edge`: a dependency that others imply.

use super::edges;
use super::registry::{Check, Rule};
use crate::category_map::place::{Findings, quote};
use crate::category_map::raw::RawMap;
use crate::diag::Severity;

pub(super) const RULE: Rule = Rule {
    code: "redundant-edge",
    severity: Severity::Warning,
    what: "A dependency follows from others; not looked for while there is a cycle, or in maps of more than 20,000 categories.",
    why: "Sparse is the default: every extra edge is one more link to wire, and hides the ones that matter.",
    mend: "Remove it, unless it must outlive the longer path.",
    check: Check::Map(check),
};

/// The longer path is looked up for this many edges; each lookup may walk the whole graph.
const PATHS: usize = 200;

fn check(map: &RawMap, found: &mut Findings) {
    let graph = edges::graph(map);
    let Ok(reduction) = graph.redundant_edges() else { return };
    if reduction.edges().is_empty() {
        return;
    }
    let entries = edges::entries(map);
    for (at, &(from, to)) in reduction.edges().iter().enumerate() {
        let (dependent, target) = (graph.id(from), graph.id(to));
        let Some(entry) = entries.get(&(dependent, target)) else { continue };
        let spot = entry.target.get().map_or(&entry.spot, |text| &text.spot);
        let via = (at < PATHS)
            .then(|| graph.upstream(from).find(|&up| up != to && graph.upstream_closure(up).contains(&to)))
            .flatten();
        let because = via.map_or(String::new(), |via| format!(": {} already does", quote(graph.id(via))));
        let message = format!("{} need not depend on {}{because}", quote(dependent), quote(target));
        found.add(&RULE, spot, message, "remove the dependency, or keep it knowingly".to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{categories, clean, map_with, only};

    fn edges(targets: &[&str]) -> String {
        let entry = |target: &&str| format!("{{\"category_id\": \"n:r:{target}\", \"rationale\": \"x\"}}");
        format!(", \"depends_on\": [{}]", targets.iter().map(entry).collect::<Vec<_>>().join(", "))
    }

    #[test]
    fn the_short_cut_is_named_with_its_long_way() {
        let text = map_with(&categories(&[("a", &edges(&["b", "c"])), ("b", &edges(&["c"])), ("c", "")]));
        let finding = only(&text);
        assert_eq!(finding.code, "redundant-edge");
        assert_eq!(finding.message, "`n:r:a` need not depend on `n:r:c`: `n:r:b` already does");
        assert_eq!(finding.place.pointer.as_deref(), Some("/categories/a/depends_on/1/category_id"));
    }

    #[test]
    fn a_diamond_is_sparse() {
        let text = map_with(&categories(&[
            ("a", &edges(&["b", "c"])),
            ("b", &edges(&["d"])),
            ("c", &edges(&["d"])),
            ("d", ""),
        ]));
        clean(&text);
    }
}
