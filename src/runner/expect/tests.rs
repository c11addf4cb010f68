//! A table of expectations, each with what holds, what does not, and the edges; and the kinds of problems.

use serde_json::{Value, json};

use super::check;
use crate::categorize::signature::normalize_problem;
use crate::runner::observation::{Artifact, Ended, Stream, TrialObservation};
use crate::runner::testing::{alone, trial, wrote};

fn problems(expected: Value, trial: &TrialObservation) -> Vec<String> {
    let mut whole = json!({"exit_code": 0});
    for (key, value) in expected.as_object().unwrap() {
        whole[key] = value.clone();
    }
    check(&alone(json!({"expected": whole})).expected, "./shop", trial)
}

fn with(artifact: Value, files: &[(&str, Artifact)]) -> Vec<String> {
    let mut seen = trial(0, "", "");
    seen.artifacts = files.iter().map(|(path, file)| ((*path).to_owned(), file.clone())).collect();
    problems(json!({"artifacts": [artifact]}), &seen)
}

#[test]
fn streams_and_codes() {
    let said = trial(0, "total 3\nit's done\n", "warn: x");
    for holds in [
        json!({}),
        json!({"stdout_contains": ["total 3", "3\nit's"], "stderr_contains": ["warn"]}),
        json!({"stdout_excludes": ["warn"], "stderr_excludes": ["total"]}),
    ] {
        assert_eq!(problems(holds.clone(), &said), Vec::<String>::new(), "{holds}");
    }
    let all = [
        problems(json!({"exit_code": 2}), &said),
        problems(json!({}), &TrialObservation { ended: Ended::Signaled(9), ..said.clone() }),
        problems(json!({"stdout_contains": ["Total", "x\ny"], "stderr_contains": ["it's"]}), &said),
        problems(json!({"stdout_excludes": ["it's"], "stderr_excludes": ["warn", "nothing"]}), &said),
        problems(json!({"stdout_contains": ["a", "a"]}), &said),
    ];
    insta::assert_snapshot!(all.map(|list| list.join("\n")).join("\n---\n"));
    let killed = TrialObservation { ended: Ended::Signaled(9), ..said };
    assert_eq!(problems(json!({"exit_code": -9}), &killed), Vec::<String>::new(), "a signal may be expected");
}

#[test]
fn what_was_cut_is_not_believed() {
    let cut = |text: &str| TrialObservation { stdout: Stream { text: text.to_owned(), cut: true }, ..trial(0, "", "") };
    assert_eq!(problems(json!({"stdout_contains": ["a"]}), &cut("a")), Vec::<String>::new(), "it is there");
    assert_eq!(problems(json!({"stdout_contains": ["b"]}), &cut("a")).len(), 2);
    let unsure = problems(json!({"stdout_excludes": ["b"]}), &cut("a"));
    assert!(unsure[0].starts_with("evidence integrity: stdout was too long"), "{unsure:?}");
    assert_eq!(problems(json!({"stdout_excludes": ["a"]}), &cut("a")), ["stdout unexpectedly contains 'a'"]);
    assert_eq!(
        problems(json!({"stderr_excludes": ["b"]}), &cut("a")),
        Vec::<String>::new(),
        "the other stream is whole"
    );
}

#[test]
fn a_trial_that_did_not_end_has_that_one_problem() {
    let expected = json!({"exit_code": 3, "stdout_contains": ["x"], "artifacts": [{"path": "a"}]});
    let ended = |ended: Ended| {
        problems(expected.clone(), &TrialObservation { ended, survivors: vec![7, 8], ..trial(0, "", "") })
    };
    let all = [
        ended(Ended::TimedOut(std::time::Duration::from_secs(30))),
        ended(Ended::TimedOut(std::time::Duration::from_millis(100))),
        ended(Ended::NotStarted("there is no such program".to_owned())),
        ended(Ended::Lost("the supervisor died".to_owned())),
    ];
    insta::assert_snapshot!(all.map(|list| list.join("\n")).join("\n---\n"));
}

