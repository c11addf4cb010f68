//! Goal: normalizing failing text in one hand-written pass is at least four times as fast as with one alternation
//! regex that writes the same bytes.
//!
//! The corpus is generated: texts of 40 lines (about 2.5 KB) in the words of test runners, compilers, servers and
//! stack traces. 31 kinds of lines are drawn at random. 16 have something volatile in them (times, durations, ids,
//! addresses, paths, ports, lines of sources, secrets), 15 have only what looks like it (counts, status codes, paths of
//! names, quotes). Once two lines of five are volatile, and once one of ten.
//!
//! It stays within what an alternation can express (no checks of what stands before a match), and the run compares
//! both results byte by byte before it measures. The other side is one regex with ASCII classes and one group for each
//! rule, found by the lazy automaton of the `regex` crate, and writes slices in one go.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

use greenloop::categorize::signature::normalize;
use regex::Regex;

/// Bytes of the corpus: little enough that some of the runs are not interrupted on a busy machine.
const CORPUS_BYTES: usize = 1 << 20;
/// Lines of one text.
const LINES: u64 = 40;
/// Runs of each side, taken in turn; the best counts.
const RUNS: usize = 101;

/// Builds the corpora, checks that both sides agree, and prints their speed and ratio.
#[expect(clippy::print_stdout, reason = "a benchmark prints its result")]
pub(crate) fn run() {
    let alternation = Alternation::new();
    for percent in [40, 10] {
        let corpus = corpus(percent);
        let bytes: usize = corpus.iter().map(String::len).sum();
        for text in &corpus {
            let (by_hand, by_regex) = (normalize(text), alternation.normalize(text));
            assert_eq!(by_hand, by_regex, "the two sides disagree on:\n{text}");
        }
        println!("normalize: {bytes} bytes, {percent} % of the lines volatile, both sides byte-equal");
        let (mut by_hand, mut by_regex) = (Vec::new(), Vec::new());
        for _ in 0..RUNS {
            by_hand.push(time(&corpus, normalize));
            by_regex.push(time(&corpus, |text| alternation.normalize(text)));
        }
        let (by_hand, by_regex) = (best(&by_hand), best(&by_regex));
        println!("  one pass     {:8.1} MB/s", speed(bytes, by_hand));
        println!("  alternation  {:8.1} MB/s", speed(bytes, by_regex));
        println!("  ratio        {:8.2}   (goal: at least 4)", by_regex.as_secs_f64() / by_hand.as_secs_f64());
    }
}

fn time(corpus: &[String], normalize: impl Fn(&str) -> String) -> Duration {
    let start = Instant::now();
    for text in corpus {
        black_box(normalize(black_box(text)));
    }
    start.elapsed()
}

fn best(times: &[Duration]) -> Duration {
    times.iter().min().copied().unwrap_or_default()
}

fn speed(bytes: usize, time: Duration) -> f64 {
    u32::try_from(bytes).map_or(f64::INFINITY, f64::from) / 1e6 / time.as_secs_f64()
}

