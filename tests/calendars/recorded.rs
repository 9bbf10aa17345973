//! The example calendars, compared day by day with the days that `scripts/record-calendars` recorded
//! from other libraries.

use std::collections::BTreeMap;

use millicron::calendar::{day_number, days_in_month, weekday};
use millicron::{Calendar, CalendarDigits};

use super::{date, example};

/// The recorded days, by calendar.
const RECORDED: [(&str, &str); 7] = [
    ("germany", include_str!("recorded/germany.txt")),
    ("japan", include_str!("recorded/japan.txt")),
    ("lse", include_str!("recorded/lse.txt")),
    ("nyse", include_str!("recorded/nyse.txt")),
    ("nyse-half", include_str!("recorded/nyse-half.txt")),
    ("target2", include_str!("recorded/target2.txt")),
    ("us-federal", include_str!("recorded/us-federal.txt")),
];

const DIFFERENCES: &str = include_str!("recorded/differences.txt");

/// Returns the lines of a recording that are no comments.
pub(super) fn lines(recording: &str) -> impl Iterator<Item = &str> {
    recording.lines().filter(|line| !line.starts_with('#') && !line.is_empty())
}

#[test]
fn example_calendars_have_the_recorded_days() {
    let mut differences = Vec::new();
    for (name, recording) in RECORDED {
        let calendar = example(name);
        for line in lines(recording) {
            let mut words = line.split(' ').peekable();
            let year: i32 = words.next().and_then(|year| year.parse().ok()).expect("a year");
            let has_weekdays = words.next_if(|word| *word == "Mon-Fri").is_some();
            let others: BTreeMap<&str, bool> =
                words.map(|word| (&word[1..], word.starts_with('+'))).collect();
            for month in 1..=12 {
                for day in 1..=days_in_month(year, month) {
                    let ordinary =
                        has_weekdays && (1..=5).contains(&weekday(day_number(year, month, day)));
                    let key = format!("{month:02}-{day:02}");
                    let is_recorded = others.get(&*key).copied().unwrap_or(ordinary);
                    if calendar.contains(date(&format!("{year}-{key}"))) != is_recorded {
                        differences.push(format!("{name} {year}-{key}"));
                    }
                }
            }
        }
    }
    let explained: Vec<_> = lines(DIFFERENCES)
        .map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" "))
        .collect();
    differences.sort_unstable();
    let mut sorted = explained.clone();
    sorted.sort_unstable();
    assert_eq!(differences, sorted);
}

#[test]
fn half_days_are_trading_days() {
    let [all, half] = ["nyse", "nyse-half"].map(example);
    assert!((half - all).is_empty());
}

#[test]
fn a_text_of_ten_megabytes_is_read() {
    let line = "- 2026-05-04  # a day of replacement, moved by decree\n";
    let mut text = String::from("*.*.* Mon-Fri\n");
    text.push_str(&line.repeat(10_000_000 / line.len()));
    let calendar = Calendar::parse(&text).expect("a calendar");
    let weekdays = Calendar::parse("*.*.* Mon-Fri").expect("a calendar");
    let missing = &weekdays - &calendar;
    assert!(missing.iter::<CalendarDigits>().eq([date("2026-05-04")]));
}
