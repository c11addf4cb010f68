//! One test per rule of the table in `mod.rs`, and the law that no failure is lost.

use proptest::prelude::*;

use super::*;
use crate::model::{Outcome, Readiness};
use crate::report::OwnedCase;

fn import_files(files: &[&str]) -> Result<Imported, ImportError> {
    let inputs: Vec<Input> = files
        .iter()
        .enumerate()
        .map(|(n, text)| Input { name: format!("f{n}.xml"), bytes: text.as_bytes().to_vec() })
        .collect();
    import_junit(&inputs, None, None)
}

fn import(text: &str) -> Imported {
    import_files(&[text]).unwrap_or_else(|error| panic!("{} {error}", error.place.compact()))
}

fn refusal(text: &str) -> String {
    let error = import_files(&[text]).unwrap_err();
    format!("{} {error}", error.place.compact())
}

/// `name outcome/trials` per case, with `~` for flaky and `?` for not required.
fn lines(imported: &Imported) -> Vec<String> {
    let trials =
        |case: &OwnedCase| case.trials.iter().map(|trial| &trial.outcome.as_str()[..1]).collect::<Vec<_>>().concat();
    let line = |case: &OwnedCase| {
        let marks = format!("{}{}", if case.flaky { "~" } else { "" }, if case.required { "" } else { "?" });
        format!("{} {}{marks}/{}", case.name, case.outcome.as_str(), trials(case))
    };
    imported.report.cases.iter().map(line).collect()
}

fn codes(imported: &Imported) -> Vec<&'static str> {
    imported.warnings.iter().map(|warning| warning.code).collect()
}

#[test]
fn outcomes_of_plain_cases() {
    let imported = import(
        "<testsuites name='run of today'><testsuite name='s'>
           <testcase classname='c' name='ok' time='0.5'/>
           <testcase classname='c' name='bad'><failure type='E' message='1'/><error message='2'/><failure type='E' message='1'/></testcase>
           <testcase classname='s' name='off'><skipped message='later'>really</skipped></testcase>
           <testcase name='notrun' status='notrun'/>
           <testcase name='said' status='failed'/>
           <testcase name='both'><skipped/><error message='x'/></testcase>
         </testsuite></testsuites>",
    );
    assert_eq!(
        lines(&imported),
        [
            "s > c > ok PASS/P",
            "s > c > bad FAIL/F",
            "s > off NOT_TESTED?/N",
            "s > notrun NOT_TESTED?/N",
            "s > said FAIL/F",
            "s > both FAIL/F",
        ]
    );
    let report = &imported.report;
    let problems: Vec<_> = report.cases.iter().map(|case| case.problems.clone()).collect();
    assert_eq!(problems[1], ["E: 1", "2"]);
    assert_eq!(problems[2], ["skipped: later\nreally"]);
    assert_eq!(problems[3], ["not run: status `notrun`"]);
    assert_eq!(problems[4], ["status is `failed`, and nothing says why"]);
    assert_eq!(problems[5], ["x", "also marked as skipped"]);
    assert_eq!((report.case_count, report.required_case_count, report.trial_count), (6, 4, 6));
    assert_eq!((report.outcome_counts.pass, report.outcome_counts.fail, report.outcome_counts.not_tested), (1, 3, 2));
    assert_eq!((report.readiness, report.cases[0].avg_latency_ms), (Readiness::NotReady, 500.0));
}

