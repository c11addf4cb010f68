//! The environment of a trial: an allow-list, so that nothing of the caller decides an outcome unseen, and no secret of
//! the caller reaches a command that was not given it. `docs/environment.md` is the list for people.

use std::ffi::{OsStr, OsString};

/// Variables that pass from the caller if they are set.
pub const PASSED: [&str; 9] = ["HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "SHELL", "TMPDIR", "TZ", "USER"];
/// Variables with this start pass, too.
pub const PASSED_PREFIX: &str = "LC_";
/// Variables that are always set to this, whatever the caller has: no colours and no terminal tricks in output that is
/// compared.
pub const SET: [(&str, &str); 2] = [("NO_COLOR", "1"), ("TERM", "dumb")];
/// `PATH` where the caller has none.
pub const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The environment of a trial from the caller's, in order of names. `keep` names variables that pass besides the list:
/// what a case that works on a live system needs. A variable in `keep` wins over [`SET`].
pub fn scrubbed(caller: impl IntoIterator<Item = (OsString, OsString)>, keep: &[String]) -> Vec<(OsString, OsString)> {
    let kept = |name: &OsStr| keep.iter().any(|keep| OsStr::new(keep) == name);
    let passes = |name: &OsStr| {
        let text = name.to_str().unwrap_or_default();
        kept(name) || PASSED.contains(&text) || text.starts_with(PASSED_PREFIX)
    };
    let mut env: std::collections::BTreeMap<OsString, OsString> =
        SET.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
    env.insert("PATH".into(), DEFAULT_PATH.into());
    env.extend(caller.into_iter().filter(|(name, value)| passes(name) && (name != "PATH" || !value.is_empty())));
    env.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(list: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        list.iter().map(|(name, value)| (name.into(), value.into())).collect()
    }

    #[test]
    fn only_the_list_passes() {
        let caller = pairs(&[
            ("ZED", "1"),
            ("PATH", "/p"),
            ("LC_ALL", "C"),
            ("TERM", "xterm"),
            ("GITHUB_TOKEN", "s"),
            ("LD_PRELOAD", "x.so"),
            ("BASH_ENV", "rc"),
            ("HOME", "/h"),
            ("path", "no"),
        ]);
        let wanted = [("HOME", "/h"), ("LC_ALL", "C"), ("NO_COLOR", "1"), ("PATH", "/p"), ("TERM", "dumb")];
        assert_eq!(scrubbed(caller.clone(), &[]), pairs(&wanted));
        let kept = scrubbed(caller, &["GITHUB_TOKEN".into(), "TERM".into(), "UNSET".into()]);
        assert!(kept.contains(&("GITHUB_TOKEN".into(), "s".into())) && kept.contains(&("TERM".into(), "xterm".into())));
        assert_eq!(kept.len(), wanted.len() + 1);
        let none = scrubbed(pairs(&[("PATH", "")]), &[]);
        assert!(none.contains(&("PATH".into(), DEFAULT_PATH.into())));
    }

    #[test]
    fn the_page_for_people_names_every_variable() {
        let page = include_str!("../../docs/environment.md");
        for name in PASSED.into_iter().chain(SET.into_iter().map(|(name, _)| name)) {
            assert!(page.contains(&format!("`{name}`")), "{name}");
        }
        assert!(page.contains(DEFAULT_PATH) && page.contains("`LC_*`"));
    }
}
