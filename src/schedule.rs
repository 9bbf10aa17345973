//! [`Schedule`]: the public type around a compiled or parsed plan.
#![expect(
    clippy::inline_always,
    reason = "a constant schedule stays constant where it is searched, whatever the program around it"
)]

use core::fmt;
use core::ops::Bound;

use millicron_runtime::{self as runtime, Compiled};

use crate::pad::pad;
use crate::query::{Query, scale_of};
use crate::timescale::Sought;
use crate::{Events, Moment, MomentRange};

/// A set of civil times, called events, with millisecond resolution, from 2000-01-01 00:00:00.000 to
/// 2100-12-31 23:59:59.999.
///
/// Create one with [`schedule!`](crate::schedule!) at compile time, or with
/// [`parse`](Self#method.parse) at run time. Both have the same type and give the same answers. To
/// read schedules written for crontab, Quartz and others, use a [`Dialect`](crate::Dialect). To
/// read a schedule and its time zone from one text, use [`ZonedSchedule`](crate::ZonedSchedule).
///
/// Queries accept any [`Moment`] and return the same type; an `i64` is in milliseconds since
/// 1970-01-01 00:00:00. Moments outside the range are valid. If there is no such event, or
/// the type cannot represent it, the answer is `None`. Nothing in this crate panics or overflows,
/// whatever the text, the moment or the range.
///
/// ```
/// use millicron::{CalendarDigits, Schedule, schedule};
///
/// const LAST_DAY: Schedule = schedule!("*.*.L 12:00:00");
///
/// let start: CalendarDigits = "2021-01-31 12:00:00.000".parse()?;
/// let next: CalendarDigits = "2021-02-28 12:00:00.000".parse()?;
/// assert_eq!(LAST_DAY.next_event(start), Some(next));
///
/// let parsed = Schedule::parse("*.*.32 12:0:0")?; // 32 is `L`
/// assert_eq!(parsed, LAST_DAY);
/// assert_eq!(parsed.next_event(start), Some(next));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A schedule is 16 bytes and cheap to clone: a reference to constants if it was compiled, a
/// reference-counted plan if it was parsed.
///
/// # Equality
///
/// Schedules are equal, and have the same hash, if they have the same days and the same times of
/// day. Times are compared field by field. Windows are compared by their first event, their step
/// and their number of events, so a window does not equal fields that have the same times, but a
/// window of one event equals that time. Equal schedules have the same events. Schedules without
/// windows that have the same events are equal, unless one of them is a union.
///
/// Unions are equal if they have equal members, in any order. Unions that have the same events may
/// differ. The days of a calendar count, and its name does not.
///
/// ```
/// use millicron::schedule;
///
/// assert_eq!(schedule!("*.*.* Fri#2 09:00:00"), schedule!("*.*.8-14 Fri 09:00:00"));
/// assert_eq!(schedule!("09:00:00..=17:00:00/2h"), schedule!("09:00:00..18:00:00/2h"));
/// assert_ne!(schedule!("09:00:00..=17:00:00/2h"), schedule!("9-17/2:00:00"));
/// assert_eq!(schedule!("09:00:00..10:00:00/2h"), schedule!("09:00:00"));
///
/// assert_eq!(schedule!("09:00:00; 10:00:00"), schedule!("10:00:00; 9:0:0"));
/// assert_ne!(schedule!("09:00:00; 10:00:00"), schedule!("9,10:00:00"));
///
/// const WEEKDAYS: millicron::Calendar = millicron::calendar!("*.*.* Mon-Fri");
/// assert_eq!(schedule!("09:00:00 @WEEKDAYS", WEEKDAYS), schedule!("*.*.* Mon-Fri 09:00:00"));
/// ```
///
/// Comparing, hashing or printing a schedule parses its text again, which takes a fraction of a
/// microsecond; schedules with the same text are equal without parsing, unless they are on calendars. If
/// only the days are written differently, or there are calendars, days are compared one by one, which can
/// take a third of a millisecond.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Schedule(pub(crate) runtime::Schedule);

/// Returns the schedule that a type in generated code implements.
#[doc(hidden)]
#[must_use]
#[inline]
pub const fn compiled<S: Compiled>() -> Schedule {
    Schedule(runtime::Schedule::compiled::<S>())
}

/// Returns a compiled union.
#[doc(hidden)]
#[must_use]
#[inline]
pub const fn union(union: &'static runtime::CompiledUnion) -> Schedule {
    Schedule(runtime::Schedule::compiled_union(union))
}

