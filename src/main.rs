//! The `greenloop` program: everything it does is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    // `greenloop run` starts this program again to supervise its trials.
    if greenloop::process::serves(std::env::args_os()) {
        return greenloop::process::serve();
    }
    greenloop::cli::main()
}
