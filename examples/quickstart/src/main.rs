//! Shows what `millicron` knows about a few schedules, which the compiler has checked, or about one
//! that you pass: `cargo run -p quickstart -- "*.*.L 12:00:00"`.

use std::error::Error;
use std::process::ExitCode;

use jiff::tz::TimeZone;
use jiff::{ToSpan, ZonedDateTime};
use millicron::{Schedule, Surprise, schedule};

const SCHEDULES: [Schedule; 3] = [
    schedule!("*.*.* Mon-Fri 09:30:00"),
    schedule!("*:*:*.*/250"), // every 250 milliseconds
    schedule!("02:30:00"),    // a time that the clocks skip in spring
];

/// As `schedule!` of this text, the program would not compile.
const MISTAKE: &str = "*.*.* Mon-Fri 22-6:00:00";

fn main() -> Result<ExitCode, Box<dyn Error>> {
    // `TimeZone::system()` is the time zone of the machine, but it may have no clock changes.
    let now = ZonedDateTime::now().with_time_zone(TimeZone::get("America/New_York")?);
    println!("It is {} in New York.", format(&now));

    let Some(text) = std::env::args().nth(1) else {
        for schedule in &SCHEDULES {
            print(schedule, &now)?;
        }
        if let Err(error) = Schedule::parse(MISTAKE) {
            println!("\nWhat the compiler says about schedule!({MISTAKE:?}):\n\n{error:#}");
        }
        return Ok(ExitCode::SUCCESS);
    };
    // Read by the same parser into the same type.
    match Schedule::parse(&text) {
        Ok(schedule) => print(&schedule, &now)?,
        Err(error) => {
            eprintln!("\n{error:#}");
            return Ok(ExitCode::from(2));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn print(schedule: &Schedule, now: &ZonedDateTime) -> Result<(), Box<dyn Error>> {
    println!("\n{schedule}\n    {}", schedule.describe());

    println!("  next events");
    for event in schedule.upcoming(now).take(3) {
        println!("    {}", format(&event));
    }

    // Counted without visiting the events.
    let year = now.first_of_year()?.start_of_day()?;
    let count = schedule.count(&year..&year.checked_add(1.year())?);
    println!("  events in {}\n    {count}", now.year());

    println!("  events of a year that clock changes affect");
    let zoned = schedule.in_zone(now.time_zone());
    let mut surprises = zoned.surprises(now..&now.checked_add(1.year())?);
    match surprises.next() {
        None => println!("    none"),
        Some(Surprise { civil, effect, .. }) => println!("    {civil} {effect}"),
    }
    match surprises.count() {
        0 => {}
        others => println!("    and {others} more"),
    }
    Ok(())
}

fn format(moment: &ZonedDateTime) -> String {
    moment.strftime("%a %Y-%m-%d %H:%M:%S%.3f %Z").to_string()
}
