//! Who may see the page and act: names of the server, origins, tokens and sessions.

mod credentials;
mod headers;
mod host;
mod sessions;
mod token;

pub(crate) use self::credentials::{bearer_of, cookie_name, cookie_of};
pub(crate) use self::headers::{is_safe, is_same_origin, secure};
pub(crate) use self::host::is_known;
pub(crate) use self::sessions::{Session, Sessions, random_text};
pub(crate) use self::token::{Attempts, Token};

/// The settings.
#[derive(Default)]
pub(crate) struct Access {
    /// Names of the server besides IP addresses and `localhost`, in lower case.
    pub(crate) hosts: Vec<String>,
    pub(crate) token: Option<String>,
    pub(crate) is_public: bool,
    pub(crate) has_actions: bool,
    pub(crate) attempts: Attempts,
}

impl Access {
    /// Compares a token with the right one; `None` if there is none, since the token is then for somebody else, such
    /// as a proxy.
    pub(crate) fn check(&self, token: &str) -> Option<Token> {
        Some(self.attempts.check(self.token.as_ref()?, token))
    }

    /// Whether somebody may act who has signed in.
    pub(crate) const fn offers_actions(&self) -> bool {
        self.has_actions && self.token.is_some()
    }
}