#[test]
fn values_in_files() {
    let file = r#"{"n": 1, "f": 1.0, "t": true, "s": "1", "z": null, "l": [1, {"a/b": "x"}], "e": "", "~": 5}"#;
    let files = [("o.json", wrote(file))];
    let artifact = |pointer: &str, equals: Value| json!({"path": "o.json", "json_pointer": pointer, "equals": equals});
    for (pointer, equals) in [
        ("/n", json!(1)),
        ("/n", json!(1.0)),
        ("/f", json!(1)),
        ("/t", json!(true)),
        ("/s", json!("1")),
        ("/z", Value::Null),
        ("/l/0", json!(1)),
        ("/l/1/a~1b", json!("x")),
        ("/~0", json!(5)),
        ("/l", json!([1, {"a/b": "x"}])),
        ("", serde_json::from_str(file).unwrap()),
    ] {
        assert_eq!(with(artifact(pointer, equals.clone()), &files), Vec::<String>::new(), "{pointer} {equals}");
    }
    let mut all = Vec::new();
    for (pointer, equals) in [
        ("/n", json!(true)),
        ("/n", json!("1")),
        ("/t", json!(1)),
        ("/s", json!(1)),
        ("/z", json!(false)),
        ("/e", Value::Null),
        ("/x", Value::Null),
        ("/l/2", json!(1)),
        ("/l/-", json!(1)),
        ("/n/x", json!(1)),
        ("/l/1/a/b", json!("x")),
        ("", json!({})),
    ] {
        all.extend(with(artifact(pointer, equals), &files));
    }
    all.extend(with(json!({"path": "o.json", "json_pointer": "/gone"}), &files));
    all.extend(with(artifact("/a", json!(1)), &[("o.json", wrote("not json"))]));
    all.extend(with(artifact("/a", json!("x".repeat(500))), &[("o.json", wrote("{\"a\": \"\u{202e}\"}"))]));
    insta::assert_snapshot!(all.join("\n"));
    assert_eq!(
        with(json!({"path": "o.json", "json_pointer": "/z"}), &files),
        Vec::<String>::new(),
        "it points at a null"
    );
}

