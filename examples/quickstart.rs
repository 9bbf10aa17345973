//! Prints the events of a few schedules around now: in local time with the feature `jiff`, in UTC
//! without it.
//!
//! Pass another schedule as an argument:
//! `cargo run --example quickstart --features jiff -- "*.*.* Mon-Fri 09:30:00"`.

use std::process::ExitCode;

use millicron::{Schedule, schedule};
use moment::{Now, format, new_year, now};

const FRIDAY_13: Schedule = schedule!("*.*.13 Fri 00:00:00");

/// The compiler checks these: an error in any of them is a compile error.
static SCHEDULES: [Schedule; 6] = [
    schedule!("*:00:00"),                 // every hour
    schedule!("*:*:*.*/250"),             // every 250 milliseconds
    schedule!("*.*.* Mon-Fri 9-17:30:0"), // on weekdays, hourly from 09:30 to 17:30
    schedule!("*.*.32 12:00:00"),         // noon on the last day of each month
    schedule!("*.2.29 Sat 12:00:00"),     // 29 February, if it is a Saturday
    FRIDAY_13,
];

fn main() -> ExitCode {
    // A schedule from the command line is in the same language and has the same type.
    let argument = std::env::args().nth(1);
    let parsed = match argument.as_deref().map(Schedule::parse).transpose() {
        Ok(parsed) => parsed,
        Err(error) => {
            eprintln!("{error:#}");
            return ExitCode::from(2);
        }
    };

    let now = now();
    println!("It is {}.\n", format(&now));
    let heading = format!("in {}", now.year());
    println!("{:<24} {:<32} {:<32} {heading:>12}", "schedule", "previous event", "next event");
    for schedule in SCHEDULES.iter().chain(&parsed) {
        println!(
            "{:<24} {:<32} {:<32} {:>12}",
            schedule.expression(),
            format_option(schedule.prev_event(&now)),
            format_option(schedule.next_event(&now)),
            schedule.count(new_year(&now, 0)..new_year(&now, 1)),
        );
    }

    let listed = parsed.unwrap_or(FRIDAY_13);
    let mut events = listed.upcoming(&now);
    println!("\nThe next events of {listed}:");
    for event in events.by_ref().take(4) {
        println!("    {}", format(&event));
    }
    // The iterator is double-ended, and counts without visiting the events.
    let last = events.next_back();
    match events.count() {
        0 => {}
        skipped => println!("    ({skipped} others)"),
    }
    if let Some(last) = last {
        println!("    {}", format(&last));
    }
    ExitCode::SUCCESS
}

fn format_option(event: Option<Now>) -> String {
    event.map_or_else(|| "none".to_owned(), |event| format(&event))
}

/// Moments in local time.
#[cfg(feature = "jiff")]
mod moment {
    pub(super) use jiff::ZonedDateTime as Now;

    pub(super) fn now() -> Now {
        Now::now()
    }

    pub(super) fn format(moment: &Now) -> String {
        moment.strftime("%a %Y-%m-%d %H:%M:%S%.3f %Z").to_string()
    }

    /// Returns the start of this year, or of the year `later` years after it.
    pub(super) fn new_year(now: &Now, later: i16) -> Now {
        let date = jiff::civil::date(now.year() + later, 1, 1);
        date.to_zoned_datetime(now.time_zone().clone()).expect("a year in the range of jiff")
    }
}

/// Moments in UTC.
#[cfg(not(feature = "jiff"))]
mod moment {
    pub(super) use millicron::CalendarDigits as Now;

    pub(super) fn now() -> Now {
        Now::try_from(std::time::SystemTime::now()).expect("a clock in the range of i64")
    }

    pub(super) fn format(moment: &Now) -> String {
        format!("{moment} UTC")
    }

    /// Returns the start of this year, or of the year `later` years after it.
    pub(super) fn new_year(now: &Now, later: i32) -> Now {
        Now::new(now.year() + later, 1, 1, 0, 0, 0, 0).expect("every year has a 1 January")
    }
}
