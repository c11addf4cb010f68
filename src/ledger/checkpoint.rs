//! Named places at which a kill is interesting. The kill-matrix tests arm one; nobody else does.

use std::sync::atomic::{AtomicU64, Ordering};

/// Countdown to the kill; 0 = not armed.
static REMAINING: AtomicU64 = AtomicU64::new(0);

/// Arms the kill at the `step`-th checkpoint from now (1 = the next one). 0 disarms.
pub fn arm(step: u64) {
    REMAINING.store(step, Ordering::SeqCst);
}

/// A durable step has just been made, or is just about to be announced. If armed and due, the process dies here by
/// SIGKILL: no destructor, no flush, exactly as `kill -9` or a power cut of the process would do it.
pub fn reached(_name: &'static str) {
    if REMAINING.load(Ordering::SeqCst) == 0 {
        return;
    }
    if REMAINING.fetch_sub(1, Ordering::SeqCst) == 1 {
        // If the kill itself fails the test sees a process that ended normally, and fails.
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    }
}
