//! What each peer has to be told to answer a case.
//!
//! Dialects differ: the weekdays of `cron` and `saffron` start at 1 with Sunday,
//! those of `croner` at 0. `croner` joins day of month and weekday by OR unless
//! the weekday starts with a `+`. Steps of years count from 1970 in `cron` and
//! from 1 in `croner`, so the years are given a range. `crontime` knows no steps,
//! so lists are written out.

use Said::{As, Never};

use super::Dialect;
use crate::cases::Case;

/// How a peer says a case, if it can.
#[derive(Clone, Copy, Debug)]
pub(super) enum Said {
    /// The peer's expression for the same set of instants.
    As(&'static str),
    /// Why the peer has no such expression.
    Never(&'static str),
}

/// How the peer with this dialect says a case.
///
/// # Panics
///
/// Panics if the case is not in the table.
pub(super) fn said(case: &Case, dialect: Dialect) -> Said {
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
    /// The number of the case.
    case: &'static str,
    cron: Said,
    croner: Said,
    saffron: Said,
    crontime: Said,
}

const MILLIS: Said = Never("no milliseconds");
const SECONDS: Said = Never("no seconds");
const YEARS: Said = Never("no years");
const WEEKDAYS: Said = Never("ignores weekdays");
const MONTHS: Said = Never("ignores months");
const LAST_DAY: Said = Never("no last day");
// Crontab's old rule: where both fields are given, either of them is enough.
const EITHER_DAY: Said = Never("joins the day fields by OR");

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
];
