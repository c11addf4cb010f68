//! The guide to fixtures says what is true: its fixtures pass the gate and run, and the page of codes is that of the
//! rules.

use std::path::{Path, PathBuf};

use greenloop::runner::rules;

/// Set this variable to write the page of codes anew instead of comparing it.
const UPDATE: &str = "GREENLOOP_UPDATE";

fn page(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(name)
}

/// The fixtures of the guide: its `json` blocks that have cases.
fn fixtures() -> Vec<String> {
    let guide = std::fs::read_to_string(page("running-evals.md")).unwrap();
    let blocks = guide.split("```json\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks.filter(|block| block.contains("\"cases\"")).map(str::to_owned).collect()
}

fn greenloop(folder: &Path, args: &[&str]) -> (Option<i32>, String) {
    let output = assert_cmd::Command::cargo_bin("greenloop").unwrap().current_dir(folder).args(args).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(text).unwrap())
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test may read the environment")]
fn the_page_of_codes_is_up_to_date() {
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(page("fixture-codes.md"), rules::markdown()).unwrap();
    }
    let found = std::fs::read_to_string(page("fixture-codes.md")).unwrap_or_default();
    assert!(found == rules::markdown(), "run this test with {UPDATE}=1 to write the page anew");
}

#[test]
fn the_fixtures_of_the_guide_pass_the_gate() {
    let folder = tempfile::tempdir().unwrap();
    let all = fixtures();
    assert!(all.len() >= 2, "{}", all.len());
    for fixture in all {
        std::fs::write(folder.path().join("eval.json"), &fixture).unwrap();
        let (status, said) = greenloop(folder.path(), &["run", "eval.json", "--check"]);
        assert_eq!(status, Some(0), "{said}\n{fixture}");
        // The check can fail: the same without a case that is real.
        let broken = fixture.replace("\"real_world\": true", "\"real_world\": false");
        std::fs::write(folder.path().join("eval.json"), broken).unwrap();
        assert_eq!(greenloop(folder.path(), &["run", "eval.json", "--check"]).0, Some(1), "{fixture}");
    }
}

#[test]
fn the_first_fixture_of_the_guide_runs() {
    let folder = tempfile::tempdir().unwrap();
    let python = std::process::Command::new("python3").arg("--version").output();
    if !python.is_ok_and(|output| output.status.success()) {
        eprintln!("skip: the fixture of the guide needs python3");
        return;
    }
    std::fs::write(folder.path().join("eval.json"), &fixtures()[0]).unwrap();
    let (status, said) = greenloop(folder.path(), &["run", "eval.json", "-o", "report.json"]);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("READY · 2 cases: 2 passed · 4 trials in "), "{said}");
}

/// The page for people and the reader agree about how the workflow calls the program.
#[test]
fn the_workflow_of_the_guide_uses_options_that_exist() {
    let guide = std::fs::read_to_string(page("running-evals.md")).unwrap();
    let blocks: Vec<&str> = guide.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    let commands: Vec<&str> = blocks
        .iter()
        .flat_map(|block| block.lines())
        .filter_map(|line| line.split_once("greenloop "))
        .map(|c| c.1)
        .collect();
    assert!(commands.iter().any(|c| c.starts_with("run ")) && commands.iter().any(|c| c.starts_with("merge ")));
    let folder = tempfile::tempdir().unwrap();
    for command in commands {
        let name = command.split_whitespace().next().unwrap();
        let (_, help) = greenloop(folder.path(), &[name, "--help"]);
        for option in command.split_whitespace().filter(|word| word.starts_with("--")) {
            assert!(
                help.contains(&format!("{option} <")) || help.contains(&format!("{option}\n")),
                "{command}\n{help}"
            );
        }
    }
}
