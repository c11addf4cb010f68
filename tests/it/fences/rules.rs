//! The fences themselves: which module may use which, and which names stay in which folder.

use regex::Regex;

use super::lexer::{lex, line_of, test_modules};

/// Modules from top to bottom. A module uses only what is below it.
const ROWS: [&str; 17] = [
    "cli",
    "ui",
    "campaign",
    "dispatch",
    "apply",
    "plan",
    "tracker",
    "runner",
    "categorize",
    "graph",
    "category_map",
    "report",
    "process",
    "ledger",
    "config",
    "diag",
    "model",
];

/// Modules whose own list is shorter than "all below", or longer.
const EXACTLY: [(&str, &[&str]); 2] = [
    // The map's cycle rule asks the graph; so the graph must not know maps.
    ("graph", &["diag", "model"]),
    ("category_map", &["graph", "report", "process", "ledger", "config", "diag", "model"]),
];

/// A name that stays behind a fence.
struct Fence {
    code: &'static str,
    /// What is looked for in code.
    pattern: &'static str,
    /// Path prefixes below `src/` where it may be.
    inside: &'static [&'static str],
}

const FENCES: [Fence; 9] = [
    Fence { code: "clap", pattern: r"\bclap(_complete|_mangen)?\b", inside: &["cli/"] },
    Fence {
        code: "graph-crates",
        pattern: r"\bpetgraph\b|\blayout::(core|adt|backends|gv|std_shapes|topo)\b",
        inside: &["graph/"],
    },
    Fence { code: "sqlite", pattern: r"\brusqlite\b", inside: &["tracker/embedded/", "tracker/embedded.rs"] },
    Fence { code: "octocrab", pattern: r"\boctocrab\b", inside: &["tracker/github/", "tracker/github.rs"] },
    Fence {
        code: "printing",
        pattern: r"\b(print|println|eprint|eprintln|dbg)!|\b(stdout|stderr)\s*\(\s*\)|\banstream\b|\bio::(stdout|stderr)\b",
        inside: &["ui/"],
    },
    Fence {
        code: "process",
        pattern: r"\bprocess::(Command|Child)\b|\bprocess::\{[^}]*\b(Command|Child)\b",
        inside: &["process/", "process.rs"],
    },
    Fence {
        code: "environment",
        pattern: r"\benv::(var|vars|var_os|vars_os|set_var|remove_var)\b|\benv::\{[^}]*\bvars?(_os)?\b|\boption_env!",
        inside: &["cli/env.rs"],
    },
    Fence { code: "unsafe", pattern: r"\bunsafe\b", inside: &["report/mapped.rs"] },
    Fence { code: "exit", pattern: r"\bprocess::(exit|abort)\b", inside: &[] },
];

/// Modules that get time, chance and bytes as values.
const PURE: [&str; 5] = ["categorize/", "graph/", "plan/", "diag/", "model/"];
const IMPURE: &str = r"\bstd::(fs|net|thread)\b|\b(SystemTime|Instant)::now\b|\bTimestamp::now\b|\bZoned::now\b|\bThreadRng\b|\bRandomState\b|\bFile::(open|create)\b";

/// Text that is SQL: key words in capitals, so that a sentence is none.
const SQL: &str =
    r"\b(SELECT\s[\s\S]*\sFROM|INSERT\s+(OR \w+ )?INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|CREATE\s+TABLE|PRAGMA)\b";

/// Lines a source file may have.
const LINES: usize = 600;
/// Lines a file of the command line may have.
const COMMAND_LINES: usize = 150;

