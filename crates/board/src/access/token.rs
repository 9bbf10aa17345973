//! [`Attempts`]: limits the guesses of a token.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use subtle::ConstantTimeEq as _;

/// How many wrong tokens are compared in a [`PERIOD`]. So guessing takes longer than any token lives.
const MOST_WRONG: u32 = 5;
const PERIOD: Duration = Duration::from_secs(1);

/// Whether a token is the right one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    Right,
    Wrong,
    /// It was not compared, because there were too many wrong ones.
    TooMany,
}

/// The wrong tokens of the last period.
#[derive(Debug, Default)]
pub(crate) struct Attempts(Mutex<(Option<Instant>, u32)>);

impl Attempts {
    /// Compares a token with the right one, in a time that does not depend on what it has in common with it.
    pub(super) fn check(&self, right: &str, token: &str) -> Token {
        let mut attempts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (start, wrong) = &mut *attempts;
        if start.is_none_or(|start| start.elapsed() >= PERIOD) {
            (*start, *wrong) = (Some(Instant::now()), 0);
        }
        if *wrong >= MOST_WRONG {
            return Token::TooMany;
        }
        if right.as_bytes().ct_eq(token.as_bytes()).into() {
            return Token::Right;
        }
        *wrong += 1;
        Token::Wrong
    }
}