#[test]
fn retries_become_trials() {
    let imported = import(
        "<testsuite name='s' failures='2'>
           <testcase name='rescued' time='2'><flakyFailure message='once'/><flakyError message='twice'/></testcase>
           <testcase name='lost'><failure message='a'/><rerunFailure message='b'/><rerunError message='a'/></testcase>
           <testcase name='reruns only'><rerunFailure message='b'/><system-out>o</system-out></testcase>
           <testcase name='configured'><flakyFailure message='x'/><failure message='flaky is not allowed'/></testcase>
           <testcase name='again'><failure message='z'/></testcase><testcase name='again'/>
           <testcase name='twice'/><testcase name='twice'/>
           <testcase name='part'/><testcase name='part'><skipped/></testcase>
           <testcase name='never'><flakyFailure message='x'/><skipped/></testcase>
         </testsuite>",
    );
    assert_eq!(
        lines(&imported),
        [
            "s > rescued PASS~/FFP",
            "s > lost FAIL/FFF",
            "s > reruns only FAIL/F",
            "s > configured FAIL~/FF",
            "s > again FAIL~/FP",
            "s > twice PASS/PP",
            "s > part PASS/PN",
            "s > never FAIL~/F",
        ]
    );
    let cases = &imported.report.cases;
    assert_eq!((cases[0].problems.len(), cases[0].trials[0].problems[0].as_str()), (0, "once"));
    assert!((cases[0].pass_rate - 1.0 / 3.0).abs() < 1e-9);
    assert_eq!(cases[1].problems, ["a", "b"]);
    assert_eq!(cases[2].trials[0].stdout, "o");
    assert_eq!(cases[4].problems, ["z"]);
}

#[test]
fn a_flaky_report_is_not_ready_and_one_where_nothing_ran_says_nothing() {
    let readiness = |text: &str| import(text).report.readiness;
    assert_eq!(readiness("<testsuite><testcase name='a'/></testsuite>"), Readiness::Ready);
    assert_eq!(
        readiness("<testsuite><testcase name='a'><flakyFailure/></testcase></testsuite>"),
        Readiness::UsableWithGaps
    );
    assert_eq!(readiness("<testsuite><testcase name='a'><skipped/></testcase></testsuite>"), Readiness::NotEstablished);
    let empty = import("<testsuites/>");
    assert_eq!((empty.report.readiness, codes(&empty)), (Readiness::NotEstablished, vec!["no-cases"]));
}

#[test]
fn failures_outside_a_case_become_cases_named_like_the_suite() {
    let imported = import(
        "<testsuites><error message='run'/><testsuite name='a'><testsuite name='b'>
           <testcase name='t'/><wrapper><failure message='teardown'>why</failure></wrapper>
           <system-out>out</system-out>
         </testsuite></testsuite></testsuites>",
    );
    assert_eq!(lines(&imported), ["(test run) FAIL/F", "a > b FAIL/F", "a > b > t PASS/P"]);
    let suite = &imported.report.cases[1];
    assert_eq!((suite.problems[0].as_str(), suite.trials[0].stdout.as_str()), ("teardown\nwhy", "out"));
    assert_eq!(suite.trials[0].stderr, "why");
}

#[test]
fn failures_in_odd_places_are_found() {
    let imported = import(
        "<testsuite name='s'><testcase name='a'><x><y><failure message='deep'/></y></x></testcase>
           <testcase name='b'><failure message='outer'><error message='inner'/></failure></testcase>
           <testcase name='c'><system-out>text<failure message='in output'/></system-out></testcase>
           <testcase name='d'><testcase name='e'><failure message='nested case'/></testcase></testcase>
           <testcase name='f'><testsuite name='in'><testcase name='g'><error/></testcase></testsuite></testcase>
         </testsuite>",
    );
    assert_eq!(
        lines(&imported),
        [
            "s > a FAIL/F",
            "s > b FAIL/F",
            "s > c FAIL/F",
            "s > d PASS/P",
            "s > e FAIL/F",
            "s > f PASS/P",
            "s > in > g FAIL/F",
        ]
    );
    assert_eq!(imported.report.cases[1].problems, ["outer", "inner"]);
}

#[test]
fn a_claimed_failure_that_is_not_shown_is_red() {
    let imported = import(
        "<testsuites failures='9'><testsuite name='a' tests='3' failures='1' errors='2'><testcase name='t'><error/></testcase></testsuite>
           <testsuite name='b' tests='1' failures='0'><testcase name='t'/></testsuite></testsuites>",
    );
    assert_eq!(
        lines(&imported),
        ["(test run) > (failures not shown) FAIL/F", "a > (failures not shown) FAIL/F", "a > t FAIL/F", "b > t PASS/P",]
    );
    assert_eq!(imported.report.cases[0].problems, ["failures that the suite claims and does not show: 6"]);
    assert_eq!(imported.report.cases[1].problems, ["failures that the suite claims and does not show: 2"]);
    assert_eq!(codes(&imported), ["failures-not-shown", "tests-not-shown"]);
    // A rescued retry is no failing case, so it explains no claim.
    let counted = import(
        "<testsuite name='a' failures='2'><testcase name='t'><flakyFailure/><flakyFailure/></testcase></testsuite>",
    );
    assert_eq!(lines(&counted), ["a > (failures not shown) FAIL/F", "a > t PASS~/FFP"]);
    assert_eq!(lines(&import("<testsuite failures='99999999999999999999999'/>")).len(), 1);
    assert_eq!(lines(&import("<testsuite failures='18446744073709551615' errors='5'/>")).len(), 1);
}

