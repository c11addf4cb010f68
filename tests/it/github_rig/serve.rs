//! The rig for people: `tests/github-rig.sh` runs this until it is interrupted.

use crate::github_rig::{Rig, RigSeed, SeedIssue};

#[test]
#[ignore = "runs until it is interrupted; tests/github-rig.sh starts it"]
fn until_interrupted() {
    let seed = RigSeed {
        issues: vec![SeedIssue::new("Something that a person found").label("bug").body("Steps: …")],
        ..RigSeed::default()
    };
    let Some(rig) = Rig::start(&seed) else { return };
    let (base, repo, token) = (rig.base_url(), rig.repo(), rig.token());
    println!("GitHub API   {base}\nrepository   {repo}\ntoken        {token}\n");
    println!("curl -sS -H 'Authorization: Bearer {token}' '{base}/repos/{repo}/issues?state=all'\n");
    println!("Ctrl-C stops it.");
    loop {
        std::thread::park();
    }
}
