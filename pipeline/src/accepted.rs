//! [`Accepted`]: the recorded runs that a need accepts.

use core::ops::{ControlFlow, RangeInclusive};

use millicron_history::RunState;

use crate::hypothetical::ReadHistory;
use crate::missing::Missing;
use crate::requirement::Requirement;
use crate::timeline::Timeline;

/// The runs in a history that a need accepts: successes, or all runs that have ended.
pub(crate) struct Accepted<'h, H: ?Sized> {
    history: &'h H,
    includes_failures: bool,
}

impl<'h, H: ReadHistory + ?Sized> Accepted<'h, H> {
    pub(crate) const fn of(requirement: &Requirement, history: &'h H) -> Self {
        Self { history, includes_failures: requirement.settings.accepts_ended }
    }

    pub(crate) fn contains(&self, job: &str, scheduled: i64) -> Result<bool, H::Error> {
        let state = self.history.state(job, scheduled)?;
        Ok(state.is_some_and(|state| self.includes_failures || state == RunState::Succeeded))
    }

    /// Returns the first accepted run at or after an instant.
    pub(crate) fn first_at_or_after(
        &self,
        job: &str,
        instant: i64,
    ) -> Result<Option<i64>, H::Error> {
        if !self.includes_failures {
            return self.history.first_at_or_after(job, instant);
        }
        let mut first = None;
        self.history.states(job, instant..=i64::MAX, &mut |scheduled, _| {
            first = Some(scheduled);
            ControlFlow::Break(())
        })?;
        Ok(first)
    }

    /// Returns the events in a range at which no accepted run is recorded.
    pub(crate) fn missing<'a>(
        &self,
        job: &str,
        timeline: &'a Timeline,
        range: RangeInclusive<i64>,
    ) -> Result<Missing<'a>, H::Error> {
        if !self.includes_failures {
            return self.history.missing(job, timeline, range);
        }
        let mut missing = Missing::new(timeline, range.clone());
        self.history.states(job, range, &mut |scheduled, _| {
            missing.add_success(scheduled);
            ControlFlow::Continue(())
        })?;
        Ok(missing.finish())
    }
}
