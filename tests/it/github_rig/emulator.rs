//! The process that keeps the issues.

use std::io::Read as _;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::install::Installed;
use super::message::{Request, send};
use super::people::Person;

/// How long an emulator may take to answer. It needs a fifth of a second on an idle machine.
const START: Duration = Duration::from_secs(30);

/// A running emulator; it ends with this value, and also when this process is killed.
#[derive(Debug)]
pub(crate) struct Emulator {
    child: Child,
    pub(crate) address: SocketAddr,
}

impl Emulator {
    /// Starts one whose links lead to `base_url`. Another process may take the free port first: then it tries again.
    pub(crate) async fn start(installed: &Installed, base_url: &str, repositories: &[&str]) -> Result<Self, String> {
        let mut last = String::new();
        for _ in 0..3 {
            match Self::start_once(installed, base_url, repositories).await {
                Ok(emulator) => return Ok(emulator),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    async fn start_once(installed: &Installed, base_url: &str, repositories: &[&str]) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let seed = folder.path().join("seed.json");
        // A user whom only this emulator knows tells it from one that took our port.
        let nonce = format!("rig-{}", base_url.rsplit(':').next().unwrap_or_default());
        std::fs::write(&seed, document(&nonce, repositories).to_string()).map_err(|error| error.to_string())?;
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
        let address = free.map_err(|error| error.to_string())?;
        let mut child = Command::new(&installed.node)
            .arg("--import")
            .arg(&installed.leash)
            .arg(&installed.emulator)
            .args(["start", "--service", "github", "--port", &address.port().to_string(), "--base-url", base_url])
            .arg("--seed")
            .arg(&seed)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("the emulator cannot be started: {error}"))?;
        let asked = Instant::now();
        loop {
            if let Ok(Some(status)) = child.try_wait() {
                let mut said = String::new();
                if let Some(mut stderr) = child.stderr.take() {
                    stderr.read_to_string(&mut said).map_err(|error| error.to_string())?;
                }
                return Err(format!("the emulator ended with {status}: {said}"));
            }
            if let Ok(reply) = send(address, &Request::new("GET", &format!("/users/{nonce}"))).await
                && reply.status == 200
            {
                return Ok(Self { child, address });
            }
            if asked.elapsed() > START {
                let emulator = Self { child, address };
                drop(emulator);
                return Err(format!("the emulator did not answer within {} s", START.as_secs()));
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        // Both fail only if the process is gone already, which is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn document(nonce: &str, repositories: &[&str]) -> Value {
    let mut logins: Vec<&str> = Person::ALL.iter().map(|person| person.login()).collect();
    logins.dedup();
    logins.push(nonce);
    let mut tokens = Map::new();
    for person in Person::ALL {
        tokens.insert(person.token().to_owned(), json!({"login": person.login(), "scopes": ["repo"]}));
    }
    let users: Vec<Value> = logins.iter().map(|login| json!({"login": login})).collect();
    let repos: Vec<Value> =
        repositories.iter().map(|name| json!({"owner": Person::Owner.login(), "name": name})).collect();
    json!({"tokens": tokens, "github": {"users": users, "repos": repos}})
}