#[test]
fn claims_are_compared_case_by_case_and_kind_by_kind() {
    let hidden = |claims: &str, cases: &str| {
        let imported = import(&format!("<testsuite name='s' {claims}>{cases}<testcase name='ok'/></testsuite>"));
        let found = imported.report.cases.iter().find(|case| case.name.ends_with("(failures not shown)"));
        found.map(|case| case.problems[0].rsplit(": ").next().unwrap().to_owned())
    };
    let both = "<testcase name='a'><failure/><error/></testcase>";
    assert_eq!(hidden("failures='1' errors='1'", both), None, "one case counted once in each");
    assert_eq!(hidden("failures='2' errors='1'", both).as_deref(), Some("1"));
    assert_eq!(hidden("failures='2' errors='0'", both).as_deref(), Some("1"));
    assert_eq!(hidden("failures='2'", both).as_deref(), Some("1"));
    let errors = "<testcase name='a'><error/></testcase><testcase name='b'><error/></testcase>";
    assert_eq!(hidden("failures='2'", errors), None, "without errors, failures counts both");
    assert_eq!(hidden("failures='1' errors='1'", errors).as_deref(), Some("1"));
    assert_eq!(hidden("errors='1'", "<testcase name='a'><failure/></testcase>"), None, "and errors alone");
    let said = "<testcase name='a' status='failed'/><testcase name='b' status='failed'/>";
    assert_eq!(hidden("failures='1' errors='1'", said), None);
    assert_eq!(hidden("failures='1' errors='2'", said).as_deref(), Some("1"));
    for claim in ["failures='1.0'", "failures='0.5'", "errors=' 1 '", "failed='1'", "failures='many'", "errors='-1'"] {
        let shown = hidden(claim, "");
        assert!(shown.as_deref().is_some_and(|shown| shown.ends_with('1')), "{claim}: {shown:?}");
    }
    for claim in ["failures='0.0'", "failures='0' failed='1'", "failed='0'", "errors=''"] {
        assert_eq!(hidden(claim, ""), None, "{claim}");
    }
    assert_eq!(hidden("failures='many'", "<testcase name='a'><failure/></testcase>"), None);
    assert_eq!(hidden("failures='1e400'", "").as_deref(), Some("at least 1"));
}

#[test]
fn a_suite_that_shows_fewer_tests_than_it_claims_makes_the_report_incomplete() {
    let crashed = import(
        "<testsuites tests='10'><testsuite name='a' tests='10'><testcase name='t'/></testsuite>
           <testsuite name='b' tests='1'><testcase name='t'/></testsuite></testsuites>",
    );
    let report = &crashed.report;
    assert_eq!(report.incomplete_because, ["f0.xml: suite `a` claims 10 tests and shows 1"]);
    assert_eq!((report.readiness, report.case_readiness), (Readiness::NotEstablished, Readiness::NotEstablished));
    assert_eq!(codes(&crashed), ["tests-not-shown"]);
    let red = import("<testsuite tests='2'><testcase name='t'><failure/></testcase></testsuite>").report;
    assert_eq!((red.readiness, red.incomplete_because.len()), (Readiness::NotReady, 1));
    let flaky = import("<testsuite tests='9'><testcase name='t'><flakyFailure/></testcase></testsuite>").report;
    assert_eq!(flaky.readiness, Readiness::NotEstablished);
    let whole = import("<testsuite tests='1'><testcase name='t'/><testcase name='u'/></testsuite>").report;
    assert_eq!((whole.readiness, whole.incomplete_because.len()), (Readiness::Ready, 0));
    let many = format!("<testsuites>{}</testsuites>", "<testsuite name='a' tests='2'/>".repeat(15));
    let reasons = import(&many).report.incomplete_because;
    assert_eq!((reasons.len(), reasons[10].as_str()), (11, "f0.xml: 5 more suites claim more tests than they show"));
}

