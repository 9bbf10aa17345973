//! [`Need`]: what a run needs of other runs.

use millicron::Unit;

/// A condition that other runs must meet before a run may start.
///
/// | need | is met when |
/// | --- | --- |
/// | [`all`](Self::all) | every upstream event in the run's [data interval](crate#data-intervals) has succeeded |
/// | [`at_least`](Self::at_least) | a number of them have succeeded |
/// | [`latest`](Self::latest) | upstream has succeeded at or after the [check point](crate#the-check-point) |
/// | [`self_previous`](Self::self_previous) | the job's own previous run has succeeded |
/// | [`any_of`](Self::any_of) | at least one of several needs is met |
/// | [`all_of`](Self::all_of) | every one of several needs is met |
///
/// Each need can [look back](crate#looking-back): by runs of the job itself, with
/// [`events_back`](Self::events_back), or by calendar units, with
/// [`periods_back`](Self::periods_back) and [`period`](Self::period).
///
/// Every method is `const`, so a pipeline can be a [table of
/// constants](crate#a-table-of-constants).
///
/// ```
/// use millicron_pipeline::Need;
///
/// const RATES: Need = Need::any_of(&[Need::latest("bank"), Need::latest("exchange")]);
/// const YESTERDAY: Need = Need::all("hourly").periods_back(1);
/// assert_ne!(RATES, YESTERDAY);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub struct Need<'a> {
    pub(crate) kind: Kind<'a>,
    pub(crate) look_back: LookBack,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind<'a> {
    Upstream(Rule, &'a str),
    SelfPrevious,
    AnyOf(&'a [Need<'a>]),
    AllOf(&'a [Need<'a>]),
}

/// Which runs of one job must have succeeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Rule {
    /// Any run at or after the check point.
    Latest,
    /// All runs in the interval.
    All,
    /// This many runs in the interval, or all if it has fewer.
    AtLeast(u64),
    /// The previous run of the same job.
    Previous,
}

/// How far back a need looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct LookBack {
    pub(crate) events: u32,
    pub(crate) periods: u32,
    /// The unit of a period; by default the larger of the two jobs' units.
    pub(crate) unit: Option<Unit>,
}

impl LookBack {
    const NONE: Self = Self { events: 0, periods: 0, unit: None };

    /// Combines this with the `LookBack` of an enclosing need.
    pub(crate) fn within(self, outer: Self) -> Self {
        Self {
            events: self.events.saturating_add(outer.events),
            periods: self.periods.saturating_add(outer.periods),
            unit: self.unit.or(outer.unit),
        }
    }
}

impl<'a> Need<'a> {
    const fn new(kind: Kind<'a>) -> Self {
        Self { kind, look_back: LookBack::NONE }
    }

    /// Needs a success of every upstream event in the run's [data
    /// interval](crate#data-intervals), which [`Covers::covers`](crate::Covers::covers) returns. If
    /// the interval has no upstream event, nothing is needed.
    pub const fn all(job: &'a str) -> Self {
        Self::new(Kind::Upstream(Rule::All, job))
    }

    /// Needs at least `count` successes of the upstream events in the run's [data
    /// interval](crate#data-intervals), or of all of them if the interval has fewer, as on a day
    /// with 23 hours. A count that no interval ever reaches is an
    /// [error](crate::PipelineBuilder::build).
    pub const fn at_least(count: u64, job: &'a str) -> Self {
        Self::new(Kind::Upstream(Rule::AtLeast(count), job))
    }

    /// Needs an upstream success at or after the [check point](crate#the-check-point): the first
    /// upstream event at or after the start of the check period, which is the larger of the two
    /// jobs' periods.
    ///
    /// For a daily job, the first hourly run of its day is enough, or any later one. An hourly job
    /// waits for the daily run of its day, even if that is scheduled later. Any success in the
    /// history counts, whether or not it is at an event.
    pub const fn latest(job: &'a str) -> Self {
        Self::new(Kind::Upstream(Rule::Latest, job))
    }

    /// Needs a success of the job's own previous run. The job's first run needs nothing.
    pub const fn self_previous() -> Self {
        Self::new(Kind::SelfPrevious)
    }

    /// Needs at least one of several needs. An alternative that needs nothing, such as
    /// [`all`](Self::all) of an interval without upstream events, is met.
    ///
    /// A look-back of the whole, such as [`events_back`](Self::events_back), is added to that of
    /// each alternative. A [`period`](Self::period) applies to the alternatives that set none.
    pub const fn any_of(needs: &'a [Self]) -> Self {
        Self::new(Kind::AnyOf(needs))
    }

    /// Needs every one of several needs. A job's needs are combined in this way already; use this
    /// inside [`any_of`](Self::any_of). Look-backs and periods apply as in `any_of`.
    pub const fn all_of(needs: &'a [Self]) -> Self {
        Self::new(Kind::AllOf(needs))
    }

    /// Needs what the job's run `events` runs earlier needs. If there is no such run, nothing is
    /// needed.
    pub const fn events_back(mut self, events: u32) -> Self {
        self.look_back.events = events;
        self
    }

    /// Looks `periods` check periods back. A check period is a [calendar
    /// unit](crate#the-check-point), by default the larger of the two jobs' units.
    ///
    /// - [`latest`](Self::latest) takes the check point from the start of that earlier period.
    /// - [`all`](Self::all) and [`at_least`](Self::at_least) look at the upstream events in the
    ///   whole of that period, from its start to its end. With 1, a daily job needs the hourly runs
    ///   of the day before.
    /// - [`self_previous`](Self::self_previous) looks at the job's last run before the end of that
    ///   period.
    pub const fn periods_back(mut self, periods: u32) -> Self {
        self.look_back.periods = periods;
        self
    }

    /// Sets the check period to a calendar unit, in the job's local time, in place of the larger of
    /// the two jobs' units.
    ///
    /// The period of a job that runs on Mondays and Thursdays is a week. By default a success on
    /// Monday is therefore enough until Sunday. With [`Unit::Day`], each day needs its own success.
    ///
    /// ```
    /// use millicron::Unit;
    /// use millicron_pipeline::Need;
    ///
    /// const TODAY: Need = Need::latest("closing prices").period(Unit::Day);
    /// const THE_DAY_BEFORE: Need = Need::all("trades").period(Unit::Day).periods_back(1);
    /// # assert_ne!(TODAY, THE_DAY_BEFORE);
    /// ```
    pub const fn period(mut self, unit: Unit) -> Self {
        self.look_back.unit = Some(unit);
        self
    }
}
