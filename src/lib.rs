// The README's examples need these features.
#![cfg_attr(all(feature = "std", feature = "jiff", feature = "zones"), doc = include_str!("../README.md"))]
#![cfg_attr(
    not(all(feature = "std", feature = "jiff", feature = "zones")),
    doc = "Cron-like schedules with millisecond resolution, checked and compiled by the Rust compiler."
)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![no_std]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod adapters;
mod calendars;
mod describe;
mod dialect;
mod digits;
mod events;
mod every;
mod field_values;
mod gaps;
mod interval;
#[cfg(feature = "alloc")]
mod language;
mod moment;
mod neighbors;
mod pad;
mod period;
#[cfg(feature = "alloc")]
mod phrase;
mod query;
mod range;
mod recurrence;
mod schedule;
#[cfg(feature = "std")]
mod system_time;
mod timescale;
pub mod zone;

#[cfg(feature = "chrono")]
pub use adapters::ChronoZone;
#[cfg(feature = "serde")]
#[doc(inline)]
pub use adapters::dialects as serde;
pub use calendars::{Calendar, CalendarDays, CivilDate};
#[cfg(feature = "alloc")]
pub use calendars::{Calendars, DateOutOfRange, NamedCalendarError};
pub use describe::Description;
pub use dialect::Dialect;
pub use digits::{CalendarDigits, DigitsError};
pub use events::Events;
pub use every::{Every, IntervalBuilder, every};
pub use field_values::FieldValues;
pub use gaps::Gaps;
pub use interval::{Interval, IntervalError};
#[cfg(feature = "alloc")]
pub use language::{Language, Reading, RecognizeError};
#[cfg(feature = "alloc")]
pub use millicron_runtime::CalendarError;
pub use millicron_runtime::calendar;
pub use millicron_runtime::{DialectError, Field, ParseError, ParseErrorKind};
#[cfg(feature = "alloc")]
pub use millicron_runtime::{ZonedParseError, ZonedParseErrorKind};
pub use moment::{Instant, Moment, Position};
pub use neighbors::Neighbors;
pub use period::{Period, Unit};
#[cfg(feature = "alloc")]
pub use phrase::Phrase;
pub use range::MomentRange;
pub use recurrence::{IntoRecurrence, Recurrence};
pub use schedule::Schedule;
#[cfg(feature = "std")]
pub use system_time::{system_time, unix_millis};
pub use zone::{
    ClockChange, ClockEffect, Fold, Gap, NamedZone, Occurrence, OffsetSpan, Offsets, Pass,
    Resolution, StaticZone, Surprise, Surprises, Zone, ZoneTable, ZonedDescription, ZonedEvents,
    ZonedSchedule,
};

/// Compiles a schedule from a string literal.
///
/// The result is an expression of type [`Schedule`] that can initialize a `const` or a `static`. It
/// refers to constants only: the search code for this schedule, and the bitmaps it needs.
///
/// The argument is a string literal in [the language](crate#the-language) of this crate. It may be
/// a raw string, or a literal that another `macro_rules!` macro passes on as `$text:literal` or
/// `$text:expr`. To use another [`Dialect`], put its name before the literal: `crontab`, `quartz`,
/// `cron_crate` or `systemd`.
///
/// With the feature `zones`, the text may end with the name of a time zone. The result is then a
/// [`ZonedSchedule`] in a [`StaticZone`]. Without link-time optimization, each of the units for which the
/// compiler generates code has a copy of the zone; a constant of [`zone!`](crate::zone!) exists once.
///
/// ```
/// use millicron::{CalendarDigits, Schedule, schedule};
///
/// const WEEKDAYS: Schedule = schedule!("*.*.* Mon-Fri 09:30:00");
/// static QUARTERS: Schedule = schedule!("*:*/15:00");
/// const FROM_CRONTAB: Schedule = schedule!(crontab "30 9 * * MON-FRI");
///
/// assert!(WEEKDAYS.matches(CalendarDigits::new(2024, 3, 1, 9, 30, 0, 0)?));
/// assert_eq!(QUARTERS.next_event(0), Some(946_684_800_000)); // 2000-01-01 00:00:00
/// assert_eq!(FROM_CRONTAB, WEEKDAYS);
/// # Ok::<(), millicron::DigitsError>(())
/// ```
///
/// # Calendars
///
/// Constants or statics for the [calendars](Calendar) that the text names follow the literal: `NYSE`
/// for `@NYSE`, or `nyse = path::to::NYSE` for `@nyse`; a name with `-` is a string, as in
/// `"new-york" = NYSE`. The path can contain neither `Self` nor generic parameters, because the
/// expansion has constants of its own, in which they cannot be used.
///
/// ```
/// use millicron::{Calendar, Schedule, calendar, schedule};
///
/// const OFFICE: Calendar = calendar!("*.*.* Mon-Fri\n- *.12.25");
/// const OPENING: Schedule = schedule!("*.*.* 09:00:00 @office", office = OFFICE);
/// ```
///
/// # `const` or `static`
///
/// Each use of a `const` creates a new value, which costs nothing: it is two words that point to
/// constants. But a reference to that value is not `&'static`, because `Schedule` has a destructor,
/// which frees parsed schedules. If you need a `&'static Schedule`, use a `static`:
///
/// ```
/// use millicron::{Schedule, schedule};
///
/// static HOURLY: Schedule = schedule!("*:00:00");
///
/// let borrowed: &'static Schedule = &HOURLY;
/// assert_eq!(borrowed.expression(), "*:00:00");
/// ```
///
/// # Errors
///
/// A text that is not a schedule, or has no events, does not compile. The compiler shows the
/// message of the [`ParseError`] and points at the place in the text:
///
/// ```compile_fail
/// const WRONG: millicron::Schedule = millicron::schedule!("24:00:00");
/// ```
#[macro_export]
macro_rules! schedule {
    ($($text:tt)*) => {
        $crate::__private::expand!($crate $($text)*)
    };
}

