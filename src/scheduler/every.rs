//! [`every`]: equal steps, without a calendar.

use std::time::{Duration, SystemTime};

use super::instant::Nanos;
use super::timetable::{IntoTimetable, Timetable, TimetableError};

/// Begins a timetable of equal steps: every `n` days, hours, minutes, seconds or
/// milliseconds.
///
/// They count from the instant at which the job is added, so that its first run is
/// a step later; or from [`from`](Every::from), and then the first run is at that
/// instant. They go by UTC, where each day has 24 hours; for days by the clocks of
/// a zone, and for times that are the same whenever a program is started, use a
/// schedule.
///
/// ```
/// use std::time::{Duration, UNIX_EPOCH};
/// use millicron::scheduler::{IntoTimetable, Timetable, every};
///
/// let quarters = every(15).minutes().into_timetable(UNIX_EPOCH)?;
/// assert_eq!(quarters.next(UNIX_EPOCH), Some(UNIX_EPOCH + Duration::from_secs(900)));
///
/// // Every other day at 10:11.
/// let days = every(2).days().at(10, 11).into_timetable(UNIX_EPOCH)?;
/// let first = UNIX_EPOCH + Duration::from_secs(10 * 3600 + 11 * 60);
/// assert_eq!(days.next(UNIX_EPOCH), Some(first));
/// assert_eq!(days.next(first), Some(first + Duration::from_secs(2 * 86_400)));
/// # Ok::<(), millicron::scheduler::TimetableError>(())
/// ```
#[must_use]
pub const fn every(n: u32) -> Count {
    Count(n)
}

/// How many; see [`every`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Count(u32);

impl Count {
    /// Days of 24 hours.
    #[must_use]
    pub const fn days(self) -> Every {
        self.of(86_400_000)
    }

    /// Hours.
    #[must_use]
    pub const fn hours(self) -> Every {
        self.of(3_600_000)
    }

    /// Minutes.
    #[must_use]
    pub const fn minutes(self) -> Every {
        self.of(60_000)
    }

    /// Seconds.
    #[must_use]
    pub const fn seconds(self) -> Every {
        self.of(1000)
    }

    /// Milliseconds.
    #[must_use]
    pub const fn milliseconds(self) -> Every {
        self.of(1)
    }

    const fn of(self, millis: u64) -> Every {
        Every { period: Duration::from_millis(self.0 as u64 * millis), at: None, from: None }
    }
}

/// Equal steps; see [`every`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Every {
    period: Duration,
    /// Hour and minute.
    at: Option<(u32, u32)>,
    from: Option<SystemTime>,
}

impl Every {
    /// At an hour and a minute of UTC: the first run is the first such time at or
    /// after the instant that is counted from.
    #[must_use]
    pub const fn at(self, hour: u32, minute: u32) -> Self {
        Self { at: Some((hour, minute)), ..self }
    }

    /// Counted from an instant, which may be one that has passed.
    #[must_use]
    pub fn from(self, instant: impl Into<SystemTime>) -> Self {
        Self { from: Some(instant.into()), ..self }
    }
}

impl IntoTimetable for Every {
    type Timetable = Steps;

    fn into_timetable(self, now: SystemTime) -> Result<Steps, TimetableError> {
        const DAY: i64 = 86_400_000_000_000;
        const MINUTE: i64 = 60_000_000_000;
        let period = i64::try_from(self.period.as_nanos()).unwrap_or(i64::MAX);
        if period == 0 {
            return Err(TimetableError::NoPeriod);
        }
        let start = Nanos::from(self.from.unwrap_or(now));
        let first = match self.at {
            None if self.from.is_some() => start.0,
            None => start.0.saturating_add(period),
            Some((hour @ 0..24, minute @ 0..60)) => {
                let time = i64::from(hour * 60 + minute) * MINUTE;
                start.0.saturating_add((time - start.0.rem_euclid(DAY)).rem_euclid(DAY))
            }
            Some((hour, minute)) => return Err(TimetableError::NoTimeOfDay { hour, minute }),
        };
        Ok(Steps { first, period })
    }
}

/// The timetable of [`every`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Steps {
    /// In nanoseconds since 1970.
    first: i64,
    period: i64,
}

impl Steps {
    /// How many events there are up to an instant.
    fn up_to(self, until: SystemTime) -> i64 {
        // It may be more nanoseconds than an `i64` has, but it is not as many periods.
        let passed = i128::from(Nanos::from(until).0) - i128::from(self.first);
        let periods = passed.div_euclid(i128::from(self.period)) + 1;
        i64::try_from(periods).unwrap_or(i64::MAX).max(0)
    }

    fn event(self, index: i64) -> Option<SystemTime> {
        let at = i128::from(index) * i128::from(self.period) + i128::from(self.first);
        Some(Nanos(i64::try_from(at).ok()?).time())
    }
}

impl Timetable for Steps {
    fn next(&self, after: SystemTime) -> Option<SystemTime> {
        self.event(self.up_to(after))
    }

    fn last(&self, until: SystemTime) -> Option<SystemTime> {
        self.event(self.up_to(until).checked_sub(1).filter(|index| *index >= 0)?)
    }

    fn count(&self, after: SystemTime, until: SystemTime) -> u64 {
        u64::try_from(self.up_to(until) - self.up_to(after)).unwrap_or(0)
    }
}
