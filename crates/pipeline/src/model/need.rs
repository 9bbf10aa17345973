//! [`Need`]: what a run needs from other runs.

use core::fmt;
use core::time::Duration;

use millicron::Unit;

use crate::error::Setting;
use crate::timestamp::Elapsed;

/// A condition that other runs must meet before a run may start.
///
/// | need | is met when |
/// | --- | --- |
/// | [`last`](Self::last) | the last upstream event at or before the run has succeeded |
/// | [`all`](Self::all) | every upstream event in the run's [data interval](crate#data-intervals) has succeeded |
/// | [`at_least`](Self::at_least) | at least a given number of them have succeeded |
/// | [`all_data`](Self::all_data) | every upstream run with data of the previous day or other calendar unit has succeeded |
/// | [`latest`](Self::latest) | upstream has succeeded at or after the [check point](crate#the-check-point) |
/// | [`classic`](Self::classic) | the same, with a check period derived from the gaps between events |
/// | [`self_previous`](Self::self_previous) | the job's own previous run has succeeded |
/// | [`any_of`](Self::any_of) | at least one of several needs is met |
/// | [`all_of`](Self::all_of) | every one of several needs is met |
///
/// Each need can [look back](crate#looking-back): by runs of the job itself, with
/// [`events_back`](Self::events_back), by elapsed time, with [`time_back`](Self::time_back), or by
/// calendar units, with [`periods_back`](Self::periods_back) and [`period`](Self::period). With
/// [`ended`](Self::ended), a run that has failed or was skipped is enough.
///
/// Settings of [`any_of`](Self::any_of) and [`all_of`](Self::all_of) apply to the needs inside:
/// look-backs add up, and a period or a maximum age applies to the needs that set none. A period or
/// a maximum age that no need uses is an [error](crate::PipelineProblem::UnusedSetting).
///
/// Every method is `const`, so a pipeline can be a [table of
/// constants](crate#a-table-of-constants).
///
/// ```
/// use millicron_pipeline::Need;
///
/// const RATES: Need = Need::any_of(&[Need::last("bank"), Need::last("exchange")]);
/// const YESTERDAY: Need = Need::all("hourly").periods_back(1);
/// assert_ne!(RATES, YESTERDAY);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub struct Need<'a> {
    pub(crate) kind: Kind<'a>,
    pub(crate) settings: NeedSettings,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind<'a> {
    /// The runs of a job; without a name, those of the job itself.
    Runs(Rule, Option<&'a str>),
    AnyOf(&'a [Need<'a>]),
    AllOf(&'a [Need<'a>]),
}

/// Which runs of one job must have succeeded; see [`Dependency`](crate::Dependency).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Rule {
    /// [`Need::latest`]: any run at or after the check point.
    Latest,
    /// [`Need::classic`]: the same, with the longer of the two jobs' shortest gaps as the check
    /// period.
    Classic,
    /// [`Need::last`]: the last run up to the instant.
    Last,
    /// [`Need::all`]: all runs in the interval.
    All,
    /// [`Need::all_data`]: all runs whose data begins in the previous unit.
    AllData(Unit),
    /// [`Need::at_least`]: this many runs in the interval, or all if it has fewer.
    AtLeast(u64),
    /// [`Need::self_previous`]: the previous run of the same job.
    Previous,
}

impl Rule {
    /// Returns whether any success at or after a check point is enough.
    pub(crate) const fn has_check_point(self) -> bool {
        matches!(self, Self::Latest | Self::Classic)
    }

    /// Returns whether the rule uses a setting, if it looks `periods` back.
    pub(crate) fn uses(self, setting: Setting, periods: u32) -> bool {
        match (setting, self) {
            (Setting::Period, Self::Latest) => true,
            (Setting::Period, Self::Classic | Self::AllData(_)) => false,
            (Setting::Period, _) => periods > 0,
            (Setting::AgeLimit, _) => self == Self::Last,
        }
    }
}

