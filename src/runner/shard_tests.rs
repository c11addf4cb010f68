//! Tests of shards and of their union.

use proptest::prelude::*;

use super::*;

fn part(file: &str, cases: &[&str]) -> Part {
    Part {
        file: file.to_owned(),
        fixture_sha256: Some("sha256:f".to_owned()),
        repo_sha: Some("abc".to_owned()),
        cases: cases.iter().map(|case| (*case).to_owned()).collect(),
        incomplete_because: Vec::new(),
    }
}

#[test]
fn shards_are_spelled_strictly() {
    assert_eq!("2/4".parse::<Shard>().unwrap().to_string(), "2/4");
    for bad in ["", "1", "/", "0/4", "5/4", "1/0", "-1/4", "+1/4", "1/4/2", "a/b", " 1/4", "1/10001", "1/99999999999"] {
        assert_eq!(bad.parse::<Shard>(), Err(ShardError), "{bad}");
    }
}

#[test]
fn parts_that_are_not_the_whole_say_why() {
    let cases = ["a", "b", "c"];
    assert!(union("sha256:f", &cases, &[part("1", &["c", "a"]), part("2", &["b"])]).incomplete_because.is_empty());
    let mut foreign = part("other.json", &["b"]);
    foreign.fixture_sha256 = Some("sha256:g".to_owned());
    foreign.repo_sha = None;
    foreign.incomplete_because = vec!["interrupted".to_owned()];
    let joined = union("sha256:f", &cases, &[part("one.json", &["a", "b", "x"]), foreign]);
    insta::assert_snapshot!(joined.incomplete_because.join("\n"));
    assert_eq!(joined.taken_from, [("a".to_owned(), Some(0)), ("b".to_owned(), Some(0)), ("c".to_owned(), None)]);
    assert_eq!(union("sha256:f", &["a"], &[]).incomplete_because, ["no part has the case a"]);
    let doubled = union("sha256:f", &["a"], &[part("1", &["a", "a"])]);
    assert_eq!(doubled.incomplete_because, ["the case a is there 2 times: 1, 1"]);
}

proptest! {
    #[test]
    fn shards_merged_are_the_whole(count in 1..9u32, cases in 0..40usize, lost in any::<prop::sample::Index>()) {
        let names: Vec<String> = (0..cases).map(|case| format!("c{case}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut parts: Vec<Part> = (1..=count).map(|index| {
            let shard: Shard = format!("{index}/{count}").parse().unwrap();
            let taken = names.iter().enumerate().filter(|(place, _)| shard.takes(*place));
            part(&index.to_string(), &taken.map(|(_, name)| *name).collect::<Vec<_>>())
        }).collect();
        let sizes = parts.iter().map(|part| part.cases.len());
        prop_assert!(sizes.clone().max().unwrap() - sizes.min().unwrap() <= 1, "even");
        let joined = union("sha256:f", &names, &parts);
        prop_assert!(joined.incomplete_because.is_empty());
        let order: Vec<&str> = joined.taken_from.iter().map(|(name, _)| name.as_str()).collect();
        prop_assert_eq!(order, names.clone(), "the order of the fixture");
        let gone = parts.remove(lost.index(parts.len()));
        prop_assert_eq!(union("sha256:f", &names, &parts).incomplete_because.is_empty(), gone.cases.is_empty());
    }
}
