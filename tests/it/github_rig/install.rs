//! What the rig needs from npm: installed once, shared by all test processes, never committed.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use super::openapi;

/// Exact versions, and the hashes of all that is fetched.
const PACKAGE: &str = include_str!("npm/package.json");
const LOCK: &str = include_str!("npm/package-lock.json");
/// Raise it when what this file makes out of the packages changes.
const LAYOUT: u32 = 1;
/// What npm says when the registry cannot be reached, as opposed to when something is wrong.
const UNREACHABLE: &[&str] =
    &["ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENETUNREACH", "EHOSTUNREACH", "ENOTCACHED"];

/// Where the installed things are.
#[derive(Debug, Clone)]
pub(crate) struct Installed {
    pub(crate) node: PathBuf,
    pub(crate) emulator: PathBuf,
    /// Ends the emulator when the test process is gone, however it went.
    pub(crate) leash: PathBuf,
    /// The part of GitHub's OpenAPI description that the rig uses.
    pub(crate) openapi: PathBuf,
}

/// Why there is nothing to start.
#[derive(Debug, Clone)]
pub(crate) enum NotInstalled {
    /// There is no npm, or it does not reach its registry. Not a fault of this code.
    Unreachable(String),
    /// All else.
    Broken(String),
}

/// Installs unless that is done. What cannot be had is asked for once per process, not once per test.
pub(crate) fn install() -> Result<Installed, NotInstalled> {
    static ONCE: OnceLock<Result<Installed, NotInstalled>> = OnceLock::new();
    ONCE.get_or_init(install_once).clone()
}

/// Processes wait for one another; a half-done installation is never seen.
fn install_once() -> Result<Installed, NotInstalled> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/github-rig");
    let print = blake3::hash(
        format!(
            "{LAYOUT}
{PACKAGE}
{LOCK}
{:?}",
            openapi::OPERATIONS
        )
        .as_bytes(),
    );
    let folder = root.join(&print.to_hex().as_str()[..16]);
    let installed = Installed {
        node: folder.join("node_modules/node/bin/node"),
        emulator: folder.join("node_modules/emulate/dist/index.js"),
        leash: folder.join("leash.mjs"),
        openapi: folder.join("openapi.json"),
    };
    if folder.is_dir() {
        return Ok(installed);
    }
    let broken = |what: &str, error: std::io::Error| NotInstalled::Broken(format!("{what}: {error}"));
    fs::create_dir_all(&root).map_err(|error| broken("create target/github-rig", error))?;
    let lock = File::create(root.join("lock")).map_err(|error| broken("create the lock", error))?;
    lock.lock().map_err(|error| broken("take the lock", error))?;
    if folder.is_dir() {
        return Ok(installed);
    }
    let staging = root.join("staging");
    if staging.exists() {
        fs::remove_dir_all(&staging).map_err(|error| broken("remove what was half installed", error))?;
    }
    fs::create_dir(&staging).map_err(|error| broken("create a folder", error))?;
    let write = |name: &str, text: &str| {
        fs::write(staging.join(name), text).map_err(|error| broken(&format!("write {name}"), error))
    };
    write("package.json", PACKAGE)?;
    write("package-lock.json", LOCK)?;
    write("leash.mjs", "process.stdin.resume();\nprocess.stdin.on('close', () => process.exit(0));\n")?;
    npm(&staging)?;
    for file in ["node_modules/node/bin/node", "node_modules/emulate/dist/index.js"] {
        if !staging.join(file).is_file() {
            return Err(NotInstalled::Broken(format!(
                "npm ended well but there is no {file}: are install scripts allowed?"
            )));
        }
    }
    let whole = staging.join("node_modules/@octokit/openapi/generated/api.github.com.json");
    let description = fs::read(&whole).map_err(|error| broken("read GitHub's OpenAPI description", error))?;
    let subset = openapi::subset(&description).map_err(NotInstalled::Broken)?;
    write("openapi.json", &subset)?;
    // The whole descriptions of all editions are 390 MB; the subset is what is used.
    fs::remove_dir_all(staging.join("node_modules/@octokit")).map_err(|error| broken("tidy up", error))?;
    fs::rename(&staging, &folder).map_err(|error| broken("move the installation to its place", error))?;
    Ok(installed)
}

fn npm(folder: &Path) -> Result<(), NotInstalled> {
    let mut command = Command::new("npm");
    command.args(["ci", "--no-audit", "--no-fund", "--prefer-offline", "--fetch-retries=1", "--fetch-timeout=60000"]);
    let output = command
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| NotInstalled::Unreachable(format!("npm cannot be started: {error}")))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    let unreachable = |line: &&str| UNREACHABLE.iter().any(|code| line.contains(code));
    if let Some(line) = said.lines().filter(unreachable).max_by_key(|line| line.len()) {
        return Err(NotInstalled::Unreachable(format!("npm does not reach its registry: {line}")));
    }
    Err(NotInstalled::Broken(format!("npm ci ended with {}: {said}", output.status)))
}
