//! What the program says about itself: the long help of every command (snapshots), `docs/cli.md`, completions and
//! manual pages. All of it is made from clap's command tree, so a new command is covered without a new test.

use assert_cmd::Command as Run;
use clap::{Arg, Command, CommandFactory as _};
use greenloop::cli::Cli;

/// Set this variable to write `docs/cli.md` anew instead of comparing it.
const UPDATE: &str = "GREENLOOP_UPDATE";

#[test]
fn long_help_of_every_command() {
    for (name, mut command) in commands() {
        let help = command.render_long_help().to_string();
        let help = help.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
        insta::assert_snapshot!(name.replace(' ', "-"), help);
    }
}

/// Help that teaches: every command says what it is for, and every argument has a sentence.
#[test]
fn every_command_and_every_argument_has_help() {
    for (name, command) in commands() {
        assert!(command.get_about().is_some(), "{name}: no description");
        for argument in command.get_arguments() {
            let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.len() > 8, "{name}: {}: no help", argument.get_id());
        }
    }
}

/// The tree that the snapshots come from is the tree of the real program.
#[test]
fn the_program_shows_the_same_help() {
    for (name, _) in commands() {
        let words: Vec<&str> = name.split(' ').skip(1).collect();
        let output = greenloop().args(&words).arg("--help").output().unwrap();
        assert!(output.status.success(), "{name} --help: {}", output.status);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains(&format!("Usage: {name}")), "{name} --help says:\n{text}");
        assert!(output.stderr.is_empty(), "{name} --help writes to standard error");
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test may read the environment")]
fn the_page_of_commands_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/cli.md");
    let wanted = page();
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(path, &wanted).unwrap();
    }
    let found = std::fs::read_to_string(path).unwrap_or_default();
    assert!(found == wanted, "docs/cli.md is out of date: run `{UPDATE}=1 cargo test --test it help`");
}

#[test]
fn completions_go_to_standard_output() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = greenloop().args(["completions", shell]).output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{shell}");
        assert!(String::from_utf8(output.stdout).unwrap().contains("categorize"), "{shell}");
    }
    assert_eq!(greenloop().args(["completions", "tcsh"]).output().unwrap().status.code(), Some(2));
    assert_eq!(greenloop().args(["completions", "bash", "--format", "json"]).output().unwrap().status.code(), Some(2));
}

#[test]
fn the_completion_script_is_good_bash() {
    let script = greenloop().args(["completions", "bash"]).output().unwrap().stdout;
    let Ok(output) = Run::new("bash").arg("-n").write_stdin(script).output() else {
        eprintln!("skip: no bash");
        return;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn manual_pages_one_per_command() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("new/man1");
    let output = greenloop().args(["man", "--all"]).arg(&pages).output().unwrap();
    assert!(output.status.success() && output.stdout.is_empty());
    for (name, _) in commands() {
        let file = pages.join(format!("{}.1", name.replace(' ', "-")));
        let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        assert!(text.contains(".TH"), "{name}");
    }
    let main = greenloop().arg("man").output().unwrap();
    assert!(main.stdout == std::fs::read(pages.join("greenloop.1")).unwrap(), "`man` and `man --all` differ");

    // A file is in the way: an error of status 3 that names the folder.
    std::fs::write(folder.path().join("file"), "").unwrap();
    let refused = greenloop().args(["man", "--all"]).arg(folder.path().join("file/man1")).output().unwrap();
    assert_eq!(refused.status.code(), Some(3));
    assert!(String::from_utf8(refused.stderr).unwrap().contains("cannot write manual pages"));
}

/// Every command of the program with its full name, depth first; clap's own `help` is left out.
fn commands() -> Vec<(String, Command)> {
    let mut root = Cli::command().term_width(100);
    root.build();
    let mut found = Vec::new();
    let mut queue = vec![("greenloop".to_owned(), root)];
    while let Some((name, command)) = queue.pop() {
        let below: Vec<_> = command
            .get_subcommands()
            .filter(|below| below.get_name() != "help" && !below.is_hide_set())
            .map(|below| (format!("{name} {}", below.get_name()), below.clone().term_width(100)))
            .collect();
        queue.extend(below.into_iter().rev());
        found.push((name, command));
    }
    found
}

/// `docs/cli.md`.
fn page() -> String {
    let mut page = String::from(
        "# Commands\n\nMade from the definitions of the commands by `GREENLOOP_UPDATE=1 cargo test --test it help`; do not edit.\n\
         Every command also takes the options of `greenloop` itself. Exit statuses: [exit-status.md](exit-status.md).\n",
    );
    for (name, mut command) in commands() {
        let about = command.get_long_about().or(command.get_about()).map(ToString::to_string).unwrap_or_default();
        let about = about.trim_end_matches('.');
        page += &format!("\n## {name}\n\n{about}.\n\n```text\n{}\n```\n", usage(&mut command));
        let top = name == "greenloop";
        let arguments: Vec<&Arg> = command
            .get_arguments()
            .filter(|argument| !argument.is_hide_set() && (top || !argument.is_global_set()))
            .filter(|argument| !matches!(argument.get_id().as_str(), "help" | "version"))
            .collect();
        if !arguments.is_empty() {
            page += "\n";
        }
        for argument in arguments {
            page += &item(argument);
        }
        if let Some(after) = command.get_after_long_help() {
            page += &format!("\n```text\n{}\n```\n", after.to_string().trim_end());
        }
    }
    page
}

fn usage(command: &mut Command) -> String {
    command.render_usage().to_string().trim_start_matches("Usage: ").trim_end().to_owned()
}

/// One argument as a list item: its form, its help, its values and its default.
fn item(argument: &Arg) -> String {
    let help = argument.get_long_help().or(argument.get_help()).map(ToString::to_string).unwrap_or_default();
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    let stop = if help.ends_with(['.', ':', '!', '?']) { "" } else { "." };
    let mut item = format!("- `{argument}`: {help}{stop}");
    let values = argument.get_possible_values();
    if !values.is_empty() && argument.get_action().takes_values() {
        let names: Vec<String> = values.iter().map(|value| format!("`{}`", value.get_name())).collect();
        item += &format!(" Values: {}.", names.join(", "));
    }
    if let [default] = argument.get_default_values() {
        item += &format!(" Default: `{}`.", default.to_string_lossy());
    }
    item + "\n"
}

fn greenloop() -> Run {
    Run::cargo_bin("greenloop").unwrap()
}
