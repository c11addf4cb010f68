//! Names that say that their value is a secret: one list for variables of an environment, for `KEY=value` and for keys
//! of JSON.
//!
//! A name is taken apart into words: `apiToken2` is `api`, `token`. Numbers at its end do not count.

/// How much a name says about its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Says {
    /// Nothing.
    Nothing,
    /// A variable with this name holds a secret; in a text, its value has to look like one.
    Maybe,
    /// Its value is a secret.
    Secret,
}

/// Ends of the last word, in lower case.
const ENDS: [&str; 13] = [
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "secret",
    "token",
    "credential",
    "authorization",
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "sshpass",
];
/// Words before `key` that make it a secret.
const KEYS: [&str; 18] = [
    "api",
    "access",
    "secret",
    "private",
    "auth",
    "account",
    "encryption",
    "signing",
    "master",
    "service",
    "subscription",
    "deploy",
    "ssh",
    "ssl",
    "tls",
    "license",
    "storage",
    "admin",
];
/// Last words that may mean a secret.
const MAYBE: [&str; 8] = ["key", "pass", "pw", "pat", "auth", "dsn", "cookie", "cred"];
/// Words that may mean one anywhere.
const ANYWHERE: [&str; 3] = ["secret", "password", "passwd"];

/// Whether a variable of this name holds a secret: plurals, numbers behind the name and short forms count, too
/// (`API_TOKENS`, `GH_TOKEN_2`, `MYSQL_PWD`, `KEY`). `PWD` and `OLDPWD` are folders.
pub fn is_secret_name(name: &str) -> bool {
    says(name) != Says::Nothing
}

/// What the name says.
pub(super) fn says(name: &str) -> Says {
    if name == "PWD" || name == "OLDPWD" {
        return Says::Nothing;
    }
    let words = words(name);
    let Some((last, before)) = words.split_last() else { return Says::Nothing };
    let singular = last.strip_suffix('s').filter(|one| !one.ends_with('s') && *one != "pas").unwrap_or(last);
    let is_one = singular == last;
    let is_loud = !name.bytes().any(|b| b.is_ascii_lowercase());
    if ENDS.iter().any(|end| singular.ends_with(end)) {
        // `max_tokens` is a number, mostly.
        return if is_one || singular != "token" { Says::Secret } else { Says::Maybe };
    }
    if singular.ends_with("pwd") && singular != "oldpwd" {
        return Says::Secret;
    }
    let qualified = before.last().is_some_and(|word| KEYS.iter().any(|key| word.ends_with(key)));
    if singular == "key" && qualified || singular == "pass" && is_loud && !before.is_empty() {
        return Says::Secret;
    }
    let anywhere = |word: &String| ANYWHERE.contains(&word.trim_end_matches('s')) || word == "pwd";
    if MAYBE.contains(&singular) || before.iter().any(anywhere) { Says::Maybe } else { Says::Nothing }
}

/// The words of a name in lower case, without numbers at its end.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut current = String::new();
    let mut was_lower = false;
    for c in name.chars() {
        if !c.is_ascii_alphanumeric() || (c.is_ascii_uppercase() && was_lower) {
            words.extend((!current.is_empty()).then(|| std::mem::take(&mut current)));
        }
        if c.is_ascii_alphanumeric() {
            current.push(c.to_ascii_lowercase());
        }
        was_lower = c.is_ascii_lowercase() || c.is_ascii_digit();
    }
    words.extend((!current.is_empty()).then_some(current));
    while let Some(last) = words.last_mut() {
        let length = last.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        if length > 0 {
            last.truncate(length);
            break;
        }
        words.pop();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_known_in_every_form() {
        for name in [
            "TOKEN",
            "MY_TOKEN",
            "API_TOKENS",
            "GH_TOKEN_2",
            "TOKEN1",
            "APP_KEYS",
            "KEY",
            "PASS",
            "SECRET",
            "DB_PWD",
            "MYSQL_PWD",
            "PWD_ADMIN",
            "SSHPASS",
            "PGPASSWORD",
            "AWS_SECRET_ACCESS_KEY",
            "SECRET_KEY_BASE",
            "PASSWORD_2",
            "CLIENT_SECRETS",
            "NPM_AUTH",
            "GITHUB_PAT",
            "SENTRY_DSN",
            "SESSION_COOKIE",
            "DB_PASS",
            "clientSecret",
            "accountKey",
            "_authToken",
            "x-api-key",
            "GOOGLE_CREDENTIALS",
            "apiKey2",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in [
            "PWD",
            "OLDPWD",
            "HOME",
            "PATH",
            "KEYBOARD",
            "MONKEY",
            "PASSENGER",
            "COMPASS",
            "TOKENIZER",
            "AUTHOR",
            "PATTERN",
            "KEY_COUNT",
            "TOKEN_LIMIT",
            "BYPASS",
            "",
            "_",
            "1",
            "ACCESS",
            "CLASSPATH",
            "SECRETARY",
        ] {
            assert!(!is_secret_name(name), "{name}");
        }
    }
}
