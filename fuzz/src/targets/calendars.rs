//! Any text is a calendar or an error; a calendar has the oracle's days, and prints a text that parses to it.

use millicron::{Calendar, CalendarDigits};
use millicron_test_oracle::DAY;
use millicron_test_oracle::calendar_days::CalendarDays;

use crate::{LIBRARY, ORACLE};

pub(crate) fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let oracle = CalendarDays::read(text, &ORACLE);
    match Calendar::parse_with(text, &*LIBRARY) {
        Ok(calendar) => {
            assert_eq!(Calendar::parse(&calendar.to_string()).as_ref(), Ok(&calendar));
            let oracle = oracle.expect("a calendar of the oracle");
            let days = calendar.iter::<CalendarDigits>().map(|date| date.to_millis() / DAY);
            assert!(days.eq(oracle.days()));
        }
        Err(error) => {
            drop(format!("{error} {error:#}"));
            assert!(oracle.is_none(), "{error}");
        }
    }
}