#[test]
fn what_is_not_known_to_have_passed_did_not_pass() {
    for status in ["killed", "KO", "not ok", "failing", "crashed", "timeout", "aborted", "!ok", "\u{43d}\u{435} ok"] {
        let imported = import(&format!("<testsuite name='s'><testcase name='t' status='{status}'/></testsuite>"));
        assert_eq!(lines(&imported), ["s > t FAIL/F"], "{status}");
    }
    let killed = import("<testsuite name='s'><testcase name='t' result='killed'/></testsuite>");
    assert_eq!(
        (killed.report.cases[0].problems.as_slice(), codes(&killed)),
        (&["status \"killed\"".to_owned()][..], vec!["unknown-status"])
    );
    for status in ["run", "Passed", "PASS", "success", "completed", "ok", "executed"] {
        let imported = import(&format!("<testsuite name='s'><testcase name='t' status='{status}'/></testsuite>"));
        assert_eq!((lines(&imported), codes(&imported)), (vec!["s > t PASS/P".to_owned()], vec![]), "{status}");
    }
    let imported = import(
        "<testsuite name='s' failures='6'><testcase name='a' success='False'/><testcase name='b' executed='false'/>
           <testcase name='c' success='true' executed='True'/><testcase name='d'><Failure message='x'/></testcase>
           <TestCase name='e'><ERROR/></TestCase><testcase name='f' status='odd'><Skipped/></testcase>
           <testcase name='g' status='odd'><flakyFailure/></testcase><testcase name='h' status='ok' result='odd'/>
           <testcase name='i' status='odd'><failure message='y'/></testcase></testsuite>",
    );
    assert_eq!(
        lines(&imported),
        [
            "s > a FAIL/F",
            "s > b NOT_TESTED?/N",
            "s > c PASS/P",
            "s > d FAIL/F",
            "s > e FAIL/F",
            "s > f NOT_TESTED?/N",
            "s > g FAIL~/FF",
            "s > h FAIL/F",
            "s > i FAIL/F",
        ]
    );
    assert_eq!(imported.report.cases[0].problems, ["success is `False`, and nothing says why"]);
    assert_eq!(imported.report.cases[1].problems, ["not run: executed is `false`"]);
}

#[test]
fn hints_of_a_repeated_case_are_joined_once_each_and_in_time() {
    let case = |n: usize| {
        format!("<testcase name='t'><property name='seam' value='s{n}'/><property name='claim' value='C'/></testcase>")
    };
    let text: String = (0..20_000).chain(0..20_000).map(case).collect();
    let imported = import(&format!("<testsuite name='s'>{text}</testsuite>"));
    let found = &imported.report.cases[0];
    let expected: Vec<String> = (0..20_000).map(|n| format!("s{n}")).collect();
    assert!(found.seams == expected && found.supports_claims == ["C"]);
}

#[test]
fn names_hold_suite_class_and_name() {
    let imported = import(
        "<testsuite name='x.Y'><testcase classname='x.Y' name='a'/><testcase class='x.Z' name='a'/>
           <testcase classname='n' name='n'/><testcase classname='x.Y' name=''/><testcase id='i'/>
           <testcase name='same' file='1.py'/><testcase name='same' file='2.py'><failure/></testcase>
           <testcase name='&#27;[1m&lt;b>'/></testsuite>",
    );
    let names: Vec<&str> = imported.report.cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "x.Y > a",
            "x.Y > x.Z > a",
            "x.Y > n",
            "x.Y > (unnamed)",
            "x.Y > i",
            "x.Y > same (1.py)",
            "x.Y > same (2.py)",
            "x.Y > \u{1b}[1m<b>",
        ]
    );
    assert_eq!(codes(&imported), ["unnamed-case"]);
}

