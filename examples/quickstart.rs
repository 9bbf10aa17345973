//! Answers questions about a few schedules from the system clock, read as UTC.
//!
//! An argument is read as one more schedule:
//! `cargo run --example quickstart -- "*.*.* 1-5 09:30:00"`.

use std::process::ExitCode;
use std::time::SystemTime;

use millicron::{CalendarDigits, Schedule, schedule};

const FRIDAY_13: Schedule = schedule!("*.*.13 Fri 00:00:00");

/// Checked by the compiler: a mistake in one of these does not build.
static SCHEDULES: [Schedule; 6] = [
    schedule!("*:00:00"),                 // every hour
    schedule!("*:*:*.*/250"),             // every 250 milliseconds
    schedule!("*.*.* Mon-Fri 9-17:30:0"), // on working days, 09:30 to 17:30
    schedule!("*.*.32 12:00:00"),         // noon of the last day of each month
    schedule!("*.2.29 Sat 12:00:00"),     // 29 February, when it is a Saturday
    FRIDAY_13,
];

fn main() -> ExitCode {
    // Read while the program runs: the same language, the same type.
    let argument = std::env::args().nth(1);
    let parsed = match argument.as_deref().map(str::parse::<Schedule>).transpose() {
        Ok(parsed) => parsed,
        Err(error) => {
            eprintln!("{error:#}");
            return ExitCode::from(2);
        }
    };

    let now = match CalendarDigits::try_from(SystemTime::now()) {
        Ok(now) => now,
        Err(error) => {
            eprintln!("the system clock can not be read: {error}");
            return ExitCode::FAILURE;
        }
    };
    println!("It is {now} UTC.\n");
    println!(
        "{:<30} {:<23}  {:<23}  {:>10}",
        "schedule",
        "previous event",
        "next event",
        format!("in {}", now.year()),
    );
    for schedule in SCHEDULES.iter().chain(&parsed) {
        println!(
            "{:<30} {:<23}  {:<23}  {:>10}",
            schedule.expression(),
            written(schedule.prev_event(now)),
            written(schedule.next_event(now)),
            schedule.count(new_year(now.year())..new_year(now.year() + 1)),
        );
    }

    let listed = parsed.unwrap_or(FRIDAY_13);
    let mut events = listed.events(now..);
    println!("\n{} events of {listed} from now on:", listed.count(now..));
    for event in events.by_ref().take(4) {
        println!("    {event}");
    }
    // An iterator has two ends, and counts without walking.
    let (last, second_to_last) = (events.next_back(), events.next_back());
    match events.count() {
        0 => {}
        skipped => println!("    ... {skipped} others ..."),
    }
    for event in [second_to_last, last].into_iter().flatten() {
        println!("    {event}");
    }
    ExitCode::SUCCESS
}

fn written(event: Option<CalendarDigits>) -> String {
    event.map_or_else(|| "none".to_owned(), |event| event.to_string())
}

fn new_year(year: i32) -> CalendarDigits {
    CalendarDigits::new(year, 1, 1, 0, 0, 0, 0).expect("every year has a 1 January")
}
