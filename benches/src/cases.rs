//! The measured schedules, each both compiled and parsed.

use std::ops::RangeInclusive;

use millicron::{CalendarDigits, Schedule, schedule};

use crate::instants::{RANGE, START};
use crate::loops::{Loops, Parsed, Source, Subject};

/// The kind of schedule, which determines the floor that a case is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Equal steps through every day.
    Stride,
    /// Every day, at times that are not equal steps.
    Time,
    /// Some days only.
    Date,
    /// A window of the day, or steps from a date: found by arithmetic.
    Steps,
}

/// One schedule of the tables.
#[derive(Debug)]
pub struct Case {
    /// The number of the case in the tables.
    pub label: &'static str,
    /// The schedule.
    pub text: &'static str,
    /// The kind of schedule.
    pub kind: Kind,
    /// A fixed instant at which the case is also queried.
    pub from: Option<&'static str>,
    /// The compiled schedule.
    pub compiled: Subject,
}

impl Case {
    /// Returns the schedule as parsed at run time.
    ///
    /// # Panics
    ///
    /// Panics if the text is not a schedule, which the compiler has checked.
    #[must_use]
    pub fn parsed(&self) -> Subject {
        static LOOPS: Loops = Loops::of::<Parsed>();
        Subject::new(&LOOPS, self.text.parse().expect("compiled before"))
    }

    /// Returns the fixed instant at which the case is also queried.
    ///
    /// # Panics
    ///
    /// Panics if the instant is misspelt.
    #[must_use]
    pub fn from_millis(&self) -> Option<i64> {
        let digits = |text: &str| text.parse::<CalendarDigits>().expect("a date and a time");
        self.from.map(|text| digits(text).to_millis())
    }

    /// Returns the range from the start to the case's `most`-th event, or to its last event if there are
    /// fewer, and the number of events in it.
    ///
    /// # Panics
    ///
    /// Panics if there is no event, but every schedule has one.
    #[must_use]
    pub fn first_events(&self, most: usize) -> (RangeInclusive<i64>, usize) {
        let events = self.compiled.schedule().events(RANGE);
        let len = events.clone().count().min(most);
        let last = events.clone().nth(len - 1).expect("not more than there are");
        (START..=last, len)
    }
}

/// Defines a list of cases. Each becomes a type, so that its schedule is a constant in the loops that
/// query it.
macro_rules! cases {
    (
        $(#[$doc:meta])* $list:ident:
        $($name:ident $label:literal $kind:ident $text:literal $(@ $from:literal)?)*
    ) => {
        $(
            #[derive(Debug)]
            enum $name {}

            impl Source for $name {
                #[inline]
                fn schedule(_: &Schedule) -> &Schedule {
                    const SCHEDULE: &Schedule = &schedule!($text);
                    SCHEDULE
                }
            }
        )*

        $(#[$doc])*
        pub static $list: &[Case] = &[$(
            Case {
                label: $label,
                text: $text,
                kind: Kind::$kind,
                from: start!($($from)?),
                compiled: Subject::new(const { &Loops::of::<$name>() }, schedule!($text)),
            },
        )*];
    };
}

/// The fixed instant of a case, if it has one.
macro_rules! start {
    () => {
        None
    };
    ($from:literal) => {
        Some($from)
    };
}

cases! {
    /// The cases, in the order of their numbers. The bounds were set for the first 16. Case 17
    /// adds dates that are searched in rows of days, and case 18 lists in all four time fields. Cases
    /// 19 to 28 are windows, steps from a date, and days relative to the month.
    CASES:
    Hourly "1" Stride "*:00:00"
    EverySecond "2" Stride "*:*:*"
    EveryFiveMillis "3" Stride "*:*:*.*/5"
    SomeMillis "4" Time "*:*:*.1,2,3-5,10-20/3"
    WorkingDays "5" Date "*.*.* 1-5 09:30:00"
    SeptemberOddWorkingDays "6" Date "*.9.*/2 1-5 10:00:00"
    FirstOfMonth "7" Date "*.*.01 01:30:00"
    LastOfMonth "8" Date "*.*.32 12:00:00"
    LeapNewYears "9" Date "*/4.01.01 12:00:00" @ "2012-01-01 12:00:00.001"
    LeapSaturdays "10" Date "*.02.29 6 12:00:00" @ "2021-01-01 12:00:00.000"
    Wednesday31st "11" Date "*.*.31 3 12:14:34"
    SomeMondays "12" Date "*.1,10.5-26/7 1 12:00:00" @ "2021-10-05 12:00:00.000"
    LastMillisecond "13" Date "2100.12.31 23:59:59.999" @ "2000-01-01 00:00:00.000"
    SomeTimes "14" Time "*.*.* * 1,3-9/2,15,20-23:5,10-20/3,44:*/13"
    TwoDaysOfMillis "15" Date "*.4.6,7 * *:*:*.1,2,3-5,10-20/3"
    LateFridays "16" Date "*.*.20-32/5 5 12:14:34"
    OddWorkingDays "17" Date "*.3-10.*/2 1-5 10:00:00"
    ManyDatesAndLists "18" Date "*.*.1-20 1-5 1,3,5-9:2,5,10-40/3:1,7,20-50/7.5,100-900/13"
    TradingHours "19" Steps "*.*.* 1-5 09:30:00..16:00:00/250ms"
    LastWorkingDay "20" Date "*.*.LW 17:00:00"
    SecondFriday "21" Date "*.*.* Fri#2 10:00:00"
    ThirteenthOrFriday "22" Date "*.*.13 | Fri 00:00:00"
    EverySecondWeek "23" Steps "2026.01.05/2w Mon,Thu 09:00:00"
    EveryTenthDay "24" Steps "2026.01.05/10d 09:00:00"
    FridayNights "25" Steps "*.*.* Fri 22:00:00..06:00:00/30m"
    EverySevenMinutes "26" Steps "00:00:00../7m"
    NearTheEnds "27" Date "*.*.L-3,15W 12:00:00"
    FirstWeekOrLastMonday "28" Date "*.*.1-7 | Mon#L 10:00:00"
}

cases! {
    /// Cases 13 and 15 in whole seconds. No peer supports milliseconds; this is the nearest
    /// comparison for a single far date and for a few whole days.
    WHOLE_SECONDS:
    LastSecond "13s" Date "2100.12.31 23:59:59" @ "2000-01-01 00:00:00.000"
    TwoDaysOfSeconds "15s" Date "*.4.6,7 * *:*:*"
}
