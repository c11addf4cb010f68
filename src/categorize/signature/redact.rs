//! Redaction: the rules for secrets alone, for texts that are stored as they are otherwise.

use std::borrow::Cow;

use super::clean::clean;
use super::key_block;
use super::names::{Says, says};
use super::scanner::Scanner;
use crate::model::{CaseName, Digest};

/// What stands where a secret was. No rule takes it for a secret, so redaction is idempotent.
pub const REDACTED: &str = "<redacted>";

/// Replaces every secret that has a known form by [`REDACTED`]: tokens of known shapes, bearer and basic
/// credentials, values of secret-looking names, user and password of a URL, private key blocks. Nothing else
/// changes, and a text without a secret is returned as it is. Total, and linear in the text.
///
/// Terminal escapes stay, unless a secret hides behind them: then they go from the whole text.
pub fn redact(text: &str) -> Cow<'_, str> {
    let (masked, found) = mask(Cow::Borrowed(text));
    if let Cow::Owned(clean) = clean(text) {
        let (plain, found_in_plain) = mask(Cow::Owned(clean));
        if found_in_plain > found {
            return Cow::Owned(plain);
        }
    }
    if found == 0 { Cow::Borrowed(text) } else { Cow::Owned(masked) }
}

/// The name of a case as it may be stored on a server: as it is, or with its secrets masked and a digest in their place, so
/// that different names stay different. The same for every program that knows the name.
pub fn publishable(name: &CaseName) -> CaseName {
    match redact(name.as_str()) {
        Cow::Borrowed(_) => name.clone(),
        Cow::Owned(masked) => {
            let digest = Digest::in_domain("greenloop.case_name.v1", name.as_str().as_bytes()).hex();
            CaseName::from(format!("{masked} ({})", &digest[..8]).as_str())
        }
    }
}

/// Redacts the words of a command: each as [`redact`] does, and the word behind an option with a secret-looking name.
pub fn redact_words(words: &[String]) -> Vec<String> {
    let mut is_value = false;
    let mut fetches = false;
    let mut is_user = false;
    let mut out = Vec::with_capacity(words.len());
    for word in words {
        let option = word.strip_prefix("--").filter(|name| !name.contains('='));
        let is_secret = is_value && !word.is_empty() && !word.starts_with(['-', '$', '<']);
        let is_login = fetches && is_user && word.split_once(':').is_some_and(|(_, password)| !password.is_empty());
        out.push(if is_secret || is_login { REDACTED.to_owned() } else { redact(word).into_owned() });
        is_value = option.is_some_and(|name| !name.contains(' ') && says(name) == Says::Secret);
        fetches |= matches!(word.rsplit('/').next(), Some("curl" | "wget"));
        is_user = matches!(word.as_str(), "-u" | "--user");
    }
    out
}

fn mask(text: Cow<'_, str>) -> (String, usize) {
    let without_keys = key_block::replace(text.clone(), |_, out| out.push_str(REDACTED));
    // A block is longer than what replaces it, so the length tells whether there was one.
    let blocks = usize::from(without_keys.len() != text.len());
    let (masked, found) = Scanner::mask_secrets(&without_keys, REDACTED);
    (masked, found + blocks)
}