/// The maximum age of the run that [`Need::last`] needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AgeLimit {
    /// The maximum time from the upstream run to the run that needs it.
    Elapsed(Duration),
    /// The two runs must be in the same calendar unit.
    SameUnit(Unit),
}

impl fmt::Display for AgeLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Elapsed(duration) => write!(f, "at most {} before", Elapsed(*duration)),
            Self::SameUnit(unit) => write!(f, "in the same {unit}"),
        }
    }
}

/// How far back a need looks, and what it accepts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct NeedSettings {
    pub(crate) events: u32,
    pub(crate) periods: u32,
    /// Milliseconds, at most [`i64::MAX`].
    pub(crate) millis: i64,
    /// The unit of a period; by default the larger of the two jobs' units.
    pub(crate) unit: Option<Unit>,
    pub(crate) limit: Option<AgeLimit>,
    /// Whether a run that has failed or was skipped is enough.
    pub(crate) accepts_ended: bool,
}

impl NeedSettings {
    const NONE: Self =
        Self { events: 0, periods: 0, millis: 0, unit: None, limit: None, accepts_ended: false };

    /// Combines these with the settings of an enclosing need.
    pub(crate) fn within(self, outer: Self) -> Self {
        Self {
            events: self.events.saturating_add(outer.events),
            periods: self.periods.saturating_add(outer.periods),
            millis: self.millis.saturating_add(outer.millis),
            unit: self.unit.or(outer.unit),
            limit: self.limit.or(outer.limit),
            accepts_ended: self.accepts_ended || outer.accepts_ended,
        }
    }

    pub(crate) const fn has(&self, setting: Setting) -> bool {
        match setting {
            Setting::Period => self.unit.is_some(),
            Setting::AgeLimit => self.limit.is_some(),
        }
    }
}

impl<'a> Need<'a> {
    const fn new(kind: Kind<'a>) -> Self {
        Self { kind, settings: NeedSettings::NONE }
    }

    /// Needs a success of the last upstream event at or before the run.
    ///
    /// For an hourly job, that is the last daily run; for a monthly job on the 10th, the daily run
    /// of that day; and on a Saturday, the Friday run of a job from Monday to Friday. The run never
    /// waits for a later event, and a later success does not replace the one it needs. A run before
    /// upstream's first event since the pipeline [began](crate::PipelineBuilder::since), or since
    /// upstream's schedule [changed](crate::PipelineBuilder::previous_schedule) to a longer period,
    /// needs nothing.
    ///
    /// Limit the age of that event with [`within`](Self::within) or
    /// [`within_unit`](Self::within_unit).
    pub const fn last(job: &'a str) -> Self {
        Self::new(Kind::Runs(Rule::Last, Some(job)))
    }

    /// Limits the age of the run that [`last`](Self::last) needs: it must be at most `age` before
    /// the run, with `age` rounded down to a millisecond.
    ///
    /// If the last upstream event is older or does not exist, the run waits for the next upstream
    /// event, which comes after the run. The [reason](crate::Reason::Last) says so. There are two
    /// exceptions:
    ///
    /// - If the pipeline [began](crate::PipelineBuilder::since), or upstream's schedule
    ///   [changed](crate::PipelineBuilder::previous_schedule) to a longer period, less than `age`
    ///   before the run, and upstream has had no event since then, nothing is needed.
    /// - If upstream will never run again, its last run is enough.
    ///
    /// If the need looks back, the age is measured from where it looks: with
    /// [`time_back`](Self::time_back) of an hour, from an hour before the run; with
    /// [`events_back`](Self::events_back), from that earlier run; with
    /// [`periods_back`](Self::periods_back), from the end of that period.
    ///
    /// Replaces an earlier [`within`](Self::within) or [`within_unit`](Self::within_unit).
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use millicron::{CalendarDigits, schedule};
    /// use millicron_pipeline::{MemoryHistory, Need, Pipeline};
    ///
    /// let at = |text: &str| text.parse().map(CalendarDigits::to_millis);
    /// let pipeline = Pipeline::builder()
    ///     .since(at("2026-11-16 00:00:00")?)
    ///     .job("prices", schedule!("*.*.* Mon-Fri 18:00:00"), [])
    ///     .job("any", schedule!("20:00:00"), [Need::last("prices")])
    ///     .job("new", schedule!("20:00:00"), [
    ///         Need::last("prices").within(Duration::from_hours(24)),
    ///     ])
    ///     .build()?;
    ///
    /// let saturday = at("2026-11-21 20:00:00")?;
    /// let history = MemoryHistory::new();
    /// assert_eq!(
    ///     pipeline.ready("any", saturday, &history)?.to_string(),
    ///     "waiting for `prices` 2026-11-20 18:00:00",
    /// );
    /// assert_eq!(
    ///     pipeline.ready("new", saturday, &history)?.to_string(),
    ///     "waiting for `prices` 2026-11-23 18:00:00 (the one at 2026-11-20 18:00:00 is too old: \
    ///      it must be at most 1d before)",
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const fn within(mut self, age: Duration) -> Self {
        self.settings.limit = Some(AgeLimit::Elapsed(age));
        self
    }