impl Schedule {
    /// Reads a schedule in [the language](crate#the-language) of this crate.
    ///
    /// This takes time linear in the length of the text. It allocates once, or twice if the text is
    /// longer than 46 bytes, and besides for days that need a table and for each member of a union.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not a schedule, or has no events. The error says what is
    /// wrong, where, and what is allowed.
    ///
    /// ```
    /// use millicron::{Field, ParseErrorKind, Schedule};
    ///
    /// let hourly = Schedule::parse("*:00:00")?;
    /// assert_eq!(hourly.next_event(0), Some(946_684_800_000)); // 2000-01-01 00:00:00
    ///
    /// let error = Schedule::parse("22-6:00:00").unwrap_err();
    /// assert_eq!(error.kind(), ParseErrorKind::Descending { field: Field::Hour, from: 22, to: 6, step: 1 });
    /// assert_eq!(error.to_string(), "hour range `22-6` runs downwards: write `22-23,0-6`");
    /// # Ok::<(), millicron::ParseError>(())
    /// ```
    #[cfg(feature = "alloc")]
    pub fn parse(text: &str) -> Result<Self, crate::ParseError> {
        runtime::Schedule::parse(None, text).map(Self)
    }

    /// Returns the union of some schedules, which has the events of all, each instant once. Members
    /// that are unions themselves are replaced by their members. The union of one schedule is that
    /// schedule.
    ///
    /// # Errors
    ///
    /// Returns an error if there are [no schedules](crate::ParseErrorKind::Empty), or
    /// [more than 16](crate::ParseErrorKind::TooManyMembers), or if their events are
    /// [too intertwined](crate::ParseErrorKind::Intertwined) to be counted.
    ///
    /// ```
    /// use millicron::{Schedule, schedule};
    ///
    /// let union = Schedule::any_of([
    ///     schedule!("*.*.* Mon 09:00:00"),
    ///     schedule!("*.*.* Tue 10:00:00"),
    /// ])?;
    /// assert_eq!(union, Schedule::parse("*.*.* Mon 09:00:00; *.*.* Tue 10:00:00")?);
    /// # Ok::<(), millicron::ParseError>(())
    /// ```
    #[cfg(feature = "alloc")]
    pub fn any_of(schedules: impl IntoIterator<Item = Self>) -> Result<Self, crate::ParseError> {
        runtime::Schedule::any_of(schedules.into_iter().map(|schedule| schedule.0)).map(Self)
    }

    /// Returns the members of a union; none if the schedule is no union.
    ///
    /// ```
    /// use millicron::Schedule;
    ///
    /// let union = Schedule::parse("*.*.* Mon 09:00:00; *.*.* Tue 10:00:00")?;
    /// assert!(union.members().eq([
    ///     Schedule::parse("*.*.* Mon 09:00:00")?,
    ///     Schedule::parse("*.*.* Tue 10:00:00")?,
    /// ]));
    /// assert_eq!(Schedule::parse("12:00:00")?.members().len(), 0);
    /// # Ok::<(), millicron::ParseError>(())
    /// ```
    pub fn members(&self) -> impl ExactSizeIterator<Item = Self> + DoubleEndedIterator {
        self.0.members().iter().cloned().map(Self)
    }

