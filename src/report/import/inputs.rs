//! Reading the files that the user named: paths, patterns, standard input.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::error::ImportError;
use crate::diag::Place;

/// Largest input, in bytes (1 GiB): far above real result files, low enough for one to fit into memory.
pub const MAX_INPUT_BYTES: u64 = 1 << 30;

const WILDCARDS: [char; 4] = ['*', '?', '[', '{'];

/// One input, read whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// The name for messages: the path as given, or `<stdin>`.
    pub name: String,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// The name of an input for the report: never an absolute path, because it would tie the report to this machine.
pub(super) fn source_name(name: &str) -> String {
    let path = Path::new(name);
    match path.file_name() {
        Some(last) if path.is_absolute() => last.to_string_lossy().into_owned(),
        _ => name.to_owned(),
    }
}

/// Reads every input: a path, a pattern such as `target/**/TEST-*.xml` (used only if no file has this very name),
/// or `-` for `stdin`. Files that a pattern finds come in the order of their names; a file named twice is read once.
///
/// # Errors
/// A file that cannot be read or is larger than [`MAX_INPUT_BYTES`], a pattern that matches nothing.
pub fn collect_inputs(arguments: &[PathBuf], stdin: &mut dyn std::io::Read) -> Result<Vec<Input>, ImportError> {
    let mut seen = BTreeSet::new();
    let mut inputs = Vec::new();
    for argument in arguments {
        if argument.as_os_str() == "-" {
            if seen.insert(argument.clone()) {
                inputs.push(Input { name: "<stdin>".to_owned(), bytes: read_all(stdin, "<stdin>")? });
            }
            continue;
        }
        if argument.is_dir() {
            let name = argument.to_string_lossy();
            let pattern = format!("pass its files: '{}/**/*.xml'", name.trim_end_matches('/'));
            return Err(ImportError::at(Place::file(name.as_ref()), "this is a folder").hint(pattern));
        }
        for path in expand(argument)? {
            if seen.insert(path.clone()) {
                let name = path.to_string_lossy().into_owned();
                let mut file = std::fs::File::open(&path).map_err(|error| unreadable(&name, error))?;
                inputs.push(Input { bytes: read_all(&mut file, &name)?, name });
            }
        }
    }
    Ok(inputs)
}

fn unreadable(name: &str, source: std::io::Error) -> ImportError {
    ImportError { source: Some(source), ..ImportError::at(Place::file(name), "the file cannot be read") }
}

fn read_all(from: &mut dyn std::io::Read, name: &str) -> Result<Vec<u8>, ImportError> {
    let mut bytes = Vec::new();
    from.take(MAX_INPUT_BYTES + 1).read_to_end(&mut bytes).map_err(|error| unreadable(name, error))?;
    if bytes.len() as u64 > MAX_INPUT_BYTES {
        return Err(ImportError::at(Place::file(name), "the file is larger than 1 GiB").hint("split it into parts"));
    }
    Ok(bytes)
}

fn expand(argument: &Path) -> Result<Vec<PathBuf>, ImportError> {
    let text = argument.to_string_lossy();
    if argument.exists() || !text.contains(WILDCARDS) {
        return Ok(vec![argument.to_owned()]);
    }
    let place = || Place::file(text.as_ref());
    // The walk gives paths without doubled slashes and inner dots, so the pattern must not have them either.
    let plain: PathBuf = argument.components().collect();
    let matcher = globset::GlobBuilder::new(&plain.to_string_lossy())
        .literal_separator(true)
        .build()
        .map_err(|error| ImportError::at(place(), format!("not a pattern: {error}")))?
        .compile_matcher();
    // The walk starts at the longest part without a wildcard.
    let fixed: PathBuf =
        argument.components().take_while(|part| !part.as_os_str().to_string_lossy().contains(WILDCARDS)).collect();
    // Without `**` a pattern says how deep its files lie, and nothing below has to be listed.
    let levels = argument.components().count() - fixed.components().count();
    let depth = if text.contains("**") || text.contains('{') { usize::MAX } else { levels };
    let mut found = Vec::new();
    walk(&fixed, depth, &mut |path| {
        if matcher.is_match(path) {
            found.push(path.to_owned());
        }
    })
    .map_err(|error| unreadable(&text, error))?;
    found.sort();
    if found.is_empty() {
        return Err(ImportError::at(place(), "no file matches the pattern")
            .hint("the test run may have written its results to another folder, or not at all"));
    }
    Ok(found)
}

/// Calls `visit` with every plain file at most `depth` levels below `root`. Links to folders are not followed, so
/// the walk ends.
fn walk(root: &Path, depth: usize, visit: &mut dyn FnMut(&Path)) -> std::io::Result<()> {
    let mut folders = vec![(root.to_owned(), 1)];
    while let Some((folder, level)) = folders.pop() {
        let listed = if folder.as_os_str().is_empty() { Path::new(".") } else { &folder };
        for entry in std::fs::read_dir(listed)? {
            let entry = entry?;
            let path = folder.join(entry.file_name());
            let kind = entry.file_type()?;
            if kind.is_dir() {
                if level < depth {
                    folders.push((path, level + 1));
                }
            } else if kind.is_file() || path.is_file() {
                visit(&path);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_expanded_in_order_and_files_are_read_once() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("m/deep")).unwrap();
        for name in ["m/b.xml", "m/a.xml", "m/deep/c.xml", "m/n.txt", "m/x[1].xml"] {
            std::fs::write(dir.path().join(name), name).unwrap();
        }
        let names = |patterns: &[&str]| -> Result<Vec<String>, ImportError> {
            let arguments: Vec<PathBuf> = patterns.iter().map(|p| dir.path().join(p)).collect();
            let inputs = collect_inputs(&arguments, &mut std::io::empty())?;
            Ok(inputs.iter().map(|i| String::from_utf8(i.bytes.clone()).unwrap()).collect())
        };
        assert_eq!(names(&["m/**/[abc].xml"]).unwrap(), ["m/a.xml", "m/b.xml", "m/deep/c.xml"]);
        assert_eq!(names(&["m/b.xml", "m/*.xml"]).unwrap(), ["m/b.xml", "m/a.xml", "m/x[1].xml"]);
        assert_eq!(names(&["m/x[1].xml"]).unwrap(), ["m/x[1].xml"], "a file's own name wins over a pattern");
        assert_eq!(names(&["m/../m//{a,b}.xml"]).unwrap(), ["m/a.xml", "m/b.xml"]);
        assert_eq!(names(&["*/*/c.xml"]).unwrap(), ["m/deep/c.xml"]);
        assert_eq!(names(&["m/*.json"]).unwrap_err().message, "no file matches the pattern");
        assert_eq!(names(&["m/none.xml"]).unwrap_err().message, "the file cannot be read");
        assert!(names(&["m/"]).unwrap_err().hint.unwrap().ends_with("/m/**/*.xml'"));
    }

    #[test]
    fn standard_input_and_names_for_the_report() {
        let inputs = collect_inputs(&["-".into(), "-".into()], &mut "<a/>".as_bytes()).unwrap();
        assert_eq!(inputs, [Input { name: "<stdin>".to_owned(), bytes: b"<a/>".to_vec() }]);
        assert_eq!((source_name("a/b.xml"), source_name("/tmp/x/b.xml")), ("a/b.xml".to_owned(), "b.xml".to_owned()));
    }
}
