//! The shop, from red to a proven green, with nothing recorded: a real repository with real commits, every report by
//! `greenloop run`, every decision by the commands that a person would type.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// What is wrong at the start, and which category names it. Nobody mends `cart-total`: it is wrong because of others.
const FAULTS: [(&str, &str); 7] = [
    ("money-rounding", "money-truncates"),
    ("tax-rate", "tax-of-the-seller"),
    ("discount-rules", "discounts-have-no-limit"),
    ("stock-reservation", "inventory-line-by-line"),
    ("order-placement", "orders-forget-the-key"),
    ("order-placement", "orders-keep-the-stock"),
    ("order-placement", "orders-ask-forever"),
];

const MAP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/category_maps/shop.json");

#[test]
fn the_loop_goes_from_red_to_green_on_real_commits() {
    if missing("python3") || missing("git") {
        eprintln!("skip: the shop needs python3 and git");
        return;
    }
    let shop = Shop::open();
    let first = shop.run(&["eval.json"], 1);
    let report = read(&first);
    assert_eq!(report["repo"]["sha"], shop.head());
    assert_eq!((&report["repo"]["ref"], &report["repo"]["dirty"]), (&"main".into(), &false.into()));
    assert_eq!((&report["outcome_counts"]["FAIL"], &report["readiness"]), (&17.into(), &"NOT_READY".into()));

    let categorized = shop.json(&["categorize", &first, "--map", MAP], 0);
    let sizes: Vec<usize> =
        categorized["cases_by_category"].as_object().unwrap().values().map(|c| c.as_array().unwrap().len()).collect();
    assert_eq!((sizes.len(), sizes.iter().sum::<usize>()), (6, 17));
    // What is wrong has one fingerprint, on other commits, in another folder and at another time, too.
    let recorded = sources().join("runs/campaign/run-1.json").to_str().unwrap().to_owned();
    let recorded = shop.json(&["categorize", &recorded, "--map", MAP], 0);
    assert!(categorized["semantic_fingerprint"].as_str().is_some_and(|print| print.starts_with("blake3:")));
    assert_eq!(categorized["semantic_fingerprint"], recorded["semantic_fingerprint"]);
    let plan = shop.json(&["plan", &first, "--map", MAP], 0);
    assert_eq!(plan["mutations"].as_array().unwrap().iter().filter(|one| one["op"] == "create").count(), 6, "{plan}");

    shop.greenloop(&["campaign", "start", "--id", "live", "--map", MAP], 0);
    shop.greenloop(&["campaign", "step", &first], 1);
    // Each round mends what is ready, and only that: the order is the one of the graph.
    let mut mended: Vec<Vec<String>> = Vec::new();
    let last = loop {
        let ready = shop.ready();
        assert!(!ready.is_empty() && mended.len() < 4, "{mended:?}");
        shop.mend(&ready);
        let end = ready.iter().any(|category| category == "order-placement");
        mended.push(ready);
        let report = shop.run(&["eval.json"], i32::from(!end));
        shop.greenloop(&["campaign", "step", &report], i32::from(!end));
        if end {
            break report;
        }
    };
    let wanted: [&[&str]; 3] =
        [&["money-rounding", "stock-reservation"], &["discount-rules", "tax-rate"], &["order-placement"]];
    assert_eq!(mended, wanted);
    assert_eq!(read(&last)["readiness"], "READY");
    let status = shop.json(&["campaign", "status"], 0);
    assert_eq!(status["state"], "green", "{status}");
    assert!(shop.json(&["ticket", "ready"], 0)["tickets"].as_array().unwrap().is_empty());
    shop.greenloop(&["campaign", "verify"], 0);
    // The campaign is over: the same report again changes nothing.
    shop.greenloop(&["campaign", "step", &last], 0);
}

/// A green that nobody may believe: of work that is not committed, and of a part of the suite.
#[test]
fn a_run_that_proves_nothing_about_the_commit_is_refused() {
    if missing("python3") || missing("git") {
        eprintln!("skip: the shop needs python3 and git");
        return;
    }
    let shop = Shop::open();
    shop.greenloop(&["campaign", "start", "--id", "live", "--map", MAP], 0);
    let case = ["eval.json", "--case", "money-below-half-rounds-down"];
    let part = shop.run(&case, 0);
    let said = shop.greenloop(&["campaign", "step", &part], 3);
    assert!(said.contains("not a complete run"), "{said}");
    shop.undo("money-truncates");
    let dirty = shop.run(&["eval.json"], 1);
    assert_eq!(read(&dirty)["repo"]["dirty"], true);
    let said = shop.greenloop(&["campaign", "step", &dirty], 3);
    assert!(said.contains("commit"), "{said}");
    // Committed, the same work is taken.
    shop.commit("Round half up");
    let clean = shop.run(&["eval.json"], 1);
    shop.greenloop(&["campaign", "step", &clean], 1);
}

