//! Where an artifact may be: inside the manifest's folder, as far as the text of its path can say. Symbolic links are
//! for the one who reads the file to refuse.

/// Why a path is refused, in words that finish "the path … ".
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) what: &'static str,
    pub(super) hint: &'static str,
}

const LEAVES: &str = "leaves the manifest's folder";
const INSIDE: &str = "let the command write into the manifest's folder: a checkout elsewhere runs the same manifest, \
                      and what lies outside of the folder may be another run's";

/// Checks the path as it stands in the manifest. `folder` is the manifest's folder, if it is known and absolute; an
/// absolute path is allowed only inside of it.
pub(super) fn check(path: &str, folder: Option<&str>) -> Result<(), Refusal> {
    if path.trim().is_empty() {
        return Err(Refusal { what: "is empty", hint: "name a file in the manifest's folder" });
    }
    if path.contains('\0') {
        return Err(Refusal { what: "holds a NUL character", hint: "no file can have such a name" });
    }
    let below = if path.starts_with('/') {
        let resolved = resolve(path).ok_or(Refusal { what: LEAVES, hint: INSIDE })?;
        let folder = folder.and_then(resolve);
        let Some(below) = folder.and_then(|folder| resolved.strip_prefix(folder.as_slice()).map(<[&str]>::to_vec))
        else {
            let hint = "write it relative to the manifest's folder, and let the command write there: on another \
                        machine or checkout an absolute path is somebody else's file";
            return Err(Refusal { what: "is absolute and not inside the manifest's folder", hint });
        };
        below
    } else {
        resolve(path).ok_or(Refusal { what: LEAVES, hint: INSIDE })?
    };
    if below.is_empty() || path.ends_with('/') {
        return Err(Refusal { what: "names a folder", hint: "name a file in it" });
    }
    Ok(())
}

/// Whether two paths name one file, as far as their texts say: `out.json`, `./out.json`, and an absolute spelling.
pub(super) fn is_same(one: &str, other: &str, folder: Option<&str>) -> bool {
    let parts = |path: &str| -> Option<Vec<String>> {
        let inside = match folder {
            Some(folder) if !path.starts_with('/') => format!("{folder}/{path}"),
            _ => path.to_owned(),
        };
        Some(resolve(&inside)?.into_iter().map(str::to_owned).collect())
    };
    parts(one) == parts(other)
}

/// The parts of a path without `.` and `..`; `None` if it climbs above where it starts.
fn resolve(path: &str) -> Option<Vec<&str>> {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inside_is_allowed_and_outside_is_not() {
        for path in ["a", "./a", "a/b.json", "a/../b", "a//b", "..a", "a b", "...", "é/x"] {
            assert_eq!(check(path, None), Ok(()), "{path}");
        }
        for path in ["..", "../a", "a/../../b", "./..", "a/b/../../../c"] {
            assert_eq!(check(path, Some("/work")).unwrap_err().what, LEAVES, "{path}");
        }
        for path in ["", " ", ".", "a/..", "a/", "./"] {
            assert!(check(path, None).is_err(), "{path:?}");
        }
        assert!(check("a\0b", None).is_err());
    }

    #[test]
    fn absolute_paths_need_a_known_folder_around_them() {
        assert_eq!(check("/work/m/out/a.json", Some("/work/m")), Ok(()));
        assert_eq!(check("/work/m/./x/../a", Some("/work/./m/")), Ok(()));
        for (path, folder) in [
            ("/work/m/a", None),
            ("/work/mm/a", Some("/work/m")),
            ("/work/m", Some("/work/m")),
            ("/work/m/../a", Some("/work/m")),
            ("/../work/m/a", Some("/work/m")),
        ] {
            assert!(check(path, folder).is_err(), "{path}");
        }
    }
}