/// Checks one file. `path` is below `src/`, with forward slashes. Each finding is `path:line: code: what`.
pub(crate) fn check(path: &str, source: &str) -> Vec<String> {
    let mut findings = Vec::new();
    let lexed = lex(source);
    let mut find = |offset: usize, code: &str, what: &str| {
        findings.push(format!("{path}:{}: {code}: {what}", line_of(source, offset)));
    };

    let module = path.split('/').next().unwrap_or(path).trim_end_matches(".rs");
    if ROWS.contains(&module) {
        for (offset, used) in used_modules(path, &lexed.code) {
            if used != module && !may_use(module, &used) {
                find(offset, "order", &format!("{module} uses {used}"));
            }
        }
    } else if !matches!(path, "lib.rs" | "main.rs") {
        find(0, "order", "a module that has no row in the table of modules");
    }

    // Tests keep the order of the rows; the other fences are for what is shipped.
    let only_tests = path.ends_with("tests.rs") || path.contains("/tests/");
    let tests = test_modules(&lexed.code);
    let shipped = |offset: usize| !only_tests && !tests.iter().any(|range| range.contains(&offset));
    let named = |pattern: &str| -> Vec<(usize, String)> {
        let found = Regex::new(pattern).unwrap();
        let found = found.find_iter(&lexed.code).filter(|name| shipped(name.start()));
        found.map(|name| (name.start(), name.as_str().to_owned())).collect()
    };
    for fence in &FENCES {
        if !fence.inside.iter().any(|inside| path.starts_with(inside)) {
            for (offset, name) in named(fence.pattern) {
                find(offset, fence.code, &name);
            }
        }
    }
    if PURE.iter().any(|pure| path.starts_with(pure)) {
        for (offset, name) in named(IMPURE) {
            find(offset, "pure", &name);
        }
    }
    let sql = Regex::new(SQL).unwrap();
    // A program is named in a call; the word alone may name anything.
    let call = Regex::new(r"\b(new|spawn|program|command|run)\s*\(\s*$").unwrap();
    for (offset, text) in lexed.strings.iter().filter(|(offset, _)| shipped(*offset)) {
        if sql.is_match(text) && !path.starts_with("tracker/embedded") {
            find(*offset, "sql", text);
        }
        let called = lexed.code.get(..*offset).is_some_and(|before| call.is_match(before));
        if text == "git" && called && !path.starts_with("dispatch/") && path != "dispatch.rs" {
            find(*offset, "git", "the program git");
        }
    }
    let lines = source.lines().count();
    let limit = if path.starts_with("cli/") { COMMAND_LINES } else { LINES };
    if lines > limit {
        find(source.len(), "length", &format!("{lines} lines, at most {limit}"));
    }
    findings
}

fn may_use(module: &str, used: &str) -> bool {
    if let Some((_, list)) = EXACTLY.iter().find(|(name, _)| *name == module) {
        return list.contains(&used);
    }
    let row = |name: &str| ROWS.iter().position(|row| *row == name);
    row(module) < row(used)
}

/// Modules of the crate that `code` names, by `crate::…`, `greenloop::…`, or enough `super::`.
fn used_modules(path: &str, code: &str) -> Vec<(usize, String)> {
    // How many `super` lead from this file to the crate's root.
    let depth = path.trim_end_matches(".rs").trim_end_matches("/mod").split('/').count();
    let root = Regex::new(r"\b(crate|greenloop|(?:super\s*::\s*)*super)\s*::\s*(\{|\w+)").unwrap();
    let mut used = Vec::new();
    for found in root.captures_iter(code) {
        let start = found.get(0).map_or(0, |whole| whole.start());
        if found[1].starts_with("super") && found[1].matches("super").count() < depth {
            continue;
        }
        if &found[2] == "{" {
            let end = found.get(0).map_or(0, |whole| whole.end());
            used.extend(group(&code[end..]).into_iter().map(|name| (start, name)));
        } else {
            used.push((start, found[2].to_owned()));
        }
    }
    used.retain(|(_, name)| ROWS.contains(&name.as_str()));
    used
}

/// First names of the entries of `{a::b, c::{d, e}, f}`, given what follows the opening brace.
fn group(rest: &str) -> Vec<String> {
    let (mut depth, mut entries) = (1, vec![String::new()]);
    for character in rest.chars() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 1 => {
                entries.push(String::new());
                continue;
            }
            _ => {}
        }
        if depth == 0 {
            break;
        }
        if let Some(entry) = entries.last_mut() {
            entry.push(character);
        }
    }
    entries
        .iter()
        .map(|entry| entry.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect())
        .filter(|name: &String| !name.is_empty())
        .collect()
}