#[test]
fn the_same_case_in_several_files_is_one_case_with_trials_and_says_so() {
    let one = "<testsuite name='s'><testcase name='t'/><testcase name='u'/></testsuite>";
    let two = "<testsuite name='s'><testcase name='t'><error/></testcase></testsuite><!-- -->";
    let imported = import_files(&[one, two, "<testsuite name='other'><testcase name='t'/></testsuite>"]).unwrap();
    assert_eq!(lines(&imported), ["s > t FAIL~/PF", "s > u PASS/P", "other > t PASS/P"]);
    assert_eq!(imported.warnings.len(), 1);
    assert_eq!(imported.warnings[0].message, "a case of this file also stands in f0.xml: taken as trials of one case");
    assert_eq!(imported.report.source, "f0.xml, f1.xml, f2.xml");
}

#[test]
fn nameless_suites_of_two_files_stay_apart() {
    let text = "<testsuites failures='1'><error message='x'/><testsuite failures='2'/></testsuites>";
    let names: Vec<String> = import_files(&[text, text]).unwrap().report.cases.into_iter().map(|c| c.name).collect();
    assert_eq!(
        names,
        [
            "(test run) (f0.xml)",
            "(test run) > (failures not shown) (f0.xml)",
            "(test run) (f1.xml)",
            "(test run) > (failures not shown) (f1.xml)",
        ]
    );
}

#[test]
fn properties_become_hints_and_suites_hand_them_down() {
    let imported = import(
        "<testsuite name='s'><testcase name='t'><properties><property name='seam' value='a.b'/><property name='seam'>c</property>
           <property name='claim' value=' C1 '/><property name='risk' value='R'/><property name='category' value='own'/>
           <property name='other' value='x'/></properties></testcase><testcase name='u'/>
           <properties><property name='seam' value='a.b'/><property name='seam' value='suite'/><property name='category' value='general'/></properties>
         </testsuite>",
    );
    let (t, u) = (&imported.report.cases[0], &imported.report.cases[1]);
    assert_eq!(
        (t.seams.join(" "), t.supports_claims.join(" "), t.risks.join(" ")),
        ("a.b suite c".into(), "C1".into(), "R".into())
    );
    assert_eq!((t.category.as_deref(), u.category.as_deref()), (Some("own"), Some("general")));
    assert_eq!(u.seams, ["a.b", "suite"]);
    let two = "<testsuite>\n<testcase name='t'><properties><property name='category' value='a'/>\n<property name='category' value='b'/></properties></testcase></testsuite>";
    assert_eq!(refusal(two), "f0.xml:3:1 two categories for one case: `a` and `b`");
    let apart = "<testsuite><testcase name='t'><property name='category' value='a'/></testcase>\n <testcase name='t'><property name='category' value='b'/></testcase></testsuite>";
    assert_eq!(refusal(apart), "f0.xml:2:2 two categories for one case: `a` before, `b` here");
}

#[test]
fn output_goes_to_the_attempt_that_wrote_it() {
    let imported = import(
        "<testsuite name='s'><testcase name='t'><flakyFailure message='m'><stackTrace>st &amp; k</stackTrace><system-out>o1</system-out>
           <system-err>e1</system-err></flakyFailure><system-out><![CDATA[<o2>]]></system-out></testcase></testsuite>",
    );
    let trials = &imported.report.cases[0].trials;
    assert_eq!((trials[0].stdout.as_str(), trials[1].stdout.as_str()), ("o1", "<o2>"));
    assert!(trials[0].stderr.starts_with("st & k") && trials[0].stderr.ends_with("e1"), "{}", trials[0].stderr);
    // The output of a suite is that of its only case; of two it is nobody's.
    let out = |cases: &str| {
        let imported = import(&format!("<testsuite name='s'>{cases}<system-out>why</system-out></testsuite>"));
        imported.report.cases.iter().map(|case| case.trials[0].stdout.clone()).collect::<Vec<_>>()
    };
    assert_eq!(out("<testcase name='a'><error/></testcase>"), ["why"]);
    assert_eq!(out("<testcase name='a'><error/></testcase><testcase name='b'/>"), ["", ""]);
}