/// Compiles a calendar from a string literal.
///
/// The result is an expression of type [`Calendar`] that can initialize a `const` or a `static`. The
/// text is in [the language of calendars](crate#the-language). Calendars that it names are constants
/// that follow it: the name of the constant, or `name = path`.
///
/// ```
/// use millicron::{Calendar, CalendarDigits, Schedule, calendar, schedule};
///
/// const HOLIDAYS: Calendar = calendar!("*.1.1\n*.12.25,26");
/// const OFFICE: Calendar = calendar!("*.*.* Mon-Fri\n- @HOLIDAYS", HOLIDAYS);
/// const PAYDAY: Schedule = schedule!("*.*.* B#L 12:00:00 @office", office = OFFICE);
///
/// let december: CalendarDigits = "2026-12-01 00:00:00".parse()?;
/// assert_eq!(PAYDAY.next_event(december), Some("2026-12-31 12:00:00".parse()?));
/// # Ok::<(), millicron::DigitsError>(())
/// ```
#[macro_export]
macro_rules! calendar {
    ($($text:tt)*) => {
        $crate::__private::expand_calendar!($crate $($text)*)
    };
}

/// Compiles a calendar from a file, whose path is relative to the directory of the manifest.
///
/// The crate is compiled again if the file changes. Otherwise, the macro is like [`calendar!`].
///
/// ```
/// use millicron::{Calendar, include_calendar};
///
/// const TARGET: Calendar = include_calendar!("examples/calendars/target2.days");
/// assert_eq!(TARGET.len(), 25_859);
/// ```
#[macro_export]
macro_rules! include_calendar {
    ($($path:tt)*) => {
        $crate::__private::expand_include_calendar!($crate $($path)*)
    };
}

/// Compiles a time zone from its name in the IANA database. Needs the feature `zones`.
///
/// The result is an expression of type [`StaticZone`] that can initialize a `const` or a `static`: the
/// offsets of the zone from 2000 to 2100. An unknown name does not compile. Use one constant
/// for several schedules, with [`Schedule::in_zone`]; or write the name into the literal of a schedule,
/// after the time.
///
/// ```
/// # #[cfg(feature = "zones")] {
/// use millicron::{Schedule, StaticZone, schedule, zone};
///
/// const NEW_YORK: StaticZone = zone!("America/New_York");
/// const OPEN: Schedule = schedule!("*.*.* Mon-Fri 09:30:00");
/// const CLOSE: Schedule = schedule!("*.*.* Mon-Fri 16:00:00");
///
/// let now = 1_772_820_000_000; // Friday, 2026-03-06 18:00:00 UTC
/// assert_eq!(OPEN.in_zone(NEW_YORK).next_event(now), Some(1_773_063_000_000));
/// assert_eq!(CLOSE.in_zone(NEW_YORK).next_event(now), Some(1_772_830_800_000));
/// # }
/// ```
#[macro_export]
macro_rules! zone {
    ($($name:tt)*) => {
        $crate::__private::expand_zone!($crate $($name)*)
    };
}

