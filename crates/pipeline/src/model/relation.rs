//! [`Relation`]: a need for the runs of one job, and the events that it requires for one run.
//!
//! Only this module implements the rules.

use millicron::{Recurrence as _, Unit};

use super::job::{Job, Requirement};
use super::need::{AgeLimit, NeedSettings, Rule};
use super::timeline::{ScheduleVersion, Timeline};

/// A need of a job for the runs of another job.
#[derive(Clone, Copy)]
pub(crate) struct Relation<'a> {
    pub(crate) job: &'a Job,
    pub(crate) upstream: &'a Job,
    pub(crate) requirement: &'a Requirement,
}

/// A range of upstream instants, including both ends; empty if `last` is before `first`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EventRange {
    pub(crate) first: i64,
    pub(crate) last: i64,
}

impl EventRange {
    const fn one(event: i64) -> Self {
        Self { first: event, last: event }
    }

    /// Creates an empty range just before the first event that may be needed.
    const fn empty(reset: i64) -> Self {
        Self { first: reset, last: reset.saturating_sub(1) }
    }
}

/// The upstream event that a need for the last run requires.
struct LastEvent {
    event: i64,
    /// Why a later event is required: the limit, and the last event, which is too old. `None` if
    /// the last event is required.
    expired: Option<(AgeLimit, Option<i64>)>,
}

/// A run, and everything that its search range depends on.
struct RunContext<'a> {
    own: &'a Timeline,
    upstream: &'a Timeline,
    own_version: &'a ScheduleVersion,
    upstream_version: &'a ScheduleVersion,
    settings: NeedSettings,
    period: CheckPeriod<'a>,
    /// The earlier run to which the need looks back.
    run: i64,
    /// The instant to which the need looks back.
    anchor: i64,
}

/// The check period of a need: a number of calendar units, in a schedule's local time.
#[derive(Clone, Copy)]
pub(crate) struct CheckPeriod<'a> {
    pub(crate) unit: Unit,
    pub(crate) count: u32,
    /// How many check periods it is before the one that contains the run.
    pub(crate) back: u32,
    version: &'a ScheduleVersion,
}

