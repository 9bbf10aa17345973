//! Prints when the New York Stock Exchange trades around Thanksgiving 2026, with its half day, and the
//! deadlines of a month that count business days.
//!
//! The calendars are text files, read while this program is compiled:
//!
//! ```text
//! cargo run --example trading_day
//! ```

use millicron::{
    Calendar, CalendarDigits, DigitsError, Schedule, calendar, include_calendar, schedule,
};

/// The days on which the exchange is open.
const NYSE: Calendar = include_calendar!("examples/calendars/nyse.days");
/// Those of them on which it closes at 13:00.
const HALF: Calendar = include_calendar!("examples/calendars/nyse-half.days");
/// The others.
const FULL: Calendar = calendar!("@nyse\n- @half", nyse = NYSE, half = HALF);

/// The opening and the close: at 16:00, and on half days at 13:00.
const TRADING: Schedule = schedule!(
    "09:30:00..=16:00:00/390m @full; 09:30:00..=13:00:00/210m @half",
    full = FULL,
    half = HALF,
);

/// The last trading day of the month, and two trading days before the 25th or the one before it.
const CLOSING: Schedule = schedule!("*.*.* B#L 16:00:00 @nyse", nyse = NYSE);
const PREPARATION: Schedule = schedule!("*.*.25<B-2 12:00:00 @nyse", nyse = NYSE);

fn main() -> Result<(), DigitsError> {
    println!("{}", TRADING.describe());
    let monday: CalendarDigits = "2026-11-23 00:00:00".parse()?;
    for day in NYSE.iter::<CalendarDigits>().skip_while(|day| *day < monday).take(5) {
        let end = CalendarDigits::from_millis(day.to_millis() + 86_400_000);
        let times: Vec<String> = TRADING
            .events(day..end)
            .map(|event| format!("{:02}:{:02}", event.hour(), event.minute()))
            .collect();
        let date = format!("{}-{:02}-{:02}", day.year(), day.month(), day.day());
        println!("  {date}: {}", times.join(" "));
    }
    for schedule in [CLOSING, PREPARATION] {
        println!("{}", schedule.describe());
        for event in schedule.upcoming(monday).take(3) {
            println!("  {event}");
        }
    }
    let settled = NYSE.add(monday, 2);
    println!("Two trading days after {monday}: {}", settled.unwrap_or(monday));
    Ok(())
}