#[test]
fn odd_times_warn_once_and_never_refuse() {
    let imported = import(
        "<testsuite time='x'><testcase name='a' time='-3'/><testcase name='b' time='soon'/><testcase name='c' time='1,234'/>
           <testcase name='d' time='1,234.56'/><testcase name='e' duration='2'/></testsuite>",
    );
    let times: Vec<f64> = imported.report.cases.iter().map(|case| case.trials[0].duration_ms).collect();
    assert_eq!(times, [0.0, 0.0, 1_234_000.0, 1_234_560.0, 2_000.0]);
    assert_eq!(codes(&imported), ["ambiguous-time", "odd-time"]);
    assert_eq!(imported.warnings[1].message, "time `-3` is not a duration; taken as not known (and 1 more like it)");
    assert_eq!(imported.warnings[1].place.compact(), "f0.xml:1:21");
}

#[test]
fn the_report_is_a_function_of_the_bytes() {
    let text = "<testsuite name='s' timestamp='1970-01-01T00:00:00'><testsuite timestamp='2024-01-03T12:27:11'><testcase name='t'/></testsuite></testsuite>";
    let bytes = |imported: &Imported| imported.report.to_json().unwrap();
    assert_eq!(bytes(&import(text)), bytes(&import(text)));
    assert_ne!(import(text).report.run_id, import(&text.replace("'t'", "'u'")).report.run_id);
    assert_eq!(import(text).report.generated_at.as_deref(), Some("2024-01-03T12:27:11"));
    assert_eq!(import("<testsuite/>").report.generated_at, None);
}

#[test]
fn what_is_not_junit_is_refused_with_a_hint() {
    assert_eq!(
        refusal("\n<test-run/>"),
        "f0.xml:2:1 not JUnit XML: the root element is <test-run>; this looks like NUnit"
    );
    assert_eq!(refusal("<testcase/>"), "f0.xml:1:1 not JUnit XML: the root element is <testcase>");
    assert_eq!(refusal(&"<testsuite>".repeat(100_000)), "f0.xml:1:705 suites are nested deeper than 64 levels");
    let long = format!("<testsuite name='{}'/>", "x".repeat(5_000));
    assert_eq!(refusal(&long), "f0.xml:1:1 the names of nested suites are longer than 2048 bytes together");
    let file = format!("<testsuite>\n<testsuite file='{}'/></testsuite>", "x".repeat(5_000));
    assert_eq!(refusal(&file), "f0.xml:2:1 the file of a suite is longer than 2048 bytes");
    let value = |bytes: usize| format!("<property name='seam' value='{}'/>", "x".repeat(bytes));
    let handed_down = format!("<testsuite>{}<testcase>\n{}</testcase></testsuite>", value(2_000), value(49));
    assert_eq!(
        refusal(&handed_down),
        "f0.xml:2:1 the properties seam, claim, risk and category are longer than 2048 bytes together"
    );
    assert_eq!(
        import_files(&["<testsuite/>", "<testsuite>"]).unwrap_err().place.file,
        "f1.xml",
        "one bad file spoils all"
    );
}