impl<'a> Relation<'a> {
    /// Returns the needs of a job.
    pub(crate) fn of(jobs: &'a [Job], job: &'a Job) -> impl Iterator<Item = Self> {
        let relation = move |requirement: &'a Requirement| Self {
            job,
            upstream: &jobs[requirement.upstream],
            requirement,
        };
        job.requirements.iter().map(relation)
    }

    /// Returns the needs of a job for another job, both by their indices.
    pub(crate) fn between(
        jobs: &'a [Job],
        user: usize,
        upstream: usize,
    ) -> impl Iterator<Item = Self> {
        Self::of(jobs, &jobs[user]).filter(move |it| it.requirement.upstream == upstream)
    }

    /// Returns the check period with the current schedules of both jobs.
    pub(crate) fn current_period(&self) -> CheckPeriod<'a> {
        self.check_period(self.job.timeline.current(), self.upstream.timeline.current())
    }

    /// Returns the check period. By default, its unit is the larger of the two jobs' units, in the
    /// local time of that job, or of the job itself if they are equal.
    fn check_period(
        &self,
        own: &'a ScheduleVersion,
        upstream: &'a ScheduleVersion,
    ) -> CheckPeriod<'a> {
        let NeedSettings { periods: back, unit, .. } = self.requirement.settings;
        match (self.requirement.rule, unit) {
            (Rule::AllData(unit), _) => {
                CheckPeriod { unit, count: 1, back: back.saturating_add(1), version: own }
            }
            (Rule::Classic, _) => {
                let version = if upstream.gap() > own.gap() { upstream } else { own };
                let (unit, count) = version.gap().period();
                CheckPeriod { unit, count, back, version }
            }
            (_, Some(unit)) => CheckPeriod { unit, count: 1, back, version: own },
            (_, None) => {
                let is_larger = upstream.period.unit > own.period.unit;
                let version = if is_larger { upstream } else { own };
                CheckPeriod { unit: version.period.unit, count: 1, back, version }
            }
        }
    }

    /// Returns the calendar units that the need uses, each with the schedule whose local time
    /// applies.
    pub(crate) fn local_units(
        &self,
        own: &'a ScheduleVersion,
        upstream: &'a ScheduleVersion,
    ) -> impl Iterator<Item = (Unit, &'a ScheduleVersion)> + use<'a> {
        let Requirement { rule, settings, .. } = self.requirement;
        let has_period =
            settings.periods > 0 || rule.has_check_point() || matches!(rule, Rule::AllData(_));
        let CheckPeriod { unit, version, .. } = self.check_period(own, upstream);
        let age = match (rule, settings.limit) {
            (Rule::Last, Some(AgeLimit::SameUnit(unit))) => Some((unit, own)),
            _ => None,
        };
        has_period.then_some((unit, version)).into_iter().chain(age)
    }

    /// Returns the range of the upstream events that a run selects: the events that it needs or,
    /// after a check point, is likely to use. `None` if neither this run nor an earlier one selects
    /// any. Like [`search_range`](Self::search_range), the range never moves back from one run to
    /// the next.
    pub(crate) fn selected_range(&self, scheduled: i64) -> Option<EventRange> {
        if self.requirement.rule.has_check_point() {
            return self.required_events(scheduled);
        }
        self.search_range(scheduled)
    }

    /// Returns the first and the last upstream event that a run needs; `None` if it needs none. For
    /// a check point, later events meet the need too, and `last` may not be an event.
    pub(crate) fn required_events(&self, scheduled: i64) -> Option<EventRange> {
        let EventRange { first: start, last: end } = self.search_range(scheduled)?;
        let upstream = &self.upstream.timeline;
        if self.requirement.rule.has_check_point() {
            // If upstream will never run again, its last run is the check point.
            let last = || upstream.nearest_prev_event(i64::MAX);
            let reset = upstream.version_at(scheduled).reset;
            let first =
                upstream.nearest_event(start).or_else(last).filter(|event| *event >= reset)?;
            return Some(EventRange { first, last: end.max(first) });
        }
        if self.requirement.rule == Rule::Last {
            return Some(EventRange::one(start));
        }
        let first = upstream.nearest_event(start).filter(|event| *event <= end)?;
        // `first` is in the range, unless the recurrence contradicts itself.
        let last = upstream.nearest_prev_event(end).unwrap_or(first);
        Some(EventRange { first, last })
    }

    /// Returns the range of milliseconds in which a run needs upstream events; `None` if neither
    /// this run nor an earlier one needs any.
    ///
    /// If the range is empty, the check point is after it. A later run never has an earlier start
    /// or end, unless a schedule changed between the two runs.
    fn search_range(&self, scheduled: i64) -> Option<EventRange> {
        let context = self.context(scheduled)?;
        match self.requirement.rule {
            Rule::Latest | Rule::Classic => context.check_point_range(),
            Rule::Last => context.last_event().map(|last| EventRange::one(last.event)),
            Rule::Previous => Some(context.previous_run()),
            Rule::AllData(_) => Some(context.data_range()),
            Rule::All | Rule::AtLeast(_) => context.interval(),
        }
    }

    /// Returns why a run needs an upstream event later than the last one; `None` if it does not, or
    /// if the need is not for the last run.
    pub(crate) fn expired(&self, scheduled: i64) -> Option<(AgeLimit, Option<i64>)> {
        self.context(scheduled)?.last_event()?.expired
    }

    /// Returns the context of a run; `None` if the need looks back to before the job's first run.
    fn context(&self, scheduled: i64) -> Option<RunContext<'a>> {
        let settings = self.requirement.settings;
        let (own, upstream) = (&self.job.timeline, &self.upstream.timeline);
        let run = match settings.events {
            0 => scheduled,
            events => own.nth_prev_event(scheduled, events.into())?,
        };
        let anchor = run.saturating_sub(settings.millis);
        let [own_version, upstream_version] = [own, upstream].map(|it| it.version_at(scheduled));
        let period = self.check_period(own_version, upstream_version);
        Some(RunContext {
            own,
            upstream,
            own_version,
            upstream_version,
            settings,
            period,
            run,
            anchor,
        })
    }
}