impl Scanner<'_> {
    /// `://user:password@`: redacts what stands between. A user alone (`ssh://git@host`) is no secret,
    /// unless it looks like a token.
    pub(super) fn user_info(&mut self, at: usize) -> Option<usize> {
        let start = at + 3;
        if self.bytes.get(at..start)? != b"://" {
            return None;
        }
        let is_end = |b: u8| b <= b' ' || b"/?#\"'<>\\`".contains(&b);
        let length = self.bytes[start..].iter().take_while(|b| !is_end(**b)).count();
        // The last `@`: a password may hold one.
        let info = memchr::memrchr(b'@', &self.bytes[start..start + length])?;
        let Some(colon) = memchr::memchr(b':', &self.bytes[start..start + info]) else {
            let is_token = self.is_token_user(start, start + info);
            return is_token.then(|| self.replace(start, start + info, super::placeholder::Kind::Secret));
        };
        let password = self.byte(start + colon + 1);
        let is_port = info - colon <= 6 && self.bytes[start + colon + 1..start + info].iter().all(u8::is_ascii_digit);
        if is_port && self.is_host(start, start + colon) {
            // `http://localhost:8080@x`: a host and its port.
            return None;
        }
        (colon + 1 < info && !matches!(password, b'$' | b'{' | b'%'))
            .then(|| self.replace(start, start + info, super::placeholder::Kind::Secret))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_form_is_redacted_and_the_rest_stays() {
        for (text, wanted) in [
            ("Authorization: Bearer abc123def456", "Authorization: Bearer <redacted>"),
            ("authorization: Basic dXNlcjpwYXNz", "authorization: Basic <redacted>"),
            ("API_TOKEN=s3cr3t at 2026-01-02", "API_TOKEN=<redacted> at 2026-01-02"),
            (r#"{"clientSecret": "abc", "id": 7}"#, r#"{"clientSecret": "<redacted>", "id": 7}"#),
            (r#"{\"password\": \"a b\"}"#, r#"{\"password\": \"<redacted>\"}"#),
            ("postgres://app:pw@db:5432/main", "postgres://<redacted>@db:5432/main"),
            ("ghp_0123456789abcdefghijABCDEFGHIJ012345!", "<redacted>!"),
            ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nend", "<redacted>\nend"),
            ("TOKEN=\u{1b}[32mabc123\u{1b}[0m", "TOKEN=<redacted>"),
            ("export DB_PASS=hunter2pass; SSHPASS=hunter2pass", "export DB_PASS=<redacted>; SSHPASS=<redacted>"),
            ("API_TOKENS=abc1Def2Ghi3 GH_TOKEN_2=abcdef", "API_TOKENS=<redacted> GH_TOKEN_2=<redacted>"),
            (
                "login --password hunter2pass --db-token 'x y' now",
                "login --password <redacted> --db-token '<redacted>' now",
            ),
            (r#"["login", "--password", "hunter"]"#, r#"["login", "--password", "<redacted>"]"#),
            ("curl -s -u me:hunter https://x/y", "curl -s -u <redacted> https://x/y"),
            ("https://tok3nvalue9999@github.com/a", "https://<redacted>@github.com/a"),
            ("Set-Cookie: sid=abcdef0123456789ZZ; Path=/", "Set-Cookie: sid=<redacted>; Path=/"),
            ("Cookie: theme=dark; session=abcdef; x=1", "Cookie: theme=dark; session=<redacted>; x=1"),
            ("<password>hunter</password>", "<password><redacted></password>"),
            (r#"{"auths":{"h":{"auth":"dXNlcjpwYXNzd29yZA=="}}}"#, r#"{"auths":{"h":{"auth":"<redacted>"}}}"#),
            ("AccountKey=abcdefghij==;EndpointSuffix=x", "AccountKey=<redacted>;EndpointSuffix=x"),
            (
                "machine api.example.com login me password hunter",
                "machine api.example.com login me password <redacted>",
            ),
            (
                "machine a.example\n  login me\n  password hunter\n",
                "machine a.example\n  login me\n  password <redacted>\n",
            ),
            ("pypi-AgEIcHlwaS5vcmcCJDAwMDAwMDAwLTAwMDAtMDAw!", "<redacted>!"),
            ("hf_abcdefghijABCDEFGHIJabcdefghijABCD", "<redacted>"),
            ("SG.abcdefghijABCDEFGHIJ12.abcdefghijABCDEFGHIJabc", "<redacted>"),
            ("token hvs.abcdefghijABCDEFGHIJ12345.", "token <redacted>."),
            ("dop_v1_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "<redacted>"),
            ("AGE-SECRET-KEY-1QQPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", "<redacted>"),
            ("SK0123456789abcdef0123456789abcdef", "<redacted>"),
            (
                "https://hooks.slack.com/services/T00000000/B00000000/abcdefghijABCDEFGHIJ1234",
                "https://hooks.slack.com/services/<redacted>",
            ),
            (
                "https://x.blob.example/a?sv=1&sig=abcDEF123%2Bxyz987&se=2",
                "https://x.blob.example/a?sv=1&sig=<redacted>&se=2",
            ),
            ("\u{1b}[1mTOKEN=abc123\u{1b}[0m x", "\u{1b}[1mTOKEN=<redacted>\u{1b}[0m x"),
        ] {
            assert_eq!(redact(text), wanted);
            assert_eq!(redact(wanted), wanted, "once is enough");
        }
    }

    #[test]
    fn ordinary_text_stays() {
        for text in [
            "the token expired and the password is wrong",
            "unexpected token: foo",
            "Bearer token missing",
            "password=None secret=$SECRET token: <redacted>",
            "ssh://git@github.com/a/b https://a.example:443/x@y",
            "5f0c6a3e-1111-4222-8333-444455556666 at 12:30:01 took 5ms <uuid1> <secret1> 127.0.0.1",
            "\u{1b}[31mred\u{1b}[0m\r\nkey: value",
            "http://localhost:8080@x http://127.0.0.1:80@y https://git@github.com/a https://release-bot@host",
            "max_tokens=4096 total_tokens: 512 {\"tokens\": 12}",
            "PASS=3 FAIL=2 TESTS_PASS=12 first_pass=ok",
            "sort_key=created_at primary_key=id {\"key\": \"value\"} KEY=value",
            "PWD=/home/me pwd=/srv/shop",
            "use --password to set it; --token is required; --token TOKEN; the --key option",
            "docker run -u 1000:1000 image; id -u user:group",
            "Cookie: theme=dark; the cookie: was set",
            "<key>name</key> <pass>3</pass> <author>me</author>",
            "the machine needs a login and a password now",
            "\"auth\": \"basic\" auth=none author=somebody",
            "hf_transfer pypi-mirror-2024 SG.1 hvs.x dop_v1_ AGE-SECRET-KEY-1",
            "compass=north bypass=true keyboard=us monkey=7 tokenizer=bpe",
            "https://hooks.slack.com/services/ is down",
            "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        ] {
            assert!(matches!(redact(text), Cow::Borrowed(same) if same == text), "{text} → {}", redact(text));
        }
    }

    #[test]
    fn names_of_cases_lose_their_secrets_and_stay_apart() {
        let name = |text: &str| publishable(&CaseName::from(text)).as_str().to_owned();
        assert_eq!(name("login > ok"), "login > ok");
        let [one, two] = ["login[password=hunter2x]", "login[password=hunter3x]"].map(name);
        assert!(one.starts_with("login[password=<redacted>") && !one.contains("hunter"), "{one}");
        assert_ne!(one, two);
        assert_eq!(name(&one), one, "once is enough");
    }

    proptest! {
        /// A secret in any form, anywhere between ordinary words, is gone; the words are still there.
        #[test]
        fn no_planted_secret_leaks(
            before in "([a-z]{1,8} ){0,4}",
            after in "( [a-z]{1,8}){0,4}",
            secret in "[a-z]{3}[0-9]{3}[a-zA-Z0-9]{8,24}",
            form in 0_usize..12,
        ) {
            let planted = match form {
                0 => format!("Authorization: Bearer {secret}"),
                1 => format!("basic {secret}"),
                2 => format!("DB_PASSWORD={secret}"),
                3 => format!("export API_KEY='{secret}'"),
                4 => format!("{{\"access_token\": \"{secret}\"}}"),
                5 => format!("{{\\\"secret\\\":\\\"{secret}\\\"}}"),
                6 => format!("x-api-key: {secret}"),
                7 => format!("https://user:{secret}@host.example/path"),
                8 => format!("GET /x?token={secret}&page=2"),
                9 => format!("-----BEGIN EC PRIVATE KEY-----\n{secret}\n-----END EC PRIVATE KEY-----"),
                10 => format!("sk-{secret}{secret}"),
                _ => format!("PASSWORD=\u{1b}[1m{secret}\u{1b}[0m"),
            };
            let text = format!("{before}{planted}{after}");
            let out = redact(&text);
            prop_assert!(!out.contains(&secret), "{} → {}", text, out);
            prop_assert!(out.starts_with(before.as_str()) && out.ends_with(after.as_str()), "{} → {}", text, out);
            prop_assert_eq!(redact(&out), out.as_ref());
        }

        #[test]
        fn words_numbers_and_escapes_stay(text in "([a-z]{1,9}|[0-9]{1,4}|[.,:;()\n]|\u{1b}\\[[0-9]m|é| ){0,60}") {
            prop_assume!(!["key", "token", "secret", "pass", "pwd", "bearer", "basic", "cred", "auth"].iter().any(|w| text.contains(w)));
            prop_assert_eq!(redact(&text), text.as_str());
        }

        #[test]
        fn any_text_is_taken(text in "\\PC{0,200}") {
            let _ = redact(&text);
        }
    }
}
