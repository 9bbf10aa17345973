//! [`Backoff`]: how long to wait after failures in a row.

use core::time::Duration;

/// The waits between attempts of a call that fails, of which each is twice as long as the one
/// before it.
///
/// ```
/// use std::time::Duration;
///
/// use millicron_history::Backoff;
///
/// const BACKOFF: Backoff = Backoff::new(Duration::from_millis(100), Duration::from_secs(30));
///
/// assert_eq!(BACKOFF.wait(0), Duration::from_millis(100));
/// assert_eq!(BACKOFF.wait(3), Duration::from_millis(800));
/// assert_eq!(BACKOFF.wait(9), Duration::from_secs(30));
/// assert_eq!(BACKOFF.wait(u32::MAX), Duration::from_secs(30));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    first: Duration,
    longest: Duration,
}

impl Backoff {
    /// Creates a backoff from its first wait and its longest one.
    #[must_use]
    pub const fn new(first: Duration, longest: Duration) -> Self {
        Self { first, longest }
    }

    /// Returns the time to wait, given the number of earlier waits in a row: 0 returns the first
    /// wait.
    #[must_use]
    pub fn wait(self, earlier: u32) -> Duration {
        let factor = 1_u32.checked_shl(earlier).unwrap_or(u32::MAX);
        self.first.saturating_mul(factor).min(self.longest)
    }
}