impl RunContext<'_> {
    /// Returns the start and the end of the check period of the run.
    fn period(&self) -> (i64, i64) {
        (self.period.start(self.anchor), self.period.end(self.anchor))
    }

    fn check_point_range(&self) -> Option<EventRange> {
        let (start, end) = self.period();
        let ScheduleVersion { reset, is_initial, .. } = *self.upstream_version;
        // Upstream may begin after the check period. In that case, a need does not wait for it if
        // it looks back, or if the pipeline's beginning cuts off its period.
        let first_event = self.upstream.nearest_event(reset)?;
        let is_cut = start == i64::MIN || start < reset;
        if first_event >= end && (self.settings.periods > 0 || is_cut && is_initial) {
            return None;
        }
        let first = start.max(self.own_version.reset).max(reset);
        Some(EventRange { first, last: self.anchor.min(end.saturating_sub(1)) })
    }

    fn previous_run(&self) -> EventRange {
        let until = match self.settings.periods {
            0 => self.anchor,
            _ => self.period().1,
        };
        let reset = self.own_version.reset;
        let run = self.own.prev_event(until).filter(|run| *run >= reset);
        // The first run needs nothing.
        run.map_or(EventRange::empty(reset), EventRange::one)
    }

    /// Returns the data interval of the run, or an earlier period as a whole.
    fn interval(&self) -> Option<EventRange> {
        let NeedSettings { periods, millis, .. } = self.settings;
        let (start, last) = if periods == 0 {
            let previous = self.own.prev_event(self.run);
            // The interval moves as a whole.
            let after = |event: i64| event.saturating_sub(millis).saturating_add(1);
            (previous.map_or(i64::MIN, after), self.anchor)
        } else {
            let (start, end) = self.period();
            (start, end.checked_sub(1)?)
        };
        Some(EventRange { first: start.max(self.upstream_version.reset), last })
    }

    /// Returns the range of the upstream events whose data begins in a period: the events that
    /// follow an event in the period.
    fn data_range(&self) -> EventRange {
        let (start, end) = self.period();
        let reset = self.upstream_version.reset;
        if end <= reset {
            return EventRange::empty(reset);
        }
        let first = if start < reset {
            // No earlier event is known, so all data since the beginning may belong to the period.
            reset
        } else {
            let event = self.upstream.nearest_event(start);
            event.and_then(|event| event.checked_add(1)).unwrap_or(i64::MAX)
        };
        EventRange { first, last: self.upstream.nearest_event(end).unwrap_or(i64::MAX) }
    }

    /// Returns the last upstream event up to an instant, or the next one if that event is too old.
    fn last_event(&self) -> Option<LastEvent> {
        let NeedSettings { periods, limit, .. } = self.settings;
        let until = match periods {
            0 => self.anchor,
            _ => self.period().1.checked_sub(1)?,
        };
        let reset = self.upstream_version.reset;
        let last = self.upstream.nearest_prev_event(until).filter(|event| *event >= reset);
        let recent = |event| LastEvent { event, expired: None };
        let Some(limit) = limit else { return last.map(recent) };
        let oldest = oldest(limit, self.own_version, until);
        match last {
            Some(last) if last >= oldest => Some(recent(last)),
            // Before its beginning, the pipeline does not know whether there was a run.
            None if oldest < reset || is_before_range(self.own_version, oldest) => None,
            // If upstream will never run again, its last run is enough.
            _ => match self.upstream.next_event(until) {
                Some(event) => Some(LastEvent { event, expired: Some((limit, last)) }),
                None => last.map(recent),
            },
        }
    }
}

/// Returns the earliest instant that an age limit allows.
fn oldest(limit: AgeLimit, own: &ScheduleVersion, until: i64) -> i64 {
    match limit {
        AgeLimit::Elapsed(age) => {
            let millis = i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
            until.saturating_sub(millis)
        }
        AgeLimit::SameUnit(unit) => own.recurrence.unit_start(unit, until, 0).unwrap_or(i64::MIN),
    }
}

/// Returns whether an instant is before all events that schedules have.
fn is_before_range(own: &ScheduleVersion, instant: i64) -> bool {
    own.recurrence.unit_start(Unit::Day, instant, 0).is_none()
}

impl CheckPeriod<'_> {
    /// Returns how many units before the run's unit the period starts.
    pub(crate) fn units_back(&self) -> u64 {
        let Self { count, back, .. } = *self;
        u64::from(count) * (u64::from(back) + 1) - 1
    }

    /// Returns the start of the period for a run, or [`i64::MIN`] if that is before the range of
    /// schedules.
    fn start(&self, anchor: i64) -> i64 {
        let recurrence = &self.version.recurrence;
        recurrence.unit_start(self.unit, anchor, self.units_back()).unwrap_or(i64::MIN)
    }

    /// Returns the start of the next period; [`i64::MIN`] if that is before the range of schedules,
    /// and [`i64::MAX`] if it is after the range.
    fn end(&self, anchor: i64) -> i64 {
        let Self { unit, count, back, version } = *self;
        let recurrence = &version.recurrence;
        if back == 0 {
            return recurrence.unit_end(unit, anchor).unwrap_or(i64::MAX);
        }
        let back = u64::from(count) * u64::from(back) - 1;
        recurrence.unit_start(unit, anchor, back).unwrap_or(i64::MIN)
    }
}
