//! Scripts that a case's interpreter is given and that are not there. An interpreter says so with an exit code, and a case
//! that expects just that code would pass for ever.

use std::path::Path;

use super::manifest::Manifest;

/// Interpreters whose first argument is a script, unless it is an option.
const INTERPRETERS: [&str; 12] =
    ["bash", "dash", "deno", "node", "perl", "php", "python", "python3", "ruby", "sh", "tsx", "zsh"];

/// Each case whose script is not there, and the script as the case names it. Reads the file system.
pub fn missing(manifest: &Manifest, folder: &Path) -> Vec<(String, String)> {
    let script = |command: &[String]| {
        let program = Path::new(command.first()?).file_name()?.to_str()?;
        let script = command.get(1).filter(|word| !word.starts_with('-') && !word.is_empty())?;
        INTERPRETERS.contains(&program).then(|| script.clone())
    };
    let found = manifest.cases.iter().filter_map(|case| Some((case.name.as_str().to_owned(), script(&case.command)?)));
    found.filter(|(_, script)| !folder.join(script).exists()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::testing::{case, manifest};
    use serde_json::json;

    #[test]
    fn only_scripts_that_are_not_there_are_named() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("there.py"), "").unwrap();
        let with = |name: &str, command: &[&str]| case(name, json!({ "command": command }));
        let manifest = manifest(
            &[
                with("there", &["python3", "there.py"]),
                with("typo", &["/usr/bin/python3", "thre.py", "-x"]),
                with("inline", &["python3", "-c", "import shop"]),
                with("product", &["./shop", "no.py"]),
                with("alone", &["node"]),
            ],
            json!({}),
        );
        assert_eq!(missing(&manifest, dir.path()), [("typo".to_owned(), "thre.py".to_owned())]);
    }
}
