//! [`Schedule`]: the public type around what the compiler or the parser made.
#![expect(
    clippy::inline_always,
    reason = "so that a constant schedule is still one where it is searched, whatever the program around it"
)]

use core::fmt;
use core::ops::RangeBounds;

use millicron_runtime::{self as runtime, Compiled};

use crate::ask::{self, Ask, own_clock};
use crate::{Events, Moment, Zone, ZonedSchedule};

/// A set of instants, in steps of a millisecond, from 2000-01-01 00:00:00.000
/// to 2100-12-31 23:59:59.999.
///
/// It comes from [`schedule!`](crate::schedule!) while the program is compiled,
/// or from [`parse`](str::parse) while it runs. Either is the same type and
/// answers alike; they are equal where their fields stand for the same sets,
/// whatever their text.
///
/// The questions take any [`Moment`] and answer in its type; an `i64` is in
/// milliseconds since 1970-01-01 00:00:00. A moment outside the range is answered
/// like any other, and where there is no such event, or where the type can not
/// hold it, the answer is `None`.
///
/// Nothing in this crate panics or overflows, whatever the text, the moment or
/// the range.
///
/// ```
/// use millicron::{CalendarDigits, Schedule, schedule};
///
/// const LAST_DAY: Schedule = schedule!("*.*.32 12:00:00");
///
/// let start: CalendarDigits = "2021-01-31 12:00:00.000".parse()?;
/// let next = LAST_DAY.next_event(start).expect("there are such days until 2100");
/// assert_eq!(next.to_string(), "2021-02-28 12:00:00.000");
///
/// let parsed: Schedule = "*.*.32 12:0:0".parse()?;
/// assert_eq!(parsed, LAST_DAY);
/// assert_eq!(parsed.next_event(start), Some(next));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// It is 16 bytes, and cheap to clone: a compiled schedule is a reference to
/// constants, a parsed one a reference-counted plan.
///
/// Schedules are equal, and hash alike, where their fields stand for the same
/// sets. For this, and to be printed, a schedule reads its text anew, in a
/// fraction of a microsecond; equal texts are not read.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Schedule(pub(crate) runtime::Schedule);

/// The schedule that generated code stands for.
#[doc(hidden)]
#[must_use]
#[inline]
pub const fn compiled<S: Compiled>() -> Schedule {
    Schedule(runtime::Schedule::compiled::<S>())
}

impl Schedule {
    /// The text as written. For the canonical text, use `Display`.
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

    /// What asks by a clock.
    #[inline(always)]
    fn ask<'a, C>(&'a self, clock: &'a C) -> Ask<'a, C> {
        Ask { schedule: &self.0, clock }
    }

    /// The schedule by the clocks of a zone, with the same questions, asked in
    /// instants. What becomes of events where the clocks change is told at
    /// [`ZonedSchedule`].
    ///
    /// ```
    /// # #[cfg(feature = "jiff")] {
    /// use jiff::{Timestamp, tz::TimeZone};
    /// use millicron::{Schedule, schedule};
    ///
    /// const OPENING: Schedule = schedule!("*.*.* 1-5 09:30:00");
    /// let new_york = OPENING.in_zone(TimeZone::get("America/New_York")?);
    ///
    /// let now: Timestamp = "2026-03-06T18:00:00Z".parse()?; // a Friday
    /// let next: Timestamp = "2026-03-09T13:30:00Z".parse()?; // summer time began on Sunday
    /// assert_eq!(new_york.next_event(now), Some(next));
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn in_zone<Z: Zone>(&self, zone: Z) -> ZonedSchedule<Z> {
        ZonedSchedule::new(self.clone(), zone)
    }