/// A suite that a strategy made: what is written, and which texts must come back as failures.
#[derive(Debug, Clone)]
enum Node {
    Suite(String, Vec<Node>),
    Case(String, String, Vec<&'static str>, bool),
    Failure(&'static str),
    Wrapper(Vec<Node>),
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('\'', "&apos;")
}

/// Writes `node`; every failing element gets its own message, which is noted in `failures`.
fn write(node: &Node, xml: &mut String, failures: &mut Vec<String>) {
    let mut failing = |tag: &str, xml: &mut String| {
        let message = format!("m{}!", failures.len());
        xml.push_str(&format!("<{tag} message='{message}'>body<![CDATA[ of & it]]></{tag}>"));
        failures.push(message);
    };
    match node {
        Node::Failure(tag) => failing(tag, xml),
        Node::Case(class, name, tags, skipped) => {
            xml.push_str(&format!("<testcase classname='{}' name='{}'>", escape(class), escape(name)));
            for tag in tags {
                failing(tag, xml);
            }
            xml.push_str(if *skipped { "<skipped/></testcase>" } else { "</testcase>" });
        }
        Node::Suite(name, nodes) => {
            xml.push_str(&format!("<testsuite name='{}'>\n", escape(name)));
            for node in nodes {
                write(node, xml, failures);
            }
            xml.push_str("</testsuite>");
        }
        Node::Wrapper(nodes) => {
            xml.push_str("<group>");
            for node in nodes {
                write(node, xml, failures);
            }
            xml.push_str("</group>");
        }
    }
}

fn nodes() -> impl Strategy<Value = Vec<Node>> {
    let failing = || prop_oneof![Just("failure"), Just("error")];
    let tags = prop_oneof![failing(), failing(), Just("flakyFailure"), Just("rerunFailure"), Just("rerunError")];
    let name = || "[ab>& <']{0,2}";
    let leaf = prop_oneof![
        5 => (name(), name(), proptest::collection::vec(tags, 0..3), any::<bool>())
            .prop_map(|(class, name, tags, skipped)| Node::Case(class, name, tags, skipped)),
        1 => failing().prop_map(Node::Failure),
    ];
    let tree = leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            3 => (name(), proptest::collection::vec(inner.clone(), 0..6)).prop_map(|(name, nodes)| Node::Suite(name, nodes)),
            1 => proptest::collection::vec(inner, 0..3).prop_map(Node::Wrapper),
        ]
    });
    proptest::collection::vec(tree, 0..6)
}

const DAMAGED: [&[u8]; 3] = [
    include_bytes!("../../../../tests/fixtures/junit/valid/properties.xml"),
    include_bytes!("../../../../tests/fixtures/junit/valid/doctype-not-resolved.xml"),
    include_bytes!("../../../../tests/fixtures/junit/valid/utf16-with-mark.xml"),
];

proptest! {
    /// Whatever bytes come: an error with a place or a consistent report, and never a panic.
    #[test]
    fn damaged_files_never_panic(
        edits in proptest::collection::vec((any::<proptest::sample::Index>(), 0..4u8, any::<u8>()), 0..12),
        chosen in 0..DAMAGED.len(),
    ) {
        let mut bytes = DAMAGED[chosen].to_vec();
        for (at, kind, byte) in edits {
            let at = at.index(bytes.len().max(1));
            match kind {
                0 if at < bytes.len() => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                2 => bytes.truncate(at),
                // Markup is where parsers break.
                _ => bytes.insert(at, b"<>&;'\"/!?-[]"[usize::from(byte) % 12]),
            }
        }
        match import_junit(&[Input { name: "f".to_owned(), bytes }], None, None) {
            Ok(imported) => prop_assert_eq!(imported.report.case_count, imported.report.cases.len()),
            Err(error) => prop_assert!(error.place.line.is_some(), "{}", error),
        }
    }

    #[test]
    fn no_failure_is_ever_lost(trees in proptest::collection::vec(nodes(), 1..3)) {
        let mut failures = Vec::new();
        let files: Vec<String> = trees.iter().map(|tree| {
            let mut xml = "<testsuites>".to_owned();
            for node in tree {
 write(node, &mut xml, &mut failures);
}
            xml + "</testsuites>"
        }).collect();
        let imported = import_files(&files.iter().map(String::as_str).collect::<Vec<_>>()).unwrap();
        let cases = &imported.report.cases;
        let names: std::collections::HashSet<_> = cases.iter().map(|case| &case.name).collect();
        prop_assert_eq!(names.len(), cases.len(), "names are unique");
        for failure in &failures {
            let holders: Vec<&OwnedCase> = cases.iter().filter(|case| case.trials.iter().any(|trial| {
                trial.outcome == Outcome::Fail && trial.problems.iter().any(|problem| problem.starts_with(failure.as_str()))
            })).collect();
            prop_assert_eq!(holders.len(), 1, "{} in {:?}", failure, files);
            prop_assert!(holders[0].required && (holders[0].outcome == Outcome::Fail || holders[0].flaky));
        }
        for case in cases {
            let failed = case.trials.iter().any(|trial| trial.outcome == Outcome::Fail);
            prop_assert!(failed || case.outcome != Outcome::Fail, "no failure is invented");
        }
        prop_assert!(imported.report.readiness != Readiness::Ready || failures.is_empty());
    }
}
