//! Who has which token, and what it may do.

/// Someone with a token. Tokens are names of this rig, not secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Person {
    /// The account that the client under test uses; may write.
    Bot,
    /// Owns the repository.
    Owner,
    /// A colleague who may write.
    Maria,
    /// Somebody without push access: labels are dropped in silence, triage is refused.
    Mallory,
    /// The same account as [`Person::Bot`], with a token that may only read.
    ReadOnly,
}

impl Person {
    pub(crate) const ALL: [Self; 5] = [Self::Bot, Self::Owner, Self::Maria, Self::Mallory, Self::ReadOnly];

    pub(crate) fn login(self) -> &'static str {
        match self {
            Self::Bot | Self::ReadOnly => "loop-bot",
            Self::Owner => "acme",
            Self::Maria => "maria",
            Self::Mallory => "mallory",
        }
    }

    pub(crate) fn token(self) -> &'static str {
        match self {
            Self::Bot => "rig-token-bot",
            Self::Owner => "rig-token-owner",
            Self::Maria => "rig-token-maria",
            Self::Mallory => "rig-token-mallory",
            Self::ReadOnly => "rig-token-read-only",
        }
    }

    /// Whether the account has push access to the repository.
    pub(crate) fn pushes(self) -> bool {
        self != Self::Mallory
    }

    /// What an author is to the repository, in GitHub's words.
    pub(crate) fn association(login: &str) -> &'static str {
        match Self::ALL.into_iter().find(|person| person.login() == login) {
            Some(Self::Owner) => "OWNER",
            Some(person) if person.pushes() => "COLLABORATOR",
            _ => "NONE",
        }
    }

    pub(crate) fn of_token(token: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|person| person.token() == token)
    }
}