#[test]
fn files_themselves() {
    let (sum, other) = ("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "0".repeat(64));
    let abc = || [("a", wrote("abc")), ("b", wrote("abd")), ("c", wrote("abc"))];
    for holds in [
        json!({"path": "a"}),
        json!({"path": "a", "min_bytes": 3}),
        json!({"path": "a", "sha256": sum}),
        json!({"path": "a", "sha256": format!("sha256:{}", sum.to_uppercase())}),
        json!({"path": "a", "absent": false}),
        json!({"path": "a", "equals_artifact": {"path": "c"}}),
    ] {
        assert_eq!(with(holds.clone(), &abc()), Vec::<String>::new(), "{holds}");
    }
    assert_eq!(with(json!({"path": "a", "absent": true}), &[("a", Artifact::Missing)]), Vec::<String>::new());
    let odd = |file: Artifact| [("a", file), ("b", wrote("abc"))];
    let states = [Artifact::Missing, Artifact::Stale, Artifact::Refused("is a folder".to_owned())];
    let mut all = Vec::new();
    for wanted in [
        json!({"path": "a", "min_bytes": 4, "sha256": other}),
        json!({"path": "a", "absent": true}),
        json!({"path": "a", "equals_artifact": {"path": "b"}}),
        json!({"path": "d"}),
        json!({"path": "d", "absent": true}),
    ] {
        all.extend(with(wanted, &abc()));
    }
    for state in states {
        all.extend(with(json!({"path": "a", "min_bytes": 1}), &odd(state.clone())));
        all.extend(with(json!({"path": "b", "equals_artifact": {"path": "a"}}), &odd(state.clone())));
        if state != Artifact::Missing {
            all.extend(with(json!({"path": "a", "absent": true}), &odd(state)));
        }
    }
    let large = Artifact::Written { size: 1 << 30, sha256: other, content: None };
    all.extend(with(json!({"path": "a", "json_pointer": "/x", "equals": 1}), &odd(large)));
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn two_files_agree_by_value() {
    let files = [("a", wrote(r#"{"id": 7, "x": {"id": 7.0}}"#)), ("b", wrote("7")), ("c", wrote(r#"{"id": "7"}"#))];
    let cross = |ours: &str, path: &str, theirs: Option<&str>| {
        let mut other = json!({"path": path});
        if let Some(theirs) = theirs {
            other["json_pointer"] = theirs.into();
        }
        with(json!({"path": "a", "json_pointer": ours, "equals_artifact": other}), &files)
    };
    assert_eq!(cross("/id", "a", Some("/x/id")), Vec::<String>::new());
    assert_eq!(cross("/id", "b", None), Vec::<String>::new(), "a pointer on one side: the other is the whole value");
    let all = [cross("/id", "c", Some("/id")), cross("/id", "c", Some("/no")), cross("/no", "c", Some("/no"))];
    insta::assert_snapshot!(all.map(|list| list.join("\n")).join("\n"));
}

#[test]
fn numbers_are_compared_to_the_last_digit() {
    let fixture = |digits: &str| {
        let text = format!(
            r#"{{"version": 2, "cases": [{{"name": "a", "type": "positive", "command": ["./shop"], "expected": {{"exit_code": 0,
            "artifacts": [{{"path": "o", "json_pointer": "/w", "equals": {digits}}}]}}}}]}}"#
        );
        crate::runner::manifest::parse("m.json", text.as_bytes()).manifest.unwrap().cases.remove(0).expected
    };
    let judged = |wanted: &str, written: &str| {
        let mut seen = trial(0, "", "");
        seen.artifacts.insert("o".to_owned(), wrote(&format!("{{\"w\": {written}}}")));
        check(&fixture(wanted), "./shop", &seen)
    };
    assert_eq!(judged("100000000000000000001", "100000000000000000001"), Vec::<String>::new());
    assert_eq!(
        judged("100000000000000000000", "100000000000000000001"),
        ["o/w: 100000000000000000001 != 100000000000000000000"]
    );
    assert_eq!(judged("18446744073709551616", "18446744073709551617").len(), 1);
    let files = [("a", wrote(r#"{"w": 100000000000000000001}"#)), ("b", wrote(r#"{"w": 100000000000000000000}"#))];
    let cross = json!({"path": "a", "json_pointer": "/w", "equals_artifact": {"path": "b", "json_pointer": "/w"}});
    assert_eq!(with(cross, &files).len(), 1);
}

#[test]
fn a_key_that_stands_twice_is_a_problem() {
    let files = [("o", wrote(r#"{"ok": false, "ok": true, "x": {"y": 1, "y": 1}, "z": 1}"#))];
    let value = |pointer: &str, equals: Value| {
        with(json!({"path": "o", "json_pointer": pointer, "equals": equals}), &files).join("\n")
    };
    assert_eq!(value("/ok", json!(true)), "o/ok: (not JSON: duplicate key `ok`) != true");
    assert_eq!(value("/x", json!({"y": 1})), "o/x: (not JSON: duplicate key `y`) != {\"y\":1}");
    assert_eq!(value("/z", json!(1)), "", "neither on the way nor in the value");
}

/// The signature of a failure is what stays of a problem when chance is taken out of it.
#[test]
fn the_normalizer_knows_every_kind() {
    let same = |a: &str, b: &str| assert_eq!(normalize_problem(a), normalize_problem(b), "{a} / {b}");
    let other = |a: &str, b: &str| assert_ne!(normalize_problem(a), normalize_problem(b), "{a} / {b}");
    let timed = |seconds: f64| {
        let ended = Ended::TimedOut(std::time::Duration::from_secs_f64(seconds));
        problems(json!({}), &TrialObservation { ended, ..trial(0, "", "") }).remove(0)
    };
    same(&timed(30.0), &timed(0.5));
    let left = |pids: &[u32]| {
        problems(json!({}), &TrialObservation { survivors: pids.to_vec(), ..trial(0, "", "") }).remove(0)
    };
    same(&left(&[1]), &left(&[22, 333]));
    let code = |code: i32| problems(json!({}), &trial(code, "", "")).remove(0);
    other(&code(1), &code(2));
    let needle = |text: &str| problems(json!({"stdout_contains": [text]}), &trial(0, "", "")).remove(0);
    other(&needle("took 5ms"), &needle("took 6ms"));
    let value = |id: &str| {
        let file = wrote(&json!({"id": id}).to_string());
        with(json!({"path": "o/a.json", "json_pointer": "/id", "equals": "x"}), &[("o/a.json", file)]).remove(0)
    };
    same(&value("9b2fd1a4-9b9c-4f5e-8f9f-0d5c3b1f2a3b"), &value("11111111-2222-4333-8444-555555555555"));
    other(&value("a"), &value("b"));
}

mod laws {
    use proptest::prelude::*;

    use super::*;

    fn any_trial() -> impl Strategy<Value = TrialObservation> {
        let stream = || ("[ab]{0,4}", any::<bool>()).prop_map(|(text, cut)| Stream { text, cut });
        let ended = prop_oneof![
            (-2..3i32).prop_map(Ended::Exited),
            (1..3i32).prop_map(Ended::Signaled),
            Just(Ended::TimedOut(std::time::Duration::from_secs(1))),
            Just(Ended::NotStarted("x".to_owned())),
        ];
        let file = prop_oneof![
            Just(Artifact::Missing),
            Just(Artifact::Stale),
            Just(Artifact::Refused("x".to_owned())),
            "[0-9a]{0,2}".prop_map(|text| wrote(&text)),
        ];
        let survivors = prop::collection::vec(1..9u32, 0..2);
        (ended, stream(), stream(), survivors, prop::option::of(file)).prop_map(
            |(ended, stdout, stderr, survivors, file)| {
                let artifacts = file.into_iter().map(|file| ("f".to_owned(), file)).collect();
                TrialObservation { ended, stdout, stderr, survivors, artifacts }
            },
        )
    }

    proptest! {
        #[test]
        fn more_expectations_never_make_fewer_problems(trial in any_trial(), needle in "[ab]{1,2}", which in 0..6usize) {
            let more = [
                json!({"stdout_contains": [needle]}),
                json!({"stdout_excludes": [needle]}),
                json!({"stderr_contains": [needle]}),
                json!({"artifacts": [{"path": "f"}]}),
                json!({"artifacts": [{"path": "f", "absent": true}]}),
                json!({"artifacts": [{"path": "f", "json_pointer": "", "equals": 1}]}),
            ];
            let (fewer, more) = (problems(json!({}), &trial), problems(more[which].clone(), &trial));
            prop_assert!(more.len() >= fewer.len());
            prop_assert!(fewer.iter().all(|problem| more.contains(problem)));
        }

        #[test]
        fn a_file_passes_only_if_this_trial_wrote_it(trial in any_trial()) {
            let trial = TrialObservation { ended: Ended::Exited(0), survivors: Vec::new(), ..trial };
            let held = problems(json!({"artifacts": [{"path": "f"}]}), &trial).is_empty();
            let wrote = matches!(trial.artifacts.get("f"), Some(Artifact::Written { .. }));
            prop_assert_eq!(held, wrote);
        }

        #[test]
        fn nothing_passes_that_did_not_end_by_itself_or_left_a_process(trial in any_trial()) {
            let ended = matches!(trial.ended, Ended::Exited(_) | Ended::Signaled(_));
            if !ended || !trial.survivors.is_empty() {
                let found = problems(json!({}), &trial);
                prop_assert!(!found.is_empty());
            }
        }
    }
}
