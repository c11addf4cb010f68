//! Benchmarks that print measurements and their goals side by side. Without arguments all of them run:
//! `cargo run --release --example bench -- [report] [categories] [normalize] [draw] [plan] [ledger] [trial] [suite] [--large]`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark prints its result")]

mod data;
mod draw;
mod ledger;
mod normalize;
mod plan;
mod report;
mod suite;
mod trial;

use std::path::Path;
use std::process::ExitCode;

pub(crate) type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const GOALS: [&str; 8] = ["report", "categories", "normalize", "draw", "plan", "ledger", "trial", "suite"];

fn main() -> ExitCode {
    if greenloop::process::serves(std::env::args_os()) {
        return greenloop::process::serve();
    }
    let args: Vec<String> = std::env::args().skip(1).collect();
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &[String]) -> Result<()> {
    if let [child, report, map] = args
        && child == "--child"
    {
        return report::child(Path::new(report), Path::new(map));
    }
    let large = args.iter().any(|arg| arg == "--large");
    let chosen: Vec<&str> = args.iter().map(String::as_str).filter(|arg| *arg != "--large").collect();
    if let Some(unknown) = chosen.iter().find(|arg| !GOALS.contains(arg)) {
        return Err(format!("there is no benchmark {unknown}; choose from: {}, --large", GOALS.join(", ")).into());
    }
    for goal in GOALS.into_iter().filter(|goal| chosen.is_empty() || chosen.contains(goal)) {
        match goal {
            "report" => report::run(large)?,
            "categories" => report::run_categories()?,
            "normalize" => normalize::run(),
            "draw" => draw::run(),
            "plan" => plan::run()?,
            "ledger" => ledger::run()?,
            "trial" => trial::run()?,
            _ => suite::run()?,
        }
        println!();
    }
    Ok(())
}
