//! Generated reports and maps. The same arguments give the same bytes.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

/// Seams that the cases of a report declare, one each.
const SEAMS: usize = 500;
/// One case of this many fails.
const FAILING_EVERY: usize = 10;

/// Folder of the generated files: beside the build, on a disk.
pub(crate) fn folder() -> io::Result<PathBuf> {
    let folder = Path::new("target/bench").to_path_buf();
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// A report of `cases` cases: about 4.36 KB a case, three trials, one case of ten failing. Written once, then reused.
pub(crate) fn report(cases: usize) -> io::Result<PathBuf> {
    let path = folder()?.join(format!("report-{cases}.json"));
    if path.exists() {
        return Ok(path);
    }
    let half = path.with_extension("half");
    let mut out = BufWriter::with_capacity(1 << 20, File::create(&half)?);
    let failing = cases.div_ceil(FAILING_EVERY);
    write!(
        out,
        r#"{{"schema":"agentic_evals.report.v2","source":"evals/bench.json","run_id":"run-{cases}","fixture_sha256":"sha256:{:064x}","repo":{{"sha":"{:040x}","ref":"main"}},"mocked":false,"live":true,"readiness":"NOT_READY","case_readiness":"NOT_READY","capability_readiness":null,"claims_coverage":"manifest-spanning","focused_cases":[],"generated_at":"2026-01-02T03:04:05Z","case_count":{cases},"required_case_count":{cases},"outcome_counts":{{"PASS":{},"FAIL":{failing},"BLOCKED":0,"NOT_TESTED":0}},"trial_count":{},"cases":["#,
        1,
        2,
        cases - failing,
        cases * 3
    )?;
    let mut text = String::new();
    for at in 0..cases {
        text.clear();
        if at > 0 {
            text.push(',');
        }
        case(&mut text, at);
        out.write_all(text.as_bytes())?;
    }
    out.write_all(b"]}\n")?;
    out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
    std::fs::rename(half, &path)?;
    Ok(path)
}

fn case(out: &mut String, at: usize) {
    let fails = at.is_multiple_of(FAILING_EVERY);
    let seam = at / FAILING_EVERY % SEAMS;
    let (outcome, passed, rate) = if fails { ("FAIL", 0, "0.0") } else { ("PASS", 3, "1.0") };
    let problems =
        if fails { format!(r#"["exit_code 1 != 0","stdout missing 'settled {}'"]"#, at % 7) } else { "[]".to_owned() };
    let _ = write!(
        out,
        r#"{{"name":"orders/settle-{at:07}","type":"positive","case_id":"run-c{at}","required":true,"outcome":"{outcome}","observed_outcome":"{outcome}","problems":{problems},"argv":["python3","-m","shop.orders","settle","--order","{at}"],"passed_trials":{passed},"total_trials":3,"pass_rate":{rate},"avg_latency_ms":12.{},"flaky":false,"infra_blocked_trials":0,"declared_evidence_class":"deterministic","effective_evidence_class":"deterministic","live_qualified":false,"evidence_disqualifiers":[],"supports_claims":["claim-{seam}"],"seams":["seam-{seam}"],"execution_mode":"exploration","execution_provenance":null,"test_source_sha256":null,"oracle_sha256":null,"evidence_eligibility":{{"eligible":true,"eligible_for_existing_claim":true,"requires_requalification":false,"reason_codes":[],"integrity_errors":[]}},"trials":["#,
        at % 10
    );
    for trial in 0..3 {
        if trial > 0 {
            out.push(',');
        }
        let _ = write!(
            out,
            r#"{{"trial_id":"t{at}-{trial}","outcome":"{outcome}","problems":{problems},"exit_code":{},"stdout":""#,
            i32::from(fails)
        );
        for line in 0..9 {
            let _ = write!(
                out,
                "2026-01-02T03:04:{:02}.{:03}Z worker {} read order {} and wrote 3 rows of the journal in {} ms\\n",
                (at + line) % 60,
                (at * 7 + line) % 1000,
                line,
                at + line,
                (at + trial) % 90
            );
        }
        if fails {
            let _ = write!(out, r"module m{}k7 rejected, module m{seam}k500 rejected\n", seam % 7);
        } else {
            out.push_str(r"settled, the balance is zero and the journal is closed\n");
        }
        let _ = write!(
            out,
            r#"","stderr":"warning: the cache of order {at} is cold\n","duration_ms":{}.5,"timed_out":false,"orphan_pids_after_teardown":[],"artifact_hashes":{{}},"execution_provenance":null}}"#,
            (at + trial) % 90
        );
    }
    out.push_str("]}");
}

/// A map of `categories` categories (at most the number of seams) over the seams of [`report`], each with one pattern.
pub(crate) fn map(categories: usize) -> String {
    let mut text = head();
    for at in 0..categories {
        let seams: Vec<String> =
            (0..SEAMS).filter(|seam| seam % categories == at).map(|seam| format!("\"seam-{seam}\"")).collect();
        entry(&mut text, at, &seams.join(","), &[]);
        let _ = write!(text, r#","signatures":[{{"id":"rejected","pattern":"module m{at}k{categories} rejected"}}]}}"#);
    }
    text + "}}"
}

/// A map of `categories` categories, each depending on three earlier ones, and a report in which each fails once.
pub(crate) fn graph(categories: usize) -> (String, String) {
    let mut map = head();
    let mut cases = String::new();
    for at in 0..categories {
        let mut upstream: Vec<usize> = (1..=3).filter_map(|n| at.checked_sub(1 + n * n * 7 + at % (n * 11))).collect();
        upstream.dedup();
        entry(&mut map, at, &format!("\"seam-{at}\""), &upstream);
        map.push('}');
        let _ = write!(
            cases,
            r#"{}{{"name":"case-{at}","outcome":"FAIL","seams":["seam-{at}"],"problems":["exit_code 1 != 0","stdout missing 'settled {at}'"]}}"#,
            if at > 0 { "," } else { "" }
        );
    }
    map += "}}";
    (map, format!(r#"{{"schema":"agentic_evals.report.v2","case_count":{categories},"cases":[{cases}]}}"#))
}

fn head() -> String {
    r#"{"schema":"agentic_evals.category_map.v1","repo":"bench/shop","map_version":"1","categories":{"#.to_owned()
}

fn entry(text: &mut String, at: usize, seams: &str, upstream: &[usize]) {
    let edges: Vec<String> = upstream
        .iter()
        .map(|to| format!(r#"{{"category_id":"evals:shop:c{to:05}","rationale":"{at} reads what {to} writes"}}"#))
        .collect();
    let _ = write!(
        text,
        r#"{}"c{at:05}":{{"category_id":"evals:shop:c{at:05}","label":"eval-c{at:05}","defect":"component {at} rejects a settled order","expected":"it accepts","supports_claims":[],"seams":[{seams}],"depends_on":[{}]"#,
        if at > 0 { "," } else { "" },
        edges.join(",")
    );
}