    /// Returns the name of the calendar, if the schedule has one; the members of a union have their
    /// own.
    ///
    /// ```
    /// use millicron::{Calendar, Schedule};
    ///
    /// let weekdays = Calendar::parse("*.*.* Mon-Fri")?;
    /// let schedule = Schedule::parse_with("12:00:00 @office", &[("office", weekdays)])?;
    /// assert_eq!(schedule.calendar(), Some("office"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn calendar(&self) -> Option<&str> {
        self.0.calendar()
    }

    /// Returns the text as it was written. If the schedule was read from a
    /// [`Dialect`](crate::Dialect), returns its text in the language of this crate. A union of one
    /// schedule is that schedule, and has its text. For the canonical text, use `Display`.
    ///
    /// ```
    /// let schedule: millicron::Schedule = "1,2,3:0:0".parse()?;
    /// assert_eq!(schedule.expression(), "1,2,3:0:0");
    /// assert_eq!(schedule.to_string(), "01-03:00:00");
    /// # Ok::<(), millicron::ParseError>(())
    /// ```
    #[must_use]
    pub fn expression(&self) -> &str {
        self.0.text()
    }

    /// Returns the values that a field has in the events of the schedule, in ascending order: the
    /// hours at which it runs, or the months in which it does.
    ///
    /// The values are those of the events, whatever the text looks like: 2000-2100 for the year,
    /// 1-12 for the month, 1-31 for the day of month, 0-6 for the weekday (0 is Sunday), 0-23 for the
    /// hour, 0-59 for the minute and the second, and 0-999 for the millisecond. So
    ///
    /// - a field that the text leaves out or writes as `*` has the values that events have: the
    ///   months of `*.*.31` are the seven long ones;
    /// - the last day, `L`, is 28, 29, 30 and 31, and the days of `Fri#2` are 8-14;
    /// - dates that are joined by OR, as in `*.*.13 | Fri`, have the values of both;
    /// - a window that extends past midnight has hours of both days, and the weekdays on which its
    ///   events are.
    ///
    /// Each field is answered by itself: events at 09:30 and 10:00 have two hours and two minutes,
    /// but not four times of day.
    ///
    /// The values are in civil time, and there is at least one. For a field of the time of day, this
    /// parses the text again, in a fraction of a microsecond; for a field of the date, it searches
    /// the events, which can take a millisecond. It allocates nothing.
    ///
    /// ```
    /// use millicron::{Field, schedule};
    ///
    /// let office = schedule!("*.*.* Mon-Fri 9-17:00,30:00");
    /// assert!(office.values(Field::Hour).eq(9..=17)); // what hours does it run in?
    /// assert!(office.values(Field::Weekday).eq(1..=5));
    /// assert!(office.values(Field::Minute).eq([0, 30]));
    ///
    /// let night = schedule!("*.*.L 22:00:00..02:00:00/30m");
    /// assert!(night.values(Field::Hour).eq([0, 1, 22, 23]));
    /// assert!(night.values(Field::Day).eq([1, 28, 29, 30, 31]));
    /// ```
    #[must_use]
    pub fn values(&self, field: crate::Field) -> crate::FieldValues {
        crate::FieldValues::of(&self.0, field)
    }

    #[inline(always)]
    fn query<'a, S>(&'a self, scale: &'a S) -> Query<'a, S> {
        Query { schedule: &self.0, scale }
    }

    /// Returns the first event after a moment.
    ///
    /// ```
    /// const HOURLY: millicron::Schedule = millicron::schedule!("*:00:00");
    /// // 2021-02-28 12:00:00, in milliseconds since 1970-01-01 00:00:00.
    /// let noon = 1_614_513_600_000;
    /// assert_eq!(HOURLY.next_event(noon), Some(noon + 3_600_000));
    /// assert_eq!(HOURLY.next_event(i64::MAX), None);
    /// ```
    #[must_use]
    #[inline(always)]
    pub fn next_event<M: Moment>(&self, moment: M) -> Option<M::Answer> {
        self.query(&moment.timescale()).find(Sought::Next, &moment)
    }

    /// Returns the first event at or after a moment.
    ///
    /// ```
    /// const HOURLY: millicron::Schedule = millicron::schedule!("*:00:00");
    /// // 2021-02-28 12:00:00, in milliseconds since 1970-01-01 00:00:00.
    /// let noon = 1_614_513_600_000;
    /// assert_eq!(HOURLY.nearest_event(noon), Some(noon));
    /// assert_eq!(HOURLY.nearest_event(noon + 1), Some(noon + 3_600_000));
    /// ```
    #[must_use]
    #[inline(always)]
    pub fn nearest_event<M: Moment>(&self, moment: M) -> Option<M::Answer> {
        self.query(&moment.timescale()).find(Sought::Nearest, &moment)
    }

    /// Returns the last event before a moment.
    ///
    /// ```
    /// const HOURLY: millicron::Schedule = millicron::schedule!("*:00:00");
    /// // 2021-02-28 12:00:00, in milliseconds since 1970-01-01 00:00:00.
    /// let noon = 1_614_513_600_000;
    /// assert_eq!(HOURLY.prev_event(noon), Some(noon - 3_600_000));
    /// assert_eq!(HOURLY.prev_event(i64::MIN), None);
    /// ```
    #[must_use]
    #[inline(always)]
    pub fn prev_event<M: Moment>(&self, moment: M) -> Option<M::Answer> {
        self.query(&moment.timescale()).find(Sought::Prev, &moment)
    }

    /// Returns the last event at or before a moment.
    ///
    /// ```
    /// const HOURLY: millicron::Schedule = millicron::schedule!("*:00:00");
    /// // 2021-02-28 12:00:00, in milliseconds since 1970-01-01 00:00:00.
    /// let noon = 1_614_513_600_000;
    /// assert_eq!(HOURLY.nearest_prev_event(noon), Some(noon));
    /// assert_eq!(HOURLY.nearest_prev_event(noon - 1), Some(noon - 3_600_000));
    /// ```
    #[must_use]
    #[inline(always)]
    pub fn nearest_prev_event<M: Moment>(&self, moment: M) -> Option<M::Answer> {
        self.query(&moment.timescale()).find(Sought::NearestPrev, &moment)
    }

    /// Returns whether a moment is an event.
    ///
    /// ```
    /// const HOURLY: millicron::Schedule = millicron::schedule!("*:00:00");
    /// // 2021-02-28 12:00:00, in milliseconds since 1970-01-01 00:00:00.
    /// let noon = 1_614_513_600_000;
    /// assert!(HOURLY.matches(noon));
    /// assert!(!HOURLY.matches(noon + 1));
    /// ```
    #[must_use]
    #[inline(always)]
    pub fn matches<M: Moment>(&self, moment: M) -> bool {
        self.query(&moment.timescale()).matches(&moment)
    }

    /// Returns a double-ended iterator over the events of a range.
    ///
    /// An empty or reversed range has no events. If the two ends have different time zones, the
    /// answers are in the zone of the start. [Without either end](MomentRange#time-zones), a range of
    /// a type with a time zone has no events.
    ///
    /// ```
    /// const WEEKLY: millicron::Schedule = millicron::schedule!("*.*.* Mon 08:00:00");
    ///
    /// // From 2021-02-28 12:00:00, in milliseconds since 1970-01-01 00:00:00.
    /// let mut mondays = WEEKLY.events(1_614_513_600_000..);
    /// assert_eq!(mondays.next(), Some(1_614_585_600_000)); // 2021-03-01
    /// assert_eq!(mondays.nth(51), Some(1_646_035_200_000)); // a year later
    /// assert_eq!(mondays.next_back(), Some(4_133_577_600_000)); // 2100-12-27
    ///
    /// assert_eq!(WEEKLY.events(..).next(), Some(946_886_400_000)); // 2000-01-03
    /// ```
    #[must_use]
    #[inline(always)]
    pub fn events<R: MomentRange>(&self, range: R) -> Events<<R::Moment as Moment>::Answer> {
        Events::new(&self.0, scale_of(&range), &range)
    }

    /// Returns an iterator over the events after a moment.
    ///
    /// ```
    /// use std::time::SystemTime;
    ///
    /// const HOURLY: millicron::Schedule = millicron::schedule!("*:00:00");
    ///
    /// let now = SystemTime::now();
    /// for event in HOURLY.upcoming(now).take(3) {
    ///     println!("in {:?}", event.duration_since(now).unwrap_or_default());
    /// }
    /// ```
    #[must_use]
    #[inline(always)]
    pub fn upcoming<M: Moment>(&self, moment: M) -> Events<M::Answer> {
        self.events((Bound::Excluded(moment), Bound::Unbounded))
    }

    /// Returns the number of events in a range, without visiting them: a century costs as much as a
    /// minute. For moments with a time zone, it also looks up the clock changes in the range.
    /// [Without either end](MomentRange#time-zones), a range of a type with a time zone has no
    /// events.
    ///
    /// ```
    /// const HOURLY: millicron::Schedule = millicron::schedule!("*:00:00");
    /// // 2021-02-28 12:00:00, in milliseconds since 1970-01-01 00:00:00.
    /// let noon = 1_614_513_600_000;
    /// assert_eq!(HOURLY.count(noon..noon + 86_400_000), 24);
    /// assert_eq!(HOURLY.count(..), 36_890 * 24); // every day from 2000 to 2100
    /// ```
    #[must_use]
    #[inline(always)]
    pub fn count(&self, range: impl MomentRange) -> u64 {
        self.query(&scale_of(&range)).count(&range)
    }
}

/// Writes the canonical text: the date unless it is every day, the weekday unless it is every
/// weekday, the milliseconds unless they are 0; values in ascending order, three or more in equal
/// steps as a range; the last day of the month as 32. It parses back to an equal schedule, with
/// [`parse_with`](Schedule::parse_with) if it names a calendar.
impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        pad(f, format_args!("{}", Canonical(&self.0)))
    }
}

/// The canonical text of a schedule.
struct Canonical<'a>(&'a runtime::Schedule);

impl fmt::Display for Canonical<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(schedule) = self;
        let members = schedule.members();
        if !members.is_empty() {
            return members.iter().enumerate().try_for_each(|(place, member)| {
                f.write_str(if place == 0 { "" } else { "; " })?;
                Canonical(member).fmt(f)
            });
        }
        fmt::Display::fmt(&schedule.expression(), f)?;
        match schedule.calendar() {
            Some(name) => write!(f, " @{name}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

#[cfg(feature = "alloc")]
impl core::str::FromStr for Schedule {
    type Err = crate::ParseError;

    /// Reads a schedule; see [`parse`](Self::parse).
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}
