//! What to do after one request: a pure decision, so that every row of it can be tested.
//!
//! Sources: GitHub's "best practices for using the REST API" for the limits (honour `retry-after`, else wait for
//! `x-ratelimit-reset` when nothing remains, else at least a minute and longer each time), and the fact that a server
//! that dropped a connection may have done what was asked.

/// Requests sent again at most before giving up.
const ATTEMPTS: u32 = 5;
/// Seconds to wait for a limit that does not say how long it lasts (GitHub: "at least one minute").
const LIMIT_S: u64 = 60;
/// Longest wait for a limit that does not say how long it lasts.
const LIMIT_MAX_S: u64 = 3600;

/// What came of one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The server answered.
    Answer(Answer),
    /// No connection: the request was certainly not sent.
    NotSent(String),
    /// No answer, or none that can be read: it may have been done.
    Lost(String),
}

/// The parts of an answer that the decision needs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Answer {
    /// HTTP status.
    pub(super) status: u16,
    /// `retry-after`, seconds.
    pub(super) retry_after: Option<u64>,
    /// `x-ratelimit-remaining`.
    pub(super) remaining: Option<u64>,
    /// `x-ratelimit-reset`, seconds since 1970.
    pub(super) reset: Option<u64>,
    /// `message` of the JSON, with the messages of its `errors`.
    pub(super) message: String,
}

/// What a repetition of the request would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing: it only reads.
    Read,
    /// The same as once.
    Repeatable,
    /// Make a second one.
    Once,
}

/// What to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Next {
    /// It is done.
    Done,
    /// The server said no; nothing was done.
    Rejected,
    /// A limit: nothing was done; send it again at this time (seconds since 1970).
    Limited(u64),
    /// Send it again after so many milliseconds.
    Again(u64),
    /// It may have been done: wait until the server has surely given up, then send it again.
    AgainWhenSettled,
    /// It may have been done, and must not be sent again: wait, then look.
    Look,
    /// The repository is elsewhere now.
    Moved,
    /// Enough.
    GiveUp,
}

/// Decides after attempt number `attempt` (from 0) at `now` (seconds since 1970).
pub(super) fn decide(outcome: &Outcome, kind: Kind, attempt: u32, now: u64) -> Next {
    let last = attempt + 1 >= ATTEMPTS;
    let backoff = Next::Again(500 << attempt.min(6));
    match (outcome, kind) {
        (Outcome::Answer(answer), _) if answer.status < 300 => Next::Done,
        (Outcome::Answer(answer), _) if matches!(answer.status, 301 | 302 | 307 | 308) => Next::Moved,
        (Outcome::Answer(answer), _) if is_limit(answer) => {
            if last {
                return Next::GiveUp;
            }
            Next::Limited(resume_at(answer, attempt, now))
        }
        (Outcome::Answer(answer), _) if answer.status < 500 => Next::Rejected,
        (Outcome::NotSent(_), _) | (_, Kind::Read) => {
            if last {
                Next::GiveUp
            } else {
                backoff
            }
        }
        (_, Kind::Repeatable) => {
            if last {
                Next::GiveUp
            } else {
                Next::AgainWhenSettled
            }
        }
        (_, Kind::Once) => Next::Look,
    }
}

/// A 403 is a limit only if it says so; otherwise permission is missing, or the repository is archived.
fn is_limit(answer: &Answer) -> bool {
    let message = answer.message.to_ascii_lowercase();
    let says_so = message.contains("rate limit") || message.contains("abuse detection");
    match answer.status {
        429 => true,
        403 => says_so || answer.retry_after.is_some() || answer.remaining == Some(0),
        _ => false,
    }
}

/// When a limit ends.
pub(super) fn resume_at(answer: &Answer, attempt: u32, now: u64) -> u64 {
    match (answer.retry_after, answer.remaining, answer.reset) {
        (Some(seconds), _, _) => now.saturating_add(seconds),
        // One second more: the clocks need not agree.
        (None, Some(0), Some(reset)) => reset.max(now).saturating_add(1),
        _ => now + (LIMIT_S << attempt.min(6)).min(LIMIT_MAX_S),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16) -> Answer {
        Answer { status, ..Answer::default() }
    }

    #[test]
    fn success_redirection_and_rejection_do_not_depend_on_the_kind() {
        for kind in [Kind::Read, Kind::Repeatable, Kind::Once] {
            for attempt in [0, 4, 9] {
                let next = |status| decide(&Outcome::Answer(answer(status)), kind, attempt, 100);
                assert!([200, 201, 204].map(next).iter().all(|next| *next == Next::Done));
                assert!([301, 302, 307, 308].map(next).iter().all(|next| *next == Next::Moved));
                assert!([400, 401, 403, 404, 410, 422].map(next).iter().all(|next| *next == Next::Rejected));
            }
        }
    }

    #[test]
    fn what_may_have_been_done_is_never_made_twice() {
        let lost = [Outcome::Lost("reset".into()), Outcome::Answer(answer(502)), Outcome::Answer(answer(500))];
        for outcome in &lost {
            for attempt in 0..9 {
                assert_eq!(decide(outcome, Kind::Once, attempt, 0), Next::Look);
                assert_ne!(decide(outcome, Kind::Read, attempt, 0), Next::Look);
            }
            assert_eq!(decide(outcome, Kind::Repeatable, 0, 0), Next::AgainWhenSettled);
            assert_eq!(decide(outcome, Kind::Repeatable, 4, 0), Next::GiveUp);
            assert_eq!(decide(outcome, Kind::Read, 1, 0), Next::Again(1000));
            assert_eq!(decide(outcome, Kind::Read, 4, 0), Next::GiveUp);
        }
    }

    #[test]
    fn what_was_not_sent_is_sent_again() {
        let outcome = Outcome::NotSent("refused".into());
        for kind in [Kind::Read, Kind::Repeatable, Kind::Once] {
            assert_eq!(decide(&outcome, kind, 0, 0), Next::Again(500));
            assert_eq!(decide(&outcome, kind, 4, 0), Next::GiveUp);
        }
    }

    #[test]
    fn limits_say_when_or_last_a_minute_and_longer() {
        let limited = |answer: Answer, attempt| decide(&Outcome::Answer(answer), Kind::Once, attempt, 1000);
        assert_eq!(limited(Answer { retry_after: Some(7), ..answer(403) }, 0), Next::Limited(1007));
        let primary = Answer { remaining: Some(0), reset: Some(1500), ..answer(403) };
        assert_eq!(limited(primary, 0), Next::Limited(1501));
        let past = Answer { remaining: Some(0), reset: Some(10), ..answer(429) };
        assert_eq!(limited(past, 0), Next::Limited(1001));
        let secondary = Answer { message: "You have exceeded a secondary rate limit.".into(), ..answer(403) };
        assert_eq!(limited(secondary.clone(), 0), Next::Limited(1060));
        assert_eq!(limited(secondary.clone(), 2), Next::Limited(1240));
        assert_eq!(limited(secondary, 4), Next::GiveUp);
        let permission = Answer { message: "Resource not accessible".into(), remaining: Some(4), ..answer(403) };
        assert_eq!(limited(permission, 0), Next::Rejected);
        assert_eq!(limited(Answer { retry_after: Some(u64::MAX), ..answer(429) }, 0), Next::Limited(u64::MAX));
    }
}
