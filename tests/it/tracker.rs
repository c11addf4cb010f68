//! Trackers: one behaviour for all of them, and the embedded one among processes, kills and full disks.

#![cfg(test)]

mod behaviour;
mod commands;
mod processes;

use std::collections::BTreeSet;

use greenloop::model::{Digest, RepoSlug, TicketRef};
use greenloop::tracker::{
    Closure, EmbeddedTracker, GithubSettings, GithubTracker, Operation, Receipt, Token, Tracker, TrackerError,
};

fn receipt(iteration: u32, cases: &[&str]) -> Receipt {
    Receipt {
        report_digest: Digest::of(&iteration.to_be_bytes()),
        head: Some(format!("{iteration:040x}")),
        iteration,
        category_fingerprint: Digest::of(b"category"),
        provenance_fingerprint: Digest::of(b"provenance"),
        cases: cases.iter().map(|case| (*case).into()).collect(),
    }
}

fn closure() -> Closure {
    Closure {
        report_digest: Digest::of(b"green"),
        proven_head: "f".repeat(40),
        iteration: 3,
        provenance_fingerprint: Digest::of(b"provenance"),
        slice: vec!["case".into()],
        manner: "direct".into(),
        receipts: 1,
    }
}

fn creation(name: &str) -> Operation {
    Operation::Create {
        category_id: format!("evals:shop:{name}").parse().unwrap(),
        title: format!("Title of {name}"),
        body: "What is broken".into(),
        labels: BTreeSet::from(["eval-cat".to_owned()]),
        receipt: receipt(1, &["case"]),
    }
}

fn create(tracker: &mut dyn Tracker, name: &str) -> TicketRef {
    tracker.execute(&format!("create-{name}"), &creation(name)).unwrap().ticket
}

fn refusal(tracker: &mut dyn Tracker, key: &str, operation: &Operation) -> String {
    match tracker.execute(key, operation) {
        Err(TrackerError::Refused(why)) => why,
        other => panic!("expected a refusal, got {other:?}"),
    }
}

fn github(rig: &crate::github_rig::Rig, dir: &std::path::Path) -> GithubTracker {
    let repo = RepoSlug::parse(rig.repo()).unwrap();
    GithubTracker::open(GithubSettings {
        base_url: Some(rig.base_url().to_owned()),
        write_interval: std::time::Duration::ZERO,
        unknown_wait: std::time::Duration::from_millis(50),
        ..GithubSettings::new(repo, Token::new(rig.token()).unwrap(), dir.to_owned())
    })
    .unwrap()
}

fn embedded(dir: &std::path::Path) -> EmbeddedTracker {
    EmbeddedTracker::open_or_create(&dir.join("tracker.db")).unwrap()
}
