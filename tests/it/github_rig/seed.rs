//! What a repository holds before a test begins.

use super::people::Person;

/// The repository under test, and what stands around it.
#[derive(Debug, Clone)]
pub(crate) struct RigSeed {
    /// The name of the repository; its owner is always [`Person::Owner`].
    pub(crate) repo: String,
    /// Issues of people in the repository, before anything else; they use up the first numbers.
    pub(crate) decoys: usize,
    /// Issues in another repository; they move ids away from numbers.
    pub(crate) elsewhere: usize,
    /// Whether an open pull request stands in the list of issues, as it does on GitHub.
    pub(crate) pull_request: bool,
    /// Labels of the repository: name, colour.
    pub(crate) labels: Vec<(String, String)>,
    /// Further issues.
    pub(crate) issues: Vec<SeedIssue>,
}

impl Default for RigSeed {
    fn default() -> Self {
        Self {
            repo: "shop".to_owned(),
            decoys: 3,
            elsewhere: 4,
            pull_request: true,
            labels: vec![("bug".to_owned(), "d73a4a".to_owned())],
            issues: Vec::new(),
        }
    }
}

/// An issue that somebody opens.
#[derive(Debug, Clone)]
pub(crate) struct SeedIssue {
    pub(crate) title: String,
    pub(crate) body: String,
    pub(crate) labels: Vec<String>,
    pub(crate) author: Person,
    pub(crate) closed: bool,
}

impl SeedIssue {
    pub(crate) fn new(title: &str) -> Self {
        Self { title: title.to_owned(), body: String::new(), labels: Vec::new(), author: Person::Maria, closed: false }
    }

    pub(crate) fn body(mut self, body: &str) -> Self {
        body.clone_into(&mut self.body);
        self
    }

    pub(crate) fn label(mut self, label: &str) -> Self {
        self.labels.push(label.to_owned());
        self
    }

    pub(crate) fn by(mut self, author: Person) -> Self {
        self.author = author;
        self
    }

    pub(crate) fn closed(mut self) -> Self {
        self.closed = true;
        self
    }
}
