//! The supervisor's side: this program in its hidden mode.

use std::ffi::OsStr;
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use super::command::SpawnError;
use super::supervise::supervise;
use super::wire;

/// The one argument of a supervisor.
pub const SUPERVISOR_ARGUMENT: &str = "__supervise-one-command-at-a-time";

/// Whether these arguments (the program's name first) ask for a supervisor.
pub fn serves(mut args: impl Iterator<Item = impl AsRef<OsStr>>) -> bool {
    args.nth(1).is_some_and(|arg| arg.as_ref() == SUPERVISOR_ARGUMENT) && args.next().is_none()
}

/// Runs commands that arrive at the socket on standard input, one after the other, until its other end is gone.
/// Fails at once if standard input is no socket.
pub fn serve() -> ExitCode {
    // The end of the socket is the usual end.
    match serve_socket() {
        Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => ExitCode::FAILURE,
        _ => ExitCode::SUCCESS,
    }
}

fn serve_socket() -> io::Result<()> {
    // A session of its own: what the terminal sends reaches the caller only, and no command can join the caller's
    // group. It fails if this leads a group already, which keeps commands out as well.
    let _ = rustix::process::setsid();
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    let mut socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    socket.peer_addr()?;
    loop {
        let body = wire::read_frame(&mut socket)?;
        let command = wire::decode_command(&body).ok_or(io::ErrorKind::InvalidData)?;
        let result = supervise(&command, socket.as_fd());
        // Whoever cancelled or left something alive must not be answered for by the next command.
        let reusable = match &result {
            Ok(exit) => !exit.cancelled && exit.survivors.is_empty(),
            Err(error) => !matches!(error, SpawnError::Cancelled),
        };
        wire::write_frame(&mut socket, &wire::encode_result(&result))?;
        if !reusable {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_exact_argument_asks_for_a_supervisor() {
        assert!(serves(["greenloop", SUPERVISOR_ARGUMENT].iter()));
        assert!(!serves(["greenloop"].iter()));
        assert!(!serves([SUPERVISOR_ARGUMENT].iter()));
        assert!(!serves(["greenloop", SUPERVISOR_ARGUMENT, "x"].iter()));
    }
}
