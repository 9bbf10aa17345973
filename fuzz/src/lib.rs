//! Fuzz targets, one for each promise, and what they share.
#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::sync::LazyLock;

use arbitrary::{Result, Unstructured};
use millicron::Calendar;
use millicron::Dialect::{self, CronCrate, Crontab, Quartz, Systemd};
use millicron_test_oracle::calendar_days::Calendars;
use millicron_test_oracle::{END, START, read_calendars};

mod targets;

/// Returns the target with a name.
pub fn target(name: &str) -> Option<fn(&[u8])> {
    targets::ALL.iter().find(|(other, _)| *other == name).map(|(_, target)| *target)
}

const DIALECTS: [Dialect; 4] = [Crontab, Quartz, CronCrate, Systemd];

/// Calendars that texts may name.
const CALENDARS: [(&str, &str); 2] = [
    ("nyse", "*.*.* Mon-Fri\n- *.1.1\n- *.7.4\n- *.12.25\n- *.Easter-2"),
    ("rare", "2024.2.29\n+ 2100.12.31"),
];

static LIBRARY: LazyLock<BTreeMap<String, Calendar>> =
    LazyLock::new(|| Calendar::parse_all(CALENDARS).expect("valid calendars"));
static ORACLE: LazyLock<Calendars> =
    LazyLock::new(|| read_calendars(&CALENDARS).expect("valid calendars"));

/// Reads instants: any, near an end of the range, or near another one.
fn instant(input: &mut Unstructured, near: Option<i64>) -> Result<i64> {
    let base = match input.int_in_range(0..=5)? {
        0 => return input.arbitrary(),
        1 => START,
        2 => END,
        3 => *input.choose(&[i64::MIN, i64::MAX, 0])?,
        4 => near.unwrap_or(START),
        _ => return input.int_in_range(START..=END),
    };
    Ok(base.saturating_add(input.arbitrary::<i8>()?.into()))
}

/// Splits the input into some bytes for numbers, and a text: all after the first line feed.
fn numbers_and_text(data: &[u8]) -> Option<(&[u8], &str)> {
    let at = data.iter().position(|byte| *byte == b'\n')?;
    Some((&data[..at], std::str::from_utf8(&data[at + 1..]).ok()?))
}
