//! How to reach one repository.

use std::path::PathBuf;
use std::time::Duration;

use crate::model::RepoSlug;

/// A token. It is sent to the server and goes nowhere else: its `Debug` form does not show it.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// Takes a token, without the white space around it. `None` if nothing is left, or if it could not stand in a
    /// header.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let fits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_graphic());
        fits.then(|| Self(text.to_owned()))
    }

    pub(super) fn expose(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

/// How to reach one repository, and how patiently.
#[derive(Debug, Clone)]
pub struct GithubSettings {
    /// The repository whose issues are the tickets.
    pub repo: RepoSlug,
    /// The root of the API of a GitHub Enterprise Server, as in `https://ghe.example/api/v3`; `None` = github.com.
    pub base_url: Option<String>,
    /// The token.
    pub token: Token,
    /// Logins whose markers count as ours, beside the token's own. Needed when the token changed hands.
    pub authors: Vec<String>,
    /// Pause between two writes. GitHub asks for at least one second.
    pub write_interval: Duration,
    /// How long the server may still be busy with a request whose answer was lost. GitHub gives up after 10 s.
    pub unknown_wait: Duration,
    /// The longest wait for a limit within one run; a longer one ends the run, and the next run waits.
    pub limit_wait: Duration,
    /// Limit on connecting, reading and writing, each.
    pub timeout: Duration,
    /// The project's `.greenloop`: lock, pace and unfinished writes are kept below it.
    pub state_dir: PathBuf,
    /// Sends no write: remembers what it would send, and answers as the server would.
    pub rehearse: bool,
}

impl GithubSettings {
    /// Settings with the design's waits: 1 s between writes, 15 s for an unknown outcome, 15 min for a limit, 30 s for
    /// the connection.
    pub fn new(repo: RepoSlug, token: Token, state_dir: PathBuf) -> Self {
        Self {
            repo,
            base_url: None,
            token,
            authors: Vec::new(),
            write_interval: Duration::from_secs(1),
            unknown_wait: Duration::from_secs(15),
            limit_wait: Duration::from_secs(15 * 60),
            timeout: Duration::from_secs(30),
            state_dir,
            rehearse: false,
        }
    }

    /// `owner/name`, with the server before it unless it is github.com.
    pub(super) fn place(&self) -> String {
        match &self.base_url {
            None => self.repo.to_string(),
            Some(url) => format!("{}/{}", url.split_once("://").map_or(url.as_str(), |(_, rest)| rest), self.repo),
        }
    }

    /// The page of an issue. A GitHub Enterprise Server has its API below `/api/v3`.
    pub(super) fn page(&self, number: u64) -> String {
        let root = self.base_url.as_deref().unwrap_or("https://github.com");
        let root = root.strip_suffix("/api/v3").unwrap_or(root);
        format!("{root}/{}/issues/{number}", self.repo)
    }

    /// The folder of this repository's local files. Repositories have different folders, also when their names differ
    /// only in what a file name cannot hold.
    pub(super) fn folder(&self) -> PathBuf {
        let digest = crate::model::Digest::in_domain("greenloop.github_folder.v1", self.place().as_bytes()).hex();
        let plain: String =
            self.place().chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' }).collect();
        self.state_dir.join("github").join(format!("{plain}-{}", &digest[..8]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_not_shown() {
        let token = Token::new(" ghp_secret\n").unwrap();
        assert_eq!((token.expose(), format!("{token:?}").as_str()), ("ghp_secret", "Token(…)"));
        assert!(Token::new(" \n").is_none() && Token::new("a b").is_none() && Token::new("a\u{7}").is_none());
    }

    #[test]
    fn every_server_and_repository_has_its_own_folder() {
        let mut settings =
            GithubSettings::new(RepoSlug::parse("a/b-c").unwrap(), Token::new("t").unwrap(), PathBuf::from("s"));
        let here = settings.folder();
        settings.repo = RepoSlug::parse("a-b/c").unwrap();
        assert_ne!(settings.folder(), here);
        assert_eq!(settings.page(7), "https://github.com/a-b/c/issues/7");
        settings.base_url = Some("https://ghe.example/api/v3".into());
        assert_eq!(settings.place(), "ghe.example/api/v3/a-b/c");
        assert_eq!(settings.page(7), "https://ghe.example/a-b/c/issues/7");
    }
}
