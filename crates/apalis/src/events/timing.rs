//! [`Timing`]: the events of a job, and which of them become tasks.

use millicron_scheduler::Missed;

use super::guarded::Events;

/// A job's events and policies. Durations are in milliseconds.
pub(crate) struct Timing {
    pub(crate) events: Events,
    pub(crate) missed: Missed,
    pub(crate) catch_up: i64,
    pub(crate) grace: i64,
    pub(crate) ahead: i64,
}

/// What the policy says about a range of missed events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MissedRange {
    /// The first and the last event that become tasks.
    pub(crate) kept: Option<(i64, i64)>,
    /// The first event after the range.
    pub(crate) next: Option<i64>,
    /// The policy skips them, or a later event covers them.
    pub(crate) skipped: u64,
    /// They are before the catch-up window.
    pub(crate) expired: u64,
}

/// Which events of a period become tasks.
#[derive(Debug, Default, PartialEq, Eq)]
#[cfg(feature = "stored")]
pub(crate) struct Decision {
    /// The events that become tasks.
    pub(crate) tasks: Vec<i64>,
    /// The first event that is not decided.
    pub(crate) next: Option<i64>,
    pub(crate) skipped: u64,
    pub(crate) expired: u64,
}

/// The start and the end of a push that hung. Events in between were not missed.
pub(crate) type Hang = (i64, i64);

pub(crate) const NO_HANG: Hang = (i64::MAX, i64::MIN);

impl Timing {
    /// Returns the instant until which events from `first` on are missed; `None` if `first` is on
    /// time.
    pub(crate) fn missed_until(&self, first: i64, now: i64, hang: Hang) -> Option<i64> {
        let until = now.saturating_sub(self.grace).saturating_sub(1);
        let (started, ended) = (hang.0.saturating_sub(self.grace), hang.1);
        if first > until || (started..=ended).contains(&first) {
            None
        } else if first < started {
            Some(until.min(started - 1))
        } else {
            Some(until)
        }
    }

    /// Decides about the missed events from `first` to `until`.
    pub(crate) fn miss(&self, first: i64, until: i64, now: i64) -> MissedRange {
        let Self { events, missed, catch_up, .. } = self;
        let last = events.nth_until(until, 0).unwrap_or(first).max(first);
        let next = events.after(last);
        let start = first.max(now.saturating_sub(*catch_up));
        let count = events.count(start..=last);
        let expired = events.count(first..=last).saturating_sub(count);
        let mut kept = missed.handle(count, true).run;
        if *missed == Missed::Coalesce && next.is_some_and(|next| next <= now) {
            // That event covers the missed ones.
            kept = 0;
        }
        let range = (kept > 0).then(|| {
            let from = events.nth_until(last, kept - 1).filter(|from| *from >= start);
            (from.unwrap_or(last), last)
        });
        MissedRange { kept: range, next, skipped: count - kept, expired }
    }

    /// Decides about the events from `first` to `last`, until there are `most` tasks.
    #[cfg(feature = "stored")]
    pub(crate) fn decide(
        &self,
        (first, last): (i64, i64),
        now: i64,
        hang: Hang,
        most: usize,
    ) -> Decision {
        let mut decision = Decision { next: self.events.from(first), ..Decision::default() };
        while let Some(event) = decision.next
            && event <= last
            && decision.tasks.len() < most
        {
            let Some(until) = self.missed_until(event, now, hang) else {
                decision.tasks.push(event);
                decision.next = self.events.after(event);
                continue;
            };
            let MissedRange { kept, next, skipped, expired } =
                self.miss(event, until.min(last), now);
            decision.skipped += skipped;
            decision.expired += expired;
            decision.next = next;
            let Some((mut event, last)) = kept else { continue };
            loop {
                decision.tasks.push(event);
                let next = self.events.after(event).filter(|next| *next <= last);
                match next {
                    Some(next) if decision.tasks.len() < most => event = next,
                    // The policy decides again about the rest.
                    Some(next) => {
                        decision.next = Some(next);
                        break;
                    }
                    None => break,
                }
            }
        }
        decision
    }
}
