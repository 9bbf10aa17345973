#![doc = include_str!("../README.md")]
#![no_std]

#[cfg(any(feature = "dependency", feature = "serde"))]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod adapters;
mod ask;
mod clock;
#[cfg(feature = "dependency")]
pub mod dependency;
mod digits;
mod events;
mod moment;
mod schedule;
#[cfg(feature = "scheduler")]
pub mod scheduler;
#[cfg(feature = "std")]
mod system_time;
mod zone;

#[cfg(feature = "chrono")]
pub use adapters::ChronoZone;
pub use digits::{CalendarDigits, DigitsError};
pub use events::Events;
pub use millicron_runtime::calendar;
pub use millicron_runtime::{Field, ParseError, ParseErrorKind};
pub use moment::{Instant, Moment};
pub use schedule::Schedule;
pub use zone::{Fold, Gap, Occurrence, Offsets, Resolution, Zone, ZonedEvents, ZonedSchedule};

/// A [`Schedule`] from a string literal, checked and compiled by the compiler.
///
/// The result is an expression of type [`Schedule`] that can stand in a `const`
/// or a `static`, and holds nothing but references to constants: the code that
/// searches for just this schedule, and the bitmaps it needs.
///
/// The argument is a string literal, also a raw one, or one that another
/// `macro_rules!` passes on as `$text:literal` or `$text:expr`. What may stand in
/// it is [the language](crate#the-language).
///
/// ```
/// use millicron::{Schedule, schedule};
///
/// const WEEKDAYS: Schedule = schedule!("*.*.* Mon-Fri 09:30:00");
/// static QUARTERS: Schedule = schedule!("*:*/15:00");
///
/// assert!(WEEKDAYS.matches(millicron::CalendarDigits::new(2024, 3, 1, 9, 30, 0, 0)?));
/// assert_eq!(QUARTERS.next_event(0), Some(946_684_800_000)); // 2000-01-01 00:00:00
/// # Ok::<(), millicron::DigitsError>(())
/// ```
///
/// # `const` or `static`
///
/// A `const` is a new value at each use, which costs nothing: two words that
/// refer to constants. A reference to that value is not `&'static`, though, for
/// a schedule may hold a parsed one, which is dropped. Where a
/// `&'static Schedule` is needed, use a `static`:
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
/// A text that is no schedule, or one that would never fire, does not compile;
/// the message is that of [`ParseError`], with the place in the text:
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

/// What the code that `schedule!` generates refers to; not for use by hand.
#[doc(hidden)]
pub mod __private {
    pub use crate::schedule::compiled as schedule;
    /// What stands in for a schedule that does not compile.
    pub const FALLBACK: crate::Schedule = crate::schedule!("0:0:0");
    pub use millicron_macros::schedule as expand;
    pub use millicron_runtime::search::{
        Bounds, DayList, DayMinutes, EveryDay, FieldProduct, FixedTime, HourMinutes,
        MillisecondSet, OneField, Plan, RankedMinutes, SingleValue, SmallSet, Stride, Weekdays,
        YearRows, YearWord,
    };
    pub use millicron_runtime::{Compiled, StaticRef, Str};
}
