//! Calendars and unions expand to constants, without `std`, whatever the names around them are.
#![no_std]
#![deny(warnings, clippy::all, clippy::pedantic)]
#![allow(non_snake_case, reason = "names in the expansion must not matter")]

mod calendars {
    use millicron::{Calendar, calendar};

    pub(crate) const DAYS: Calendar = calendar!("*.*.* Mon-Fri\n- *.12.25");
    #[expect(non_upper_case_globals, reason = "a keyword")]
    pub(crate) const r#type: Calendar = DAYS;
    pub(crate) static MEMBERS: Calendar = calendar!("@days\n- *.1.1", days = DAYS);
}

use calendars::DAYS;
use millicron::{Schedule, schedule};

const PLAN: Schedule = schedule!("*.*.* B#2 12:00:00 @DAYS; *:00:00", DAYS);
static UNION: Schedule = schedule!("12:00:00 @a; 12:00:00 @b", a = DAYS, b = calendars::MEMBERS);
static KEYWORDS: Schedule =
    schedule!("12:00:00 @async; 13:00:00 @type", r#async = DAYS, calendars::r#type);

/// Passes a calendar on.
macro_rules! on {
    ($text:literal, $calendar:path) => {
        schedule!($text, $calendar)
    };
}

static PASSED_ON: Schedule = on!("12:00:00 @MEMBERS", calendars::MEMBERS);

#[test]
fn compiles_and_runs() {
    assert_eq!(PASSED_ON.count(..), u64::from(calendars::MEMBERS.len()));
    let DAY_SET = PLAN.count(..);
    assert_eq!(KEYWORDS.count(..), 2 * u64::from(DAYS.len()));
    assert!(DAY_SET > UNION.count(..) && calendars::MEMBERS.len() < DAYS.len());
}