    /// Limits the age of the run that [`last`](Self::last) needs: it must be in the same calendar
    /// unit as the run, in the job's local time. Otherwise the same as [`within`](Self::within).
    pub const fn within_unit(mut self, unit: Unit) -> Self {
        self.settings.limit = Some(AgeLimit::SameUnit(unit));
        self
    }

    /// Needs a success of every upstream event in the run's [data
    /// interval](crate#data-intervals), which [`Covers::covers`](crate::Covers::covers) returns. If
    /// the interval has no upstream event, nothing is needed.
    pub const fn all(job: &'a str) -> Self {
        Self::new(Kind::Runs(Rule::All, Some(job)))
    }

    /// Needs a success of every upstream run with data of the calendar unit before the one that
    /// contains the run, in the job's local time: with [`Unit::Day`], yesterday's data.
    ///
    /// An upstream run has the data since upstream's previous event, so it belongs to the unit that
    /// contains that event. With hourly runs at `*:00:00`, a day's data is in the runs from 01:00
    /// to 24:00; at `*:01:04`, in those from 01:01:04 to 00:01:04 of the next day. By contrast,
    /// [`all`](Self::all) with [`periods_back`](Self::periods_back) selects runs by their own
    /// instants.
    ///
    /// The last of these runs may be after the run, which then waits for it. If no upstream run's
    /// data begins in the unit, nothing is needed. If the pipeline began within the unit, every
    /// upstream run since then is needed.
    ///
    /// [`periods_back`](Self::periods_back) moves the unit further back: with 1, to the day before
    /// yesterday.
    ///
    /// ```
    /// use millicron::{CalendarDigits, Unit, schedule};
    /// use millicron_pipeline::{MemoryHistory, Need, Pipeline};
    ///
    /// let at = |text: &str| text.parse().map(CalendarDigits::to_millis);
    /// let pipeline = Pipeline::builder()
    ///     .since(at("2026-11-01 00:00:00")?)
    ///     .job("load", schedule!("*:01:04"), [])
    ///     .job("report", schedule!("3:01:03"), [Need::all_data("load", Unit::Day)])
    ///     .build()?;
    ///
    /// let run = at("2026-11-10 03:01:03")?;
    /// assert_eq!(
    ///     pipeline.ready("report", run, &MemoryHistory::new())?.to_string(),
    ///     "waiting for `load` 2026-11-09 01:01:04 … 2026-11-10 00:01:04 (24)",
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const fn all_data(job: &'a str, unit: Unit) -> Self {
        Self::new(Kind::Runs(Rule::AllData(unit), Some(job)))
    }

    /// Needs at least `count` of the upstream events in the run's [data
    /// interval](crate#data-intervals) to have succeeded, or all of them if the interval has fewer,
    /// as on a day with 23 hours. A count that no interval reaches is an
    /// [error](crate::PipelineBuilder::build).
    pub const fn at_least(count: u64, job: &'a str) -> Self {
        Self::new(Kind::Runs(Rule::AtLeast(count), Some(job)))
    }

