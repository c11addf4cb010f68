//! `bad-repo`: not `owner/name`.

use super::registry::{Check, Rule};
use crate::category_map::place::{Findings, quote};
use crate::category_map::raw::RawMap;
use crate::diag::Severity;
use crate::model::RepoSlug;

pub(super) const RULE: Rule = Rule {
    code: "bad-repo",
    severity: Severity::Error,
    what: "`repo` is not `owner/name` in ASCII letters, digits, `-`, `_` and `.`.",
    why: "The name after the slash stands in every category id; without it no id can be checked.",
    mend: "Write the repository as GitHub shows it, without a host or `.git`.",
    check: Check::Map(check),
};

fn check(map: &RawMap, found: &mut Findings) {
    if let Some(repo) = map.repo.get()
        && !repo.is_blank()
        && RepoSlug::parse(&repo.value).is_none()
    {
        let message = format!("{} is not a repository", quote(&repo.value));
        found.add(&RULE, &repo.spot, message, "write `owner/name`".to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{category, map_with, only};

    #[test]
    fn a_url_is_not_a_repository() {
        let text = map_with(&category("a", "")).replace("\"o/r\"", "\"https://example.org/o/r\"");
        let finding = only(&text);
        assert_eq!((finding.code, finding.place.pointer.as_deref()), ("bad-repo", Some("/repo")));
    }
}