    /// The first event after a moment; `None` where there is none.
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
        let clock = M::clock(Some(&moment));
        self.ask(&clock).next(&moment, &clock)
    }

    /// The first event at or after a moment; `None` where there is none.
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
        let clock = M::clock(Some(&moment));
        self.ask(&clock).nearest(&moment, &clock)
    }

    /// The last event before a moment; `None` where there is none.
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
        let clock = M::clock(Some(&moment));
        self.ask(&clock).prev(&moment, &clock)
    }

    /// The last event at or before a moment; `None` where there is none.
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
        let clock = M::clock(Some(&moment));
        self.ask(&clock).nearest_prev(&moment, &clock)
    }

    /// Whether a moment is an event.
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
        self.ask(&M::clock(Some(&moment))).matches(&moment)
    }

    /// The events of a range, from both ends.
    ///
    /// Any form of range will do. One that is empty or runs backwards has no
    /// events. `..` has no moment in it that tells the type, so it is asked as
    /// `events::<i64>(..)`; in a type whose values have a zone of their own it has
    /// no events, since nothing tells the zone. Where the two ends have different
    /// zones, the answers are in that of the start. A range of references does not
    /// tell the type either: `events::<Zoned>(&start..)`.
    ///
    /// ```
    /// const WEEKLY: millicron::Schedule = millicron::schedule!("*.*.* Mon 08:00:00");
    ///
    /// // From 2021-02-28 12:00:00, in milliseconds since 1970-01-01 00:00:00.
    /// let mut mondays = WEEKLY.events(1_614_513_600_000..);
    /// assert_eq!(mondays.next(), Some(1_614_585_600_000)); // 2021-03-01
    /// assert_eq!(mondays.nth(51), Some(1_646_035_200_000)); // a year on
    /// assert_eq!(mondays.next_back(), Some(4_133_577_600_000)); // 2100-12-27
    ///
    /// assert_eq!(WEEKLY.events::<i64>(..).next(), Some(946_886_400_000)); // 2000-01-03
    /// ```
    #[must_use]
    #[inline(always)]
    pub fn events<M: Moment>(&self, range: impl RangeBounds<M>) -> Events<M> {
        ask::events(&self.0, own_clock(&range), &range)
    }

    /// How many events a range has. They are not enumerated: a century costs
    /// what a minute costs, but for the changes of the clocks in it where the type has
    /// a zone. `..` needs a type here too, and holds nothing in a type with a zone.
    ///
    /// ```
    /// const HOURLY: millicron::Schedule = millicron::schedule!("*:00:00");
    /// // 2021-02-28 12:00:00, in milliseconds since 1970-01-01 00:00:00.
    /// let noon = 1_614_513_600_000;
    /// assert_eq!(HOURLY.count(noon..noon + 86_400_000), 24);
    /// assert_eq!(HOURLY.count::<i64>(..), 36_890 * 24); // every day from 2000 to 2100
    /// ```
    #[must_use]
    #[inline(always)]
    pub fn count<M: Moment>(&self, range: impl RangeBounds<M>) -> u64 {
        let clock = own_clock(&range);
        self.ask(&clock).count(&range, &clock)
    }
}

/// The canonical text: the date where it is not every day, the weekday where it
/// is not every one, the milliseconds where they are not 0; numbers in
/// ascending order, three and more in equal steps as a range. It parses back to
/// an equal schedule.
impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0.expression(), f)
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

    /// Reads a schedule, in [the language](crate#the-language) of this crate.
    ///
    /// The work is linear in the text. It allocates once, for the schedule, and
    /// once more for a text of more than 46 bytes.
    ///
    /// # Errors
    ///
    /// A text that is not a schedule, or one that would never fire; the error
    /// tells what is wrong, where, and what is allowed.
    ///
    /// ```
    /// use millicron::{Field, ParseErrorKind, Schedule};
    ///
    /// let error = "22-6:00:00".parse::<Schedule>().unwrap_err();
    /// assert_eq!(error.kind(), ParseErrorKind::Descending { field: Field::Hour, from: 22, to: 6, step: 1 });
    /// assert_eq!(error.to_string(), "hour range `22-6` runs downwards: write `22-23,0-6`");
    /// ```
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        runtime::Schedule::parse(text).map(Self)
    }
}

#[cfg(feature = "alloc")]
impl TryFrom<&str> for Schedule {
    type Error = crate::ParseError;

    /// As [`parse`](str::parse): [the language](crate#the-language).
    ///
    /// # Errors
    ///
    /// A text that is not a schedule, or one that would never fire.
    ///
    /// ```
    /// use millicron::Schedule;
    ///
    /// let hourly = Schedule::try_from("*:00:00")?;
    /// assert_eq!(hourly.next_event(0), Some(946_684_800_000)); // 2000-01-01 00:00:00
    /// # Ok::<(), millicron::ParseError>(())
    /// ```
    fn try_from(text: &str) -> Result<Self, Self::Error> {
        text.parse()
    }
}
