//! [`Pace`].

use std::time::Instant;

/// When something that may take long is done again, so that it takes only a part of the time.
#[derive(Debug, Default)]
pub(crate) struct Pace(Option<Instant>);

impl Pace {
    pub(crate) fn is_due(&self) -> bool {
        self.0.is_none_or(|next| next <= Instant::now())
    }

    /// Waits for a multiple of the time that has passed since a beginning.
    pub(crate) fn rest(&mut self, began: Instant, times: u32) {
        self.0 = Instant::now().checked_add(began.elapsed().saturating_mul(times));
    }
}