// The examples need the feature `jiff`.
#[cfg(all(any(doc, doctest), feature = "std", feature = "jiff"))]
#[doc = include_str!("../MIGRATION.md")]
pub mod migration {}

/// Items that the code generated by `schedule!` refers to. Not public API.
#[doc(hidden)]
pub mod __private {
    pub use core::option::Option;

    pub use crate::calendars::{assert_days, compiled as calendar, days_of, tables_of, tables_on};
    pub use crate::schedule::union;
    pub use millicron_runtime::days::{
        ALL_DAYS, BusinessSteps, DateRule, DayRule, DaySet, MONDAYS_TO_FRIDAYS, MovedDates, Years,
    };
    pub use millicron_runtime::overlap::{Counting, Overlap, Part, PartDays, Steps, Times};
    pub use millicron_runtime::{CompiledUnion, Pair, PlanOf, Schedule as Member, UnionPlan};

    pub use crate::moment::Sealed;
    pub use crate::schedule::compiled as schedule;
    pub use crate::timescale::{CivilScale, EventWalk, Timescale};
    pub use crate::zone::local_time::ZoneScale;
    pub use crate::zone::static_zone::{CompiledZone, static_zone, zoned_schedule};
    pub use crate::zone::table::{CompiledSpans, Start};
    pub use crate::zone::walk::ZoneWalk;
    /// Replaces a schedule that does not compile, in a zone or not.
    pub trait Fallback {
        /// The schedule.
        const FALLBACK: Self;
    }
    impl Fallback for crate::Schedule {
        const FALLBACK: Self = crate::schedule!("0:0:0");
    }
    impl Fallback for crate::ZonedSchedule<crate::StaticZone> {
        const FALLBACK: Self = zoned_schedule(crate::schedule!("0:0:0"), FALLBACK_ZONE, false);
    }
    /// Replaces a calendar that does not compile.
    pub const FALLBACK_CALENDAR: crate::Calendar = crate::calendar!("*.*.*");
    pub use millicron_macros::calendar as expand_calendar;
    pub use millicron_macros::include_calendar as expand_include_calendar;
    pub use millicron_macros::schedule as expand;
    pub use millicron_macros::zone as expand_zone;
    /// Replaces a zone that does not compile.
    pub const FALLBACK_ZONE: crate::StaticZone = static_zone(
        const {
            &CompiledZone::new(
                "UTC",
                "",
                const { &CompiledSpans::new(&[Start::FIRST, Start::END, Start::END], &[0]) },
            )
        },
    );
    pub use millicron_runtime::search::{
        Bounds, DayBitmap, DayList, DaySteps, DayTables, DayTimes, DayWords, EndRanks, EveryDay,
        FieldProduct, FixedTime, MillisecondSet, OneField, Plan, SingleValue, SmallSet, Stride,
        Weekdays, WindowSteps, YearDays, YearRows, YearWord,
    };
    pub use millicron_runtime::{Compiled, StaticRef, Str};
}

/// Checks the recipes of the README.
///
/// ```
/// use millicron::{CalendarDigits, Schedule};
///
/// let readme = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md"));
/// let (_, recipes) = readme.split_once("## Recipes").expect("a section");
/// let rows: Vec<&str> = recipes.lines().skip_while(|line| !line.starts_with("| ---")).skip(1)
///     .take_while(|line| line.starts_with('|')).collect();
/// assert!(rows.len() >= 20);
///
/// let noon: CalendarDigits = "2026-11-22 12:00:00.000".parse()?;
/// for row in rows {
///     let row = &row.replace(r"\|", "OR");
///     let cells: Vec<&str> = row.split(" | ").map(|cell| cell.trim_matches(['|', ' ', '`'])).collect();
///     let [_, text, expected] = cells[..] else { panic!("{row}") };
///     let schedule = Schedule::parse(&text.replace("OR", "|"))?;
///     let event = schedule.next_event(noon).expect(row).to_string();
///     assert_eq!(event.strip_suffix(".000").unwrap_or(&event), expected, "{row}");
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg(all(doctest, feature = "alloc"))]
struct Recipes;
