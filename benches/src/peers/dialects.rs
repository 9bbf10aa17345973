//! The expression for each case in the language of each peer.
//!
//! The languages differ: weekdays start with Sunday as 1 in `cron` and `saffron`, and as 0 in
//! `croner`. `croner` joins day of month and weekday by OR unless the weekday starts with `+`. Steps
//! of years count from 1970 in `cron` and from 1 in `croner`, so years are given as a range.
//! `crontime` has no steps, so lists are written out.

use Translation::{As, Unsupported};

use super::Dialect;
use crate::cases::Case;

/// The expression of a case in a peer's language.
#[derive(Clone, Copy, Debug)]
pub(super) enum Translation {
    /// The peer's expression for the same set of instants.
    As(&'static str),
    /// The reason why the peer has no such expression.
    Unsupported(&'static str),
}

/// Returns the expression of a case in a dialect.
///
/// # Panics
///
/// Panics if the case is not in the table.
pub(super) fn translate(case: &Case, dialect: Dialect) -> Translation {
    let mut rows = TABLE.iter().filter(|row| row.case == case.label);
    let row = rows.next().expect("a row for each case");
    match dialect {
        Dialect::Cron => row.cron,
        Dialect::Croner => row.croner,
        Dialect::Saffron => row.saffron,
        Dialect::Crontime => row.crontime,
    }
}

struct Row {
    /// The label of the case.
    case: &'static str,
    cron: Translation,
    croner: Translation,
    saffron: Translation,
    crontime: Translation,
}

const MILLIS: Translation = Unsupported("no milliseconds");
const SECONDS: Translation = Unsupported("no seconds");
const YEARS: Translation = Unsupported("no years");
const WEEKDAYS: Translation = Unsupported("ignores weekdays");
const MONTHS: Translation = Unsupported("ignores months");
const LAST_DAY: Translation = Unsupported("no last day");
// The rule of crontab: if both fields are restricted, either may match.
const EITHER_DAY: Translation = Unsupported("joins the day fields by OR");

const NEAREST: Translation = Unsupported("no nearest weekday");
const NUMBERED: Translation = Unsupported("no numbered weekdays");
const BOTH_DAYS: Translation = Unsupported("joins the day fields by AND");
const DATE_STEPS: Translation = Unsupported("no steps from a date");
const WINDOWS: Translation = Unsupported("no windows");

const TABLE: &[Row] = &[
    Row {
        case: "1",
        cron: As("0 0 * * * *"),
        croner: As("0 0 * * * *"),
        saffron: As("0 * * * *"),
        crontime: As("0 0 * * * *"),
    },
    Row {
        case: "2",
        cron: As("* * * * * *"),
        croner: As("* * * * * *"),
        saffron: SECONDS,
        crontime: As("* * * * * *"),
    },
    Row { case: "3", cron: MILLIS, croner: MILLIS, saffron: MILLIS, crontime: MILLIS },
    Row { case: "4", cron: MILLIS, croner: MILLIS, saffron: MILLIS, crontime: MILLIS },
    Row {
        case: "5",
        cron: As("0 30 9 * * 2-6"),
        croner: As("0 30 9 * * 1-5"),
        saffron: As("30 9 * * 2-6"),
        crontime: WEEKDAYS,
    },
    Row {
        case: "6",
        cron: As("0 0 10 */2 9 2-6"),
        croner: As("0 0 10 */2 9 +1-5"),
        saffron: EITHER_DAY,
        crontime: WEEKDAYS,
    },
    Row {
        case: "7",
        cron: As("0 30 1 1 * *"),
        croner: As("0 30 1 1 * *"),
        saffron: As("30 1 1 * *"),
        crontime: As("0 30 1 1 * *"),
    },
    Row {
        case: "8",
        cron: LAST_DAY,
        croner: As("0 0 12 L * *"),
        saffron: As("0 12 L * *"),
        crontime: LAST_DAY,
    },
    Row {
        case: "9",
        cron: As("0 0 12 1 1 * 2000-2100/4"),
        croner: As("0 0 12 1 1 * 2000-2100/4"),
        saffron: YEARS,
        crontime: YEARS,
    },
    Row {
        case: "10",
        cron: As("0 0 12 29 2 7"),
        croner: As("0 0 12 29 2 +6"),
        saffron: EITHER_DAY,
        crontime: WEEKDAYS,
    },
    Row {
        case: "11",
        cron: As("34 14 12 31 * 4"),
        croner: As("34 14 12 31 * +3"),
        saffron: SECONDS,
        crontime: WEEKDAYS,
    },
    Row {
        case: "12",
        cron: As("0 0 12 5-26/7 1,10 2"),
        croner: As("0 0 12 5-26/7 1,10 +1"),
        saffron: EITHER_DAY,
        crontime: WEEKDAYS,
    },
    Row { case: "13", cron: MILLIS, croner: MILLIS, saffron: MILLIS, crontime: MILLIS },
    Row {
        case: "13s",
        cron: As("59 59 23 31 12 * 2100"),
        croner: As("59 59 23 31 12 * 2100"),
        saffron: YEARS,
        crontime: YEARS,
    },
    Row {
        case: "14",
        cron: As("*/13 5,10-20/3,44 1,3-9/2,15,20-23 * * *"),
        croner: As("*/13 5,10-20/3,44 1,3-9/2,15,20-23 * * *"),
        saffron: SECONDS,
        crontime: As("0,13,26,39,52 5,10,13,16,19,44 1,3,5,7,9,15,20,21,22,23 * * *"),
    },
    Row { case: "15", cron: MILLIS, croner: MILLIS, saffron: MILLIS, crontime: MILLIS },
    Row {
        case: "15s",
        cron: As("* * * 6,7 4 *"),
        croner: As("* * * 6,7 4 *"),
        saffron: SECONDS,
        crontime: MONTHS,
    },
    Row {
        case: "16",
        cron: As("34 14 12 20-31/5 * 6"),
        croner: As("34 14 12 20-31/5 * +5"),
        saffron: SECONDS,
        crontime: WEEKDAYS,
    },
    Row {
        case: "17",
        cron: As("0 0 10 */2 3-10 2-6"),
        croner: As("0 0 10 */2 3-10 +1-5"),
        saffron: EITHER_DAY,
        crontime: WEEKDAYS,
    },
    Row { case: "18", cron: MILLIS, croner: MILLIS, saffron: MILLIS, crontime: MILLIS },
    Row { case: "19", cron: MILLIS, croner: MILLIS, saffron: MILLIS, crontime: MILLIS },
    Row {
        case: "20",
        cron: NEAREST,
        croner: As("0 0 17 LW * *"),
        saffron: As("0 17 LW * *"),
        crontime: NEAREST,
    },
    Row {
        case: "21",
        cron: NUMBERED,
        croner: As("0 0 10 * * 5#2"),
        saffron: As("0 10 * * 6#2"),
        crontime: NUMBERED,
    },
    Row {
        case: "22",
        cron: BOTH_DAYS,
        croner: As("0 0 0 13 * 5"),
        saffron: As("0 0 13 * 6"),
        crontime: WEEKDAYS,
    },
    Row {
        case: "23",
        cron: DATE_STEPS,
        croner: DATE_STEPS,
        saffron: DATE_STEPS,
        crontime: DATE_STEPS,
    },
    Row {
        case: "24",
        cron: DATE_STEPS,
        croner: DATE_STEPS,
        saffron: DATE_STEPS,
        crontime: DATE_STEPS,
    },
    Row { case: "25", cron: WINDOWS, croner: WINDOWS, saffron: WINDOWS, crontime: WINDOWS },
    Row { case: "26", cron: WINDOWS, croner: WINDOWS, saffron: WINDOWS, crontime: WINDOWS },
    Row { case: "27", cron: NEAREST, croner: NEAREST, saffron: NEAREST, crontime: NEAREST },
    Row {
        case: "28",
        cron: BOTH_DAYS,
        croner: As("0 0 10 1-7 * 1#L"),
        saffron: As("0 10 1-7 * 2L"),
        crontime: WEEKDAYS,
    },
];
