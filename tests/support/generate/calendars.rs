//! Random calendars: some weekdays, without some days and rules, and some days on top of that.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::field::{DAY, MONTH, Text, YEAR, free, items, list, month_day, number, one};
use super::{date_of, dates, few_weekdays, few_years};
use crate::oracle::calendar::{Date, days};
use crate::oracle::calendar_days::{CalendarDays, Calendars};
use crate::oracle::read_calendars;

/// The names of random calendars.
pub const NAMES: [&str; 3] = ["open", "nyse-2", "_X"];

/// The names and texts of calendars.
pub type Texts = Vec<(&'static str, String)>;

/// The text of a calendar for each of the [`NAMES`], and their days. Each has days. The later ones may
/// name those before them.
pub fn calendars() -> impl Strategy<Value = (Texts, Calendars)> {
    let texts = (calendar(&[]), calendar(&NAMES[..1]), calendar(&NAMES[..2]));
    texts.prop_filter_map("a calendar has days", |(a, b, c)| {
        let texts: Texts = NAMES.into_iter().zip([a, b, c]).collect();
        let calendars = read_calendars(&texts)?;
        Some((texts, calendars))
    })
}

/// The text of a calendar that may name some others. Each line has days, but they may all be removed
/// again.
pub fn calendar(others: &'static [&'static str]) -> Text {
    let line = (sign(), days_of_line(others)).prop_map(|(sign, days)| format!("{sign}{days}"));
    let lines = prop_oneof![2 => vec(line.clone(), 0..4), 3 => vec(line, 4..12)];
    (base(others), lines, vec((comment(), comment()), 13), end_of_line(), any::<bool>())
        .prop_map(|(base, lines, comments, end, is_ended)| {
            let mut written = Vec::new();
            for (line, (before, after)) in std::iter::once(base).chain(lines).zip(comments) {
                if !before.is_empty() {
                    written.push(before.to_owned());
                }
                written.push(format!("{line}{after}"));
            }
            let last = if is_ended { end } else { "" };
            format!("{}{last}", written.join(end))
        })
        .boxed()
}

/// The first line.
fn base(others: &'static [&'static str]) -> Text {
    let text = |text: &'static str| Just(text.to_owned());
    let weekly = select(vec!["Mon-Fri", "0-4", "Mon-Sat", "1-3,5", "Tue", "*/2"]);
    prop_oneof![
        5 => weekly.prop_map(|weekdays| format!("*.*.* {weekdays}")),
        1 => text("+ *.*.*"),
        1 => text("- *.*.* Sat,Sun"),
        1 => text("-\t*.*.L | Sun"),
        // Few days.
        1 => date_of(free(&YEAR), list(&MONTH), one(&DAY)),
        1 => (iso_date(), iso_date()).prop_map(|(a, b)| {
            let (from, to) = if a <= b { (a, b) } else { (b, a) };
            format!("{from}..={to}")
        }),
        2 => name_or(others, text("*.*.* Mon-Fri").boxed()),
    ]
    .prop_filter("a line has days", |line| line.contains('@') || has_days(line))
    .boxed()
}

fn sign() -> impl Strategy<Value = &'static str> + Clone {
    prop_oneof![5 => Just("- "), 3 => Just("+ "), 1 => Just(""), 1 => Just("  -\t"), 1 => Just("\t+ ")]
}

fn days_of_line(others: &'static [&'static str]) -> Text {
    // Holidays.
    let days = prop_oneof![one(&DAY), list(&DAY), items(month_day())].boxed();
    let every_year = date_of(free(&YEAR), one(&MONTH), days);
    let once = date_of(prop_oneof![one(&YEAR), few_years()].boxed(), one(&MONTH), one(&DAY));
    let dates = prop_oneof![
        4 => every_year,
        1 => once,
        3 => dates::date(),
        1 => few_weekdays().prop_map(|weekdays| format!("*.*.* {weekdays}")),
    ];
    let days = prop_oneof![
        9 => dates.prop_filter("a line has days", |line| has_days(line)),
        2 => easter(),
        2 => iso_date(),
        3 => iso_range(),
    ]
    .boxed();
    prop_oneof![8 => days.clone(), 1 => name_or(others, days)].boxed()
}

/// Returns whether there are days in a line that names no other calendar.
fn has_days(line: &str) -> bool {
    CalendarDays::read(line, &Calendars::new()).is_some()
}

fn name_or(others: &'static [&'static str], line: Text) -> Text {
    if others.is_empty() {
        return line;
    }
    select(others).prop_map(|name| format!("@{name}")).boxed()
}

fn easter() -> Text {
    let years = prop_oneof![4 => free(&YEAR), 1 => few_years(), 1 => list(&YEAR)];
    let days = || prop_oneof![2 => number(1..=3), 1 => number(1..=60), 1 => number(1..=99)];
    let offset = prop_oneof![
        1 => Just(String::new()),
        2 => days().prop_map(|days| format!("+{days}")),
        2 => days().prop_map(|days| format!("-{days}")),
    ];
    (years, offset).prop_map(|(years, offset)| format!("{years}.Easter{offset}")).boxed()
}

fn iso_date() -> Text {
    place().prop_map(|place| iso(&days()[place])).boxed()
}

/// A range of up to a few weeks, or of years.
fn iso_range() -> Text {
    let length = prop_oneof![4 => 0..30_usize, 1 => 0..4000_usize];
    (place(), length, any::<bool>())
        .prop_map(|(from, length, is_inclusive)| {
            let to = (from + length).min(days().len() - 1);
            let [start, end] = [from, to].map(|place| iso(&days()[place]));
            // A range without its end must have a day, too.
            if is_inclusive || from == to {
                format!("{start}..={end}")
            } else {
                format!("{start}..{end}")
            }
        })
        .boxed()
}

/// The place of a day: most are in the same few years, so that the lines of a calendar overlap.
fn place() -> impl Strategy<Value = usize> {
    let last = days().len() - 1;
    prop_oneof![4 => 9400..10_600_usize, 2 => 0..=last, 1 => 0..20_usize, 1 => last - 20..=last]
}

fn iso(date: &Date) -> String {
    format!("{}-{:02}-{:02}", date.year, date.month, date.day)
}

/// What follows a line, or stands on a line of its own before it.
fn comment() -> impl Strategy<Value = &'static str> + Clone {
    prop_oneof![
        8 => Just(""),
        1 => Just(" "),
        1 => Just(" # *.*.*"),
        1 => Just("\t#a comment; @open"),
    ]
}

fn end_of_line() -> impl Strategy<Value = &'static str> {
    prop_oneof![4 => Just("\n"), 1 => Just("\r\n"), 1 => Just("\n\n")]
}