/// A repository with the shop, and a project beside it.
struct Shop {
    dir: tempfile::TempDir,
}

impl Shop {
    /// The shop with every fault in it, in a first commit.
    fn open() -> Self {
        let shop = Self { dir: tempfile::tempdir().unwrap() };
        let repo = shop.repo();
        std::fs::create_dir_all(repo.join("shop")).unwrap();
        std::fs::create_dir(shop.project()).unwrap();
        for name in [".gitignore", "checks.py", "eval.json"] {
            std::fs::copy(sources().join(name), repo.join(name)).unwrap();
        }
        for entry in std::fs::read_dir(sources().join("shop")).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "py") {
                std::fs::copy(&path, repo.join("shop").join(path.file_name().unwrap())).unwrap();
            }
        }
        shop.git(&["init", "--quiet", "--initial-branch=main"]);
        for (_, fault) in FAULTS {
            shop.git(&["apply", &patch(fault)]);
        }
        shop.commit("Open the shop");
        shop
    }

    fn repo(&self) -> PathBuf {
        self.dir.path().join("repo")
    }

    fn project(&self) -> PathBuf {
        self.dir.path().join("project")
    }

    fn git(&self, args: &[&str]) -> String {
        let done = Command::new("git")
            .args(args)
            .current_dir(self.repo())
            .envs([("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_CONFIG_GLOBAL", "/dev/null")])
            .envs([("GIT_AUTHOR_NAME", "shop"), ("GIT_AUTHOR_EMAIL", "shop@example.invalid")])
            .envs([("GIT_COMMITTER_NAME", "shop"), ("GIT_COMMITTER_EMAIL", "shop@example.invalid")])
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(done.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap().trim().to_owned()
    }

    fn head(&self) -> String {
        self.git(&["rev-parse", "HEAD"])
    }

    fn commit(&self, message: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", message]);
    }

    fn undo(&self, fault: &str) {
        self.git(&["apply", "--reverse", &patch(fault)]);
    }

    /// Mends the faults of these categories in a commit each.
    fn mend(&self, categories: &[String]) {
        for category in categories {
            let faults: Vec<&str> = FAULTS.iter().filter(|(of, _)| of == category).map(|(_, fault)| *fault).collect();
            assert!(!faults.is_empty(), "{category} should have gone with what it depends on");
            for fault in faults {
                self.undo(fault);
            }
            self.commit(&format!("Mend {category}"));
        }
    }

    /// `greenloop run` in the repository; the name of the report.
    fn run(&self, args: &[&str], status: i32) -> String {
        let number = std::fs::read_dir(self.dir.path()).unwrap().count();
        let report = self.dir.path().join(format!("report-{number}.json")).to_str().unwrap().to_owned();
        let args = [&["run"], args, &["--jobs", "2", "--output", &report]].concat();
        said(&args, &self.repo(), status);
        report
    }

    /// Runs a command on the project. Both streams, as one text without line breaks.
    fn greenloop(&self, args: &[&str], status: i32) -> String {
        let (stdout, stderr) = said(args, &self.project(), status);
        format!("{stdout} {stderr}").split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn json(&self, args: &[&str], status: i32) -> Value {
        let (stdout, _) = said(&[args, &["--format", "json"]].concat(), &self.project(), status);
        serde_json::from_str(&stdout).unwrap()
    }

    /// Names of the categories whose tickets can be worked on, in order of names.
    fn ready(&self) -> Vec<String> {
        let tickets = self.json(&["ticket", "ready"], 0);
        let name = |ticket: &Value| ticket["category_id"].as_str().unwrap().rsplit(':').next().unwrap().to_owned();
        let mut names: Vec<String> = tickets["tickets"].as_array().unwrap().iter().map(name).collect();
        names.sort();
        names
    }
}

/// Runs the program in `folder`; both streams.
fn said(args: &[&str], folder: &Path, status: i32) -> (String, String) {
    let done = assert_cmd::Command::cargo_bin("greenloop").unwrap().args(args).current_dir(folder).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let (stdout, stderr) = (text(done.stdout), text(done.stderr));
    assert_eq!(done.status.code(), Some(status), "{args:?}\n{stdout}\n{stderr}");
    (stdout, stderr)
}

fn read(report: impl AsRef<Path>) -> Value {
    serde_json::from_slice(&std::fs::read(report).unwrap()).unwrap()
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/shop")
}

fn patch(fault: &str) -> String {
    sources().join(format!("faults/{fault}.patch")).to_str().unwrap().to_owned()
}

fn missing(program: &str) -> bool {
    !Command::new(program).arg("--version").stdout(Stdio::null()).status().is_ok_and(|status| status.success())
}
