//! [`ReadHistory`] and [`HypotheticalHistory`]: what queries read.

use core::ops::{ControlFlow, RangeInclusive};

use millicron_history::{History, RunState};

use crate::missing::Missing;
use crate::ready::Run;
use crate::timeline::Timeline;

/// The reads of a [`History`] that queries use.
pub(crate) trait ReadHistory {
    type Error;

    /// Passes the recorded runs of a job in a range to `visit`; see [`History::states`].
    fn states(
        &self,
        job: &str,
        range: RangeInclusive<i64>,
        visit: &mut dyn FnMut(i64, RunState) -> ControlFlow<()>,
    ) -> Result<(), Self::Error>;

    /// Returns how a run ended.
    fn state(&self, job: &str, scheduled: i64) -> Result<Option<RunState>, Self::Error>;

    /// Returns the first success at or after an instant.
    fn first_at_or_after(&self, job: &str, instant: i64) -> Result<Option<i64>, Self::Error>;

    /// Returns the events in a range at which a job has not succeeded.
    fn missing<'a>(
        &self,
        job: &str,
        timeline: &'a Timeline,
        range: RangeInclusive<i64>,
    ) -> Result<Missing<'a>, Self::Error>;
}

impl<H: History + ?Sized> ReadHistory for H {
    type Error = H::Error;

    fn states(
        &self,
        job: &str,
        range: RangeInclusive<i64>,
        visit: &mut dyn FnMut(i64, RunState) -> ControlFlow<()>,
    ) -> Result<(), H::Error> {
        History::states(self, job, range, visit)
    }

    fn state(&self, job: &str, scheduled: i64) -> Result<Option<RunState>, H::Error> {
        History::state(self, job, scheduled)
    }

    fn first_at_or_after(&self, job: &str, instant: i64) -> Result<Option<i64>, H::Error> {
        History::first_at_or_after(self, job, instant)
    }

    fn missing<'a>(
        &self,
        job: &str,
        timeline: &'a Timeline,
        range: RangeInclusive<i64>,
    ) -> Result<Missing<'a>, H::Error> {
        Missing::find(self, job, timeline, range)
    }
}

/// A history with the outcome of one run replaced.
pub(crate) struct HypotheticalHistory<'h, H: ?Sized> {
    pub(crate) history: &'h H,
    pub(crate) run: Run<'h>,
    /// `None` if the run has not ended.
    pub(crate) state: Option<RunState>,
}

impl<H: History + ?Sized> HypotheticalHistory<'_, H> {
    fn replaces(&self, job: &str, range: &RangeInclusive<i64>) -> bool {
        job == self.run.job && range.contains(&self.run.scheduled)
    }

    fn successes(
        &self,
        job: &str,
        range: RangeInclusive<i64>,
        visit: &mut dyn FnMut(i64) -> ControlFlow<()>,
    ) -> Result<(), H::Error> {
        self.states(job, range, &mut |scheduled, state| match state {
            RunState::Succeeded => visit(scheduled),
            RunState::Failed | RunState::Skipped => ControlFlow::Continue(()),
        })
    }
}

impl<H: History + ?Sized> ReadHistory for HypotheticalHistory<'_, H> {
    type Error = H::Error;

    fn states(
        &self,
        job: &str,
        range: RangeInclusive<i64>,
        visit: &mut dyn FnMut(i64, RunState) -> ControlFlow<()>,
    ) -> Result<(), H::Error> {
        let Run { scheduled, .. } = self.run;
        if !self.replaces(job, &range) {
            return self.history.states(job, range, visit);
        }
        let mut flow = ControlFlow::Continue(());
        if scheduled > *range.start() {
            self.history.states(job, *range.start()..=scheduled - 1, &mut |before, state| {
                flow = visit(before, state);
                flow
            })?;
        }
        if let (ControlFlow::Continue(()), Some(state)) = (flow, self.state) {
            flow = visit(scheduled, state);
        }
        if flow.is_continue() && scheduled < *range.end() {
            self.history.states(job, scheduled + 1..=*range.end(), visit)?;
        }
        Ok(())
    }

    fn state(&self, job: &str, scheduled: i64) -> Result<Option<RunState>, H::Error> {
        if self.replaces(job, &(scheduled..=scheduled)) {
            return Ok(self.state);
        }
        self.history.state(job, scheduled)
    }

    fn first_at_or_after(&self, job: &str, instant: i64) -> Result<Option<i64>, H::Error> {
        let mut first = None;
        self.successes(job, instant..=i64::MAX, &mut |success| {
            first = Some(success);
            ControlFlow::Break(())
        })?;
        Ok(first)
    }

    fn missing<'a>(
        &self,
        job: &str,
        timeline: &'a Timeline,
        range: RangeInclusive<i64>,
    ) -> Result<Missing<'a>, H::Error> {
        let mut missing = Missing::new(timeline, range.clone());
        self.successes(job, range, &mut |success| {
            missing.add_success(success);
            ControlFlow::Continue(())
        })?;
        Ok(missing.finish())
    }
}
