//! Faults: which request they strike, and what they do to it.

use std::time::Duration;

use super::message::{Request, matches};

/// What happens to a request that a fault strikes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Effect {
    /// The connection closes; nothing was done.
    DropBefore,
    /// It is done, and then the connection closes without an answer.
    DropAfter,
    /// It is done; the connection closes in the middle of the answer.
    CutBody,
    /// This status, and nothing was done.
    StatusBefore(u16),
    /// It is done, and then this status comes.
    StatusAfter(u16),
    /// Nothing is done and nothing comes, for as long as the client waits.
    HangBefore,
    /// It is done, and nothing comes, for as long as the client waits.
    HangAfter,
    /// It is done, but the answer comes late.
    Delay(Duration),
    /// GitHub's secondary limit; nothing was done.
    SecondaryLimit {
        /// 403 or 429.
        status: u16,
        /// Seconds, in the header `retry-after`.
        retry_after: Option<u64>,
    },
    /// The primary limit: 403 or 429 with `x-ratelimit-remaining: 0`; nothing was done.
    PrimaryLimit {
        /// 403 or 429.
        status: u16,
        /// Seconds from now, in the header `x-ratelimit-reset` (as a time).
        reset: u64,
    },
    /// A 403 that is not a limit: the message speaks of permission. Nothing was done.
    Forbidden,
    /// 410: the issue was deleted; nothing was done.
    Gone,
    /// 301, 302, 307 or 308 to `location`; nothing was done.
    Moved {
        /// The status.
        status: u16,
        /// A path on this server, or a whole address.
        location: String,
    },
    /// The issue that this request creates is absent from the next listings (a listing of many pages counts once).
    ListLag {
        /// How many listings do not have it.
        listings: u32,
    },
    /// It is done; the answer is a 200 or 201 whose JSON breaks off, of the announced length.
    BadJson,
    /// It is done; half of the listed items are missing, and so is the link to the next page: a listing that lies.
    ShortPage,
    /// It is done; the answer is a page of HTML, as gateways send.
    Html(u16),
}

/// A fault and the requests it strikes.
#[derive(Debug, Clone)]
pub(crate) struct Fault {
    method: Option<String>,
    pattern: Option<String>,
    nth: Option<usize>,
    skip: u32,
    times: u32,
    effect: Effect,
}

impl Fault {
    /// Strikes the `nth` request after the faults were set, counted from 1.
    pub(crate) fn nth(nth: usize, effect: Effect) -> Self {
        Self { method: None, pattern: None, nth: Some(nth), skip: 0, times: 1, effect }
    }

    /// Strikes the first request with this method (`*`: any) and a path that fits the pattern: `*` stands for one
    /// segment, `**` at the end for all that follow.
    pub(crate) fn on(method: &str, pattern: &str, effect: Effect) -> Self {
        let method = (method != "*").then(|| method.to_owned());
        Self { method, pattern: Some(pattern.to_owned()), nth: None, skip: 0, times: 1, effect }
    }

    /// Lets the first `skip` requests that fit pass.
    pub(crate) fn after(mut self, skip: u32) -> Self {
        self.skip = skip;
        self
    }

    /// Strikes so many requests that fit.
    pub(crate) fn times(mut self, times: u32) -> Self {
        self.times = times;
        self
    }

    /// Strikes every request that fits.
    pub(crate) fn always(self) -> Self {
        self.times(u32::MAX)
    }

    fn fits(&self, number: usize, request: &Request) -> bool {
        self.nth.is_none_or(|nth| nth == number)
            && self.method.as_ref().is_none_or(|method| *method == request.method)
            && self.pattern.as_ref().is_none_or(|pattern| matches(pattern, &request.path))
    }
}

/// The faults that are still to come.
#[derive(Debug, Default)]
pub(crate) struct Schedule {
    faults: Vec<Fault>,
    seen: usize,
}

impl Schedule {
    pub(crate) fn new(faults: Vec<Fault>) -> Self {
        Self { faults, seen: 0 }
    }

    /// The effect on this request: of the first fault that strikes it.
    pub(crate) fn next(&mut self, request: &Request) -> Option<Effect> {
        self.seen += 1;
        for fault in &mut self.faults {
            if fault.times == 0 || !fault.fits(self.seen, request) {
                continue;
            }
            if fault.skip > 0 {
                fault.skip -= 1;
                continue;
            }
            fault.times = if fault.times == u32::MAX { u32::MAX } else { fault.times - 1 };
            return Some(fault.effect.clone());
        }
        None
    }

    /// How many faults have not struck as often as they should.
    pub(crate) fn pending(&self) -> usize {
        self.faults.iter().filter(|fault| fault.times > 0 && fault.times != u32::MAX).count()
    }
}