    /// Needs an upstream success at or after the [check point](crate#the-check-point): the first
    /// upstream event at or after the start of the check period, which is the larger unit of the
    /// two jobs' [periods](millicron::Schedule::period). If you are not sure that you need this
    /// rule, use [`last`](Self::last).
    ///
    /// - For a daily job, the first hourly run of its day is enough, or any later one, even if a run
    ///   in between has failed. An hourly job waits for the daily run of its day, even if that is
    ///   scheduled later.
    /// - If upstream has no event in the check period, the run waits for the first one after it: on
    ///   May 5, for the run of May 10.
    /// - A run does not wait for upstream's very first event if that is after the check period, and
    ///   either the pipeline began within the period or the need [looks periods
    ///   back](Self::periods_back).
    /// - If upstream will never run again, its last run is the check point.
    ///
    /// Any success in the history counts, whether or not it is at an event.
    pub const fn latest(job: &'a str) -> Self {
        Self::new(Kind::Runs(Rule::Latest, Some(job)))
    }

    /// Needs an upstream success at or after a check point, like [`latest`](Self::latest), but
    /// derives the check period from the shortest gap between two events of each schedule.
    ///
    /// The gap is expressed in the largest calendar unit that divides it: `1,13:01:04` has a period
    /// of 12 hours, and `*:*/5:00` one of 5 minutes. Gaps of 28 days or more are rounded to months,
    /// and gaps of 365 days or more to years, so a job that runs every 28 days has a period of a
    /// month. The check period is the longer of the two jobs' periods, in the local time of the job
    /// that has it. With `n` units, it ends with the unit that contains the run and starts `n - 1`
    /// units earlier. The check point is the first upstream event at or after that start.
    ///
    /// | upstream | job | run at | check point |
    /// | --- | --- | --- | --- |
    /// | `1,13:01:04` | `*:01:03` | 12:01:03 | 01:01:04 |
    /// | `1,13:01:04` | `*:01:03` | 13:01:03 | 13:01:04, after the run |
    /// | `1,13:01:04` | `*:01:03` | 23:01:03 | 13:01:04 |
    /// | `*:*/5:03` | `*:*:30` | 10:59:30 | 10:55:03 |
    ///
    /// The check period cannot be set; [`periods_back`](Self::periods_back) counts check periods.
    pub const fn classic(job: &'a str) -> Self {
        Self::new(Kind::Runs(Rule::Classic, Some(job)))
    }

    /// Needs a success of the job's own previous run. The job's first run needs nothing.
    pub const fn self_previous() -> Self {
        Self::new(Kind::Runs(Rule::Previous, None))
    }

    /// Needs at least one of several needs. An alternative that needs nothing, such as
    /// [`all`](Self::all) of an interval without upstream events, is met.
    ///
    /// A look-back set on the whole, such as [`events_back`](Self::events_back), adds to the
    /// look-back of each alternative. A [`period`](Self::period) or a maximum age applies to the
    /// alternatives that set none.
    pub const fn any_of(needs: &'a [Self]) -> Self {
        Self::new(Kind::AnyOf(needs))
    }

    /// Needs every one of several needs. A job's needs are already combined like this; use `all_of`
    /// inside [`any_of`](Self::any_of). Look-backs, periods and ages apply as in `any_of`.
    pub const fn all_of(needs: &'a [Self]) -> Self {
        Self::new(Kind::AllOf(needs))
    }