/// Placeholder name, whether it is numbered, and a pattern with one group around what is replaced.
const RULES: [(&str, bool, &str); 17] = [
    ("secret", true, r"\b(?:[A-Z_]*TOKEN|[A-Z_]*PASSWORD)=([!-%'-+\--:<-~]+)"),
    ("email", true, r"\b([\w.+%-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,})\b"),
    ("host", true, r"\bhttps?://([A-Za-z0-9.-]*[A-Za-z0-9](?::\d{1,5})?)\b"),
    ("ip", true, r"\b(\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?::\d{1,5})?)\b"),
    ("uuid", true, r"\b([0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12})\b"),
    ("hash", true, r"\b([0-9A-Fa-f]{64}|[0-9A-Fa-f]{40}|[0-9A-Fa-f]{32})\b"),
    ("time", false, r"\b(\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:\d\d)?)\b"),
    ("time", false, r"\b((?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z][a-z] \d{4} \d\d:\d\d:\d\d [+-]\d{4})\b"),
    ("time", false, r"\b(\d\d?:\d\d:\d\d(?:[.,]\d+)?)\b"),
    ("duration", false, r"\b((?:\d+(?:\.\d+)?(?:ms|us|ns|h|m|s))+|\d+(?:\.\d+)? (?:ms|s|seconds|minutes))\b"),
    ("git", true, r"\b([a-f]+[0-9][0-9a-f]{4,8}|[0-9]+[a-f][0-9a-f]{4,8})\b"),
    ("addr", true, r"\b(0x[0-9A-Fa-f]{3,})\b"),
    ("tmp", true, r"(/tmp/tmp[0-9a-z]{8})\b"),
    ("pid", true, r"\b(?i:pid)(?:[ =]|: )(\d+)\b"),
    ("port", true, r"\bport (\d+)\b"),
    ("line", false, r"\b\w+\.(?:rs|py|go|java|ts|js):(\d+(?::\d+)?)\b"),
    ("line", false, r#"", line (\d+)\b"#),
];

/// The other side: one regex over all rules, the first alternative that matches wins.
struct Alternation(Regex);

impl Alternation {
    #[expect(clippy::expect_used, reason = "the patterns are constants, and every run compiles them")]
    fn new() -> Self {
        let all: Vec<&str> = RULES.iter().map(|(.., pattern)| *pattern).collect();
        // ASCII classes: without the Unicode ones the automaton is smaller and faster.
        Self(Regex::new(&format!("(?-u:{})", all.join("|"))).expect("the patterns are constants"))
    }

    fn normalize(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut numbers: HashMap<(&str, &str), usize> = HashMap::new();
        let mut last: HashMap<&str, usize> = HashMap::new();
        let mut copied = 0;
        for found in self.0.captures_iter(text) {
            let Some((rule, group)) = (1..=RULES.len()).find_map(|rule| found.get(rule).map(|group| (rule, group)))
            else {
                continue;
            };
            let (name, numbered, _) = RULES[rule - 1];
            out.push_str(&text[copied..group.start()]);
            copied = group.end();
            if numbered {
                let number = numbers.entry((name, group.as_str())).or_insert_with(|| {
                    let last = last.entry(name).or_default();
                    *last += 1;
                    *last
                });
                let _ = write!(out, "<{name}{number}>");
            } else {
                let _ = write!(out, "<{name}>");
            }
        }
        out.push_str(&text[copied..]);
        out
    }
}

/// A small generator of random numbers (xorshift64), so that every run has the same corpus.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

fn corpus(percent: u64) -> Vec<String> {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut texts = Vec::new();
    let mut bytes = 0;
    while bytes < CORPUS_BYTES {
        let mut text = String::new();
        for _ in 0..LINES {
            line(&mut random, percent, &mut text);
            text.push('\n');
        }
        bytes += text.len();
        texts.push(text);
    }
    texts
}

fn line(random: &mut Random, percent: u64, out: &mut String) {
    let n = random.next();
    let m = random.next();
    let kind = random.next();
    let kind = if kind % 100 < percent { (kind >> 8) % 16 } else { 16 + (kind >> 8) % 15 };
    let _ = match kind {
        0 => write!(
            out,
            "2026-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z ERROR request failed with 404",
            m % 12 + 1,
            m % 28 + 1,
            n % 24,
            m % 60,
            n % 60,
            m % 1000
        ),
        1 => write!(out, "worker (pid {}) exited with code 137 after {}ms", m % 90_000 + 1, n % 5000),
        2 => write!(out, "FAILED tests/test_orders.py::test_refund - AssertionError: assert 'PENDING' == 'SETTLED'"),
        3 => write!(out, "  File \"/srv/app/orders/service.py\", line {}, in settle", m % 900 + 1),
        4 => write!(out, "thread 'ledger::appends' panicked at src/ledger/append.rs:{}:{}:", m % 900 + 1, n % 90 + 1),
        5 => write!(out, "could not open /tmp/tmp{:08x}/out/report.json: no such file or directory", m >> 32),
        6 => write!(
            out,
            "GET http://127.0.0.1:{}/api/orders/{:08x}-{:04x}-4abc-8def-{:012x} returned 500",
            m % 60_000 + 1,
            m >> 32,
            n >> 48,
            m >> 16
        ),
        7 => write!(out, "dial tcp 10.0.{}.{}:{}: connect: connection refused", m % 256, n % 256, m % 60_000 + 1),
        8 => write!(out, "HEAD is now at a1{:05x} settle refunds before closing the batch", m & 0xf_ffff),
        9 => write!(out, "<orders.models.Refund object at 0x7f{:010x}> is not serializable", m & 0xff_ffff_ffff),
        10 => write!(
            out,
            "[{:02}:{:02}:{:02}] retry {} of 5, waiting {}.{} s",
            m % 24,
            n % 60,
            m % 60,
            n % 5,
            m % 30,
            n % 10
        ),
        11 => write!(out, "test result: FAILED. 41 passed; 2 failed; finished in {}.{:02}s", m % 90, n % 100),
        12 => write!(out, "\tat com.acme.orders.RefundService.settle(RefundService.java:{})", m % 900 + 1),
        13 => write!(out, "notify ops+refunds@example.com: queue depth {} over the limit", m % 900),
        14 => write!(out, "export ORDERS_TOKEN=t{m:016x} was ignored"),
        15 => write!(
            out,
            "image digest {:064x} does not match the manifest",
            u128::from(m) << 60 | u128::from(n) | 0xabc << 120
        ),
        16 => out.write_str("E       assert response.status == 200, the handler answered with an empty body"),
        17 => out.write_str("running 43 tests in 3 groups, stopping at the first group that fails"),
        18 => out.write_str("expected the settled amount to equal the ordered amount, but a fee was deducted twice"),
        19 => out.write_str("---- ledger::tests::a_torn_last_line_is_recovered stdout ----"),
        20 => out.write_str("note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace"),
        21 => out.write_str("    left: [\"create\", \"update\", \"unlink\"]"),
        22 => out.write_str("   right: [\"create\", \"unlink\"]"),
        23 => out.write_str("warning: unused variable: `receipt`, help: prefix it with an underscore"),
        24 => out.write_str("the read-only file system refused the write, so the journal could not be synced"),
        25 => out.write_str("org.opentest4j.AssertionFailedError: expected: <SETTLED> but was: <PENDING>"),
        26 => out.write_str("        def test_refund_is_idempotent(client, order):"),
        27 => out.write_str("    >       assert client.refund(order).state == \"SETTLED\""),
        28 => out.write_str("core::ops::function::FnOnce::call_once"),
        29 => out.write_str("std::panicking::begin_panic_handler"),
        _ => out.write_str(
            "the quick check found no reason to doubt that the refund was booked, yet the balance is off by 2 units",
        ),
    };
}
