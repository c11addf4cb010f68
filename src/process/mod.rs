//! Running one command and leaving nothing behind: budgets, bounded output, teardown of the whole process tree.
//!
//! # How a tree is owned
//! A [`Pool`] keeps one small *supervisor process* for each command that runs at the same time: this program again, in a
//! hidden mode ([`serve`]). A supervisor runs one command at a time. It is a *child subreaper* (Linux), so whatever
//! the command starts stays below it: a process whose parent ended becomes the supervisor's child, also after
//! `setsid` or a double fork. Hence two laws, and no guess from names, variables or times:
//! - when the supervisor has no children (the system says `ECHILD`), nothing of the command is alive;
//! - what is found below a supervisor belongs to its one command, so commands at the same time never blame each
//!   other.
//!
//! The clean case costs one system call. A supervisor is started once and used again, so its start is not paid per
//! command. If this program dies, also by `SIGKILL`, the supervisors see the end of their socket, tear down and end.
//!
//! # Limits
//! - A process that another service starts on request (a daemon that ran before, `systemd-run`, a container engine)
//!   is not below the supervisor and is not found.
//! - A process that may not be killed (another user's, or stuck in the kernel) is listed as a survivor, and its
//!   supervisor is not used again.
//! - macOS has no subreaper: only the process group is torn down there, and a left-over group is listed by its id.
//! - A command may kill its own supervisor. That is noticed, and fails the command; what it left is found by
//!   [`Pool::exclusive`] only.

mod cancel;
mod capture;
mod command;
mod pool;
mod resolve;
mod serve;
mod supervise;
mod sweep;
mod wire;

pub use cancel::Cancel;
pub use capture::Captured;
pub use command::{Exit, Invocation, Limits, SpawnError, Status};
pub use pool::{Pool, Program};
pub use serve::{SUPERVISOR_ARGUMENT, serve, serves};