    /// Accepts runs that have ended in any state: succeeded, failed or skipped. Use it for a job
    /// that cleans up after another, or reports its failures.
    ///
    /// ```
    /// use millicron::schedule;
    /// use millicron_pipeline::{History, MemoryHistory, Need, Pipeline, RunState};
    ///
    /// let start = 1_795_219_200_000; // 2026-11-21 00:00:00
    /// let pipeline = Pipeline::builder()
    ///     .since(start)
    ///     .job("load", schedule!("1:00:00"), [])
    ///     .job("clean up", schedule!("2:00:00"), [Need::last("load").ended()])
    ///     .build()?;
    ///
    /// let (load, clean_up) = (start + 3_600_000, start + 7_200_000);
    /// let mut history = MemoryHistory::new();
    /// assert!(!pipeline.ready("clean up", clean_up, &history)?.is_ready());
    /// history.record_state("load", load, RunState::Failed)?;
    /// assert!(pipeline.ready("clean up", clean_up, &history)?.is_ready());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const fn ended(mut self) -> Self {
        self.settings.accepts_ended = true;
        self
    }

    /// Needs what the job's run `events` runs earlier needs. If there is no such run, nothing is
    /// needed. Repeated calls add up.
    pub const fn events_back(mut self, events: u32) -> Self {
        self.settings.events = self.settings.events.saturating_add(events);
        self
    }

    /// Needs what a run `time` earlier would need, with `time` rounded up to a millisecond.
    /// Repeated calls add up.
    ///
    /// The time is elapsed time: in a time zone, 24 hours earlier may be a different time of day.
    /// The [data interval](crate#data-intervals) of [`all`](Self::all) and
    /// [`at_least`](Self::at_least) moves as a whole, so that the intervals of a job's runs still
    /// follow each other without gaps or overlaps.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use millicron::{CalendarDigits, schedule};
    /// use millicron_pipeline::{MemoryHistory, Need, Pipeline};
    ///
    /// let at = |text: &str| text.parse().map(CalendarDigits::to_millis);
    /// let need = Need::all("load").time_back(Duration::from_mins(30));
    /// let pipeline = Pipeline::builder()
    ///     .since(at("2026-11-01 00:00:00")?)
    ///     .job("load", schedule!("*:00:00"), [])
    ///     .job("report", schedule!("0:30:00"), [need])
    ///     .build()?;
    ///
    /// let run = at("2026-11-10 00:30:00")?;
    /// assert_eq!(
    ///     pipeline.ready("report", run, &MemoryHistory::new())?.to_string(),
    ///     "waiting for `load` 2026-11-09 01:00:00 … 2026-11-10 00:00:00 (24)",
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const fn time_back(mut self, time: Duration) -> Self {
        const MAX: u128 = i64::MAX.unsigned_abs() as u128;
        let millis = time.as_nanos().div_ceil(1_000_000);
        #[expect(clippy::cast_possible_truncation, reason = "it is at most `i64::MAX`")]
        let millis = if millis > MAX { i64::MAX } else { millis as i64 };
        self.settings.millis = self.settings.millis.saturating_add(millis);
        self
    }

    /// Looks `periods` check periods back. A check period is a [calendar
    /// unit](crate#the-check-point), by default the larger of the two jobs' units. Repeated calls
    /// add up.
    ///
    /// - [`latest`](Self::latest) and [`classic`](Self::classic) take the check point from the start
    ///   of that earlier period.
    /// - [`all`](Self::all) and [`at_least`](Self::at_least) look at all upstream events in that
    ///   period, from its start to its end. With 1, a daily job needs the previous day's hourly
    ///   runs. See [`all_data`](Self::all_data) to select runs by their data.
    /// - [`last`](Self::last) and [`self_previous`](Self::self_previous) look at the last run before
    ///   the end of that period.
    pub const fn periods_back(mut self, periods: u32) -> Self {
        self.settings.periods = self.settings.periods.saturating_add(periods);
        self
    }

    /// Sets the check period to a calendar unit, in the job's local time, instead of the larger of
    /// the two jobs' units. Replaces an earlier period of the same need.
    ///
    /// The period of a job that runs on Mondays and Thursdays is a week. By default, a success on
    /// Monday is therefore enough until Sunday. With [`Unit::Day`], each day needs its own success.
    ///
    /// [`latest`](Self::latest) always uses this period. [`last`](Self::last), [`all`](Self::all),
    /// [`at_least`](Self::at_least) and [`self_previous`](Self::self_previous) use it only with
    /// [`periods_back`](Self::periods_back). A period that no need uses is an
    /// [error](crate::PipelineProblem::UnusedSetting).
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
        self.settings.unit = Some(unit);
        self
    }
}
