//! [`Need`]: what a run needs of others.

use millicron::Unit;

/// What each run of a job needs before it may start: a rule, and the job it speaks of.
///
/// | need | is met when |
/// | --- | --- |
/// | [`all`](Self::all) | every upstream event in the run's [interval](super#data-intervals) has succeeded |
/// | [`at_least`](Self::at_least) | so many of them have |
/// | [`latest`](Self::latest) | there is a success at or after the [check point](super#the-check-point) |
/// | [`self_previous`](Self::self_previous) | the job's own last run has succeeded; the first run ever may start |
/// | [`any_of`](Self::any_of) | one of several needs is met |
/// | [`all_of`](Self::all_of) | each of several needs is met |
///
/// Each can look further back: by [events](Self::events_back) of the job, or by
/// [cycles](Self::cycles_back), which are those of the larger cycle of the two jobs, or
/// [others](Self::by).
///
/// All of it is `const`, so that a pipeline can be a [table of
/// constants](super#a-table-of-constants).
///
/// ```
/// use millicron_pipeline::Need;
///
/// const RATES: Need = Need::any_of(&[Need::latest("bank"), Need::latest("exchange")]);
/// const YESTERDAY: Need = Need::all("hourly").cycles_back(1);
/// assert_ne!(RATES, YESTERDAY);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub struct Need<'a> {
    pub(crate) what: What<'a>,
    pub(crate) back: Back,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum What<'a> {
    Of(Rule, &'a str),
    SelfPrevious,
    AnyOf(&'a [Need<'a>]),
    AllOf(&'a [Need<'a>]),
}

/// What is asked of the runs of one job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Rule {
    /// A success at or after the check point.
    Latest,
    /// All runs of the interval.
    All,
    /// So many of them, or all where there are fewer.
    AtLeast(u64),
    /// The run before, of the same job.
    Previous,
}

/// How far a need looks back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Back {
    pub(crate) events: u32,
    pub(crate) cycles: u32,
    /// What a cycle is; the larger one of the two jobs if nothing is chosen.
    pub(crate) unit: Option<Unit>,
}

impl Back {
    const NONE: Self = Self { events: 0, cycles: 0, unit: None };

    /// As far as this, within another.
    pub(crate) fn plus(self, outer: Self) -> Self {
        Self {
            events: self.events.saturating_add(outer.events),
            cycles: self.cycles.saturating_add(outer.cycles),
            unit: self.unit.or(outer.unit),
        }
    }
}

impl<'a> Need<'a> {
    const fn new(what: What<'a>) -> Self {
        Self { what, back: Back::NONE }
    }

    /// Every upstream event in the run's data interval has succeeded: just those that
    /// [`Schedule::covers`](millicron::Schedule::covers) tells. Where there is none,
    /// nothing is needed.
    pub const fn all(job: &'a str) -> Self {
        Self::new(What::Of(Rule::All, job))
    }

    /// At least `count` of the upstream events in the run's data interval have
    /// succeeded; all of them, where an interval has fewer, as on a day of 23 hours. A
    /// count that no interval has is an error of the [pipeline](super::Builder::build).
    pub const fn at_least(count: u64, job: &'a str) -> Self {
        Self::new(What::Of(Rule::AtLeast(count), job))
    }

    /// The classic rule: upstream has succeeded at or after one check point, its first
    /// event at or after the start of the larger cycle of the two jobs. Any success that
    /// the history has will do, be it of an event or not.
    ///
    /// A daily job is content with the first hourly run of its day, or any later one; an
    /// hourly job waits for the daily run of its day, also where that comes later. See
    /// [the check point](super#the-check-point).
    pub const fn latest(job: &'a str) -> Self {
        Self::new(What::Of(Rule::Latest, job))
    }

    /// The job's own run before has succeeded. The first run ever, which has none
    /// before it, may start.
    pub const fn self_previous() -> Self {
        Self::new(What::SelfPrevious)
    }

    /// One of several needs is met. What is chosen of the whole, as
    /// [`events_back`](Self::events_back), goes for each, and is added to what that
    /// chooses. One that needs nothing, as where there is no upstream
    /// event in the interval, is met.
    pub const fn any_of(needs: &'a [Self]) -> Self {
        Self::new(What::AnyOf(needs))
    }

    /// Each of several needs is met. So are all needs of a job; this is for
    /// [`any_of`](Self::any_of).
    pub const fn all_of(needs: &'a [Self]) -> Self {
        Self::new(What::AllOf(needs))
    }

    /// As for the run so many events before, of the job itself. Where the job has no such
    /// event, nothing is needed.
    pub const fn events_back(mut self, events: u32) -> Self {
        self.back.events = events;
        self
    }

    /// So many cycles before, of the larger cycle of the two jobs. The
    /// check point of [`latest`](Self::latest) is sought from the start of that cycle;
    /// [`all`](Self::all) and [`at_least`](Self::at_least) ask for the upstream events
    /// in the whole of that cycle, from its start to its end: with 1, a daily job needs
    /// the hourly runs of the day before. [`self_previous`](Self::self_previous) asks for
    /// the job's last run by the end of that cycle.
    pub const fn cycles_back(mut self, cycles: u32) -> Self {
        self.back.cycles = cycles;
        self
    }

    /// A cycle is this unit, by the clocks of the job, in place of the larger cycle of the
    /// two jobs. What runs on Monday and Thursday has a cycle of a week: by it, a success on
    /// Monday is enough until Sunday. By the day, there has to be one each day.
    ///
    /// ```
    /// use millicron_pipeline::{Need, Unit};
    ///
    /// const TODAY: Need = Need::latest("closing prices").by(Unit::Day);
    /// const THE_DAY_BEFORE: Need = Need::all("trades").by(Unit::Day).cycles_back(1);
    /// # assert_ne!(TODAY, THE_DAY_BEFORE);
    /// ```
    pub const fn by(mut self, unit: Unit) -> Self {
        self.back.unit = Some(unit);
        self
    }
}
