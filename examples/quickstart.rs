//! Answers questions about a few schedules from the system clock.

use std::time::SystemTime;

use millicron::{CalendarDigits, Schedule, schedule};

const HOURLY: Schedule = schedule!("*:00:00");
const ALL: [Schedule; 8] = [
    schedule!("*:*:*.1,2,3-5,10-20/3"),
    schedule!("*.*.* 1-5 09:30:00"),
    schedule!("*.9.*/2 1-5 10:00:00"),
    schedule!("*.*.32 12:00:00"),
    schedule!("*.02.29 6 12:00:00"),
    schedule!("*.*.* * 1,3-9/2,15,20-23:5,10-20/3,44:*/13"),
    schedule!("*.4.6,7 * *:*:*.1,2,3-5,10-20/3"),
    schedule!("*.*.20-32/5 5 12:14:34"),
];

fn main() {
    println!("{:?}", HOURLY.next_event(SystemTime::now()));
    let start: CalendarDigits = "2021-01-31 12:00:00.000".parse().unwrap();
    for s in ALL {
        let p: Schedule = s.expression().parse().unwrap();
        println!(
            "{s:?} {s} {:?} {:?} | {:?} {:?}",
            s.next_event(start),
            s.prev_event(start),
            p.next_event(start),
            p.prev_event(start)
        );
        println!(
            "{:?} {:?}",
            s.events(start..).take(4).collect::<Vec<_>>(),
            s.events(..start).rev().take(4).collect::<Vec<_>>()
        );
        println!("{} {}", s.count(start..), p.count::<i64>(..));
    }
    for t in [
        "24:00:00",
        "*:*:* *.*.*",
        "15-7:00:00",
        "*/5 * * * *",
        "2021.2.29 12:*:*",
        "*.*.* 7 12:00:00",
        "１:00:00",
        "*:5/10:00",
        "",
    ] {
        println!("{:#}", t.parse::<Schedule>().unwrap_err());
    }
}
