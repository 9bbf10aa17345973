//! Many jobs over a day or a week.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::tz::TimeZone;
use millicron::ZonedSchedule;
use millicron_pictures::{Picture as _, Timeline, TimelineJob};
use proptest::prelude::*;

use crate::support::{digits, events, plain, schedule, zone, zoned};

struct Job {
    name: &'static str,
    schedule: ZonedSchedule<TimeZone>,
    minutes: Option<u64>,
}

fn job(name: &'static str, text: &str, zone: &str, minutes: Option<u64>) -> Job {
    Job { name, schedule: schedule(text, zone), minutes }
}

fn timeline(jobs: &[Job], zone: &TimeZone, day: &str, days: u8) -> Timeline {
    let jobs = jobs.iter().map(|job| TimelineJob {
        name: job.name,
        events: &job.schedule,
        duration: job.minutes.map(|minutes| Duration::from_secs(60 * minutes)),
    });
    Timeline::new(&jobs.collect::<Vec<_>>(), zone, digits(day), days, "jobs").expect("days")
}

/// Compares the numbers of a timeline with starts that are visited one by one.
fn check(jobs: &[Job], zone: &TimeZone, day: &str, days: u8) {
    let shown = timeline(jobs, zone, day, days);
    let first = day.parse::<jiff::civil::Date>().expect("a date");
    let dates = (0..i64::from(days))
        .map(|days| first.checked_add(jiff::Span::new().days(days)).expect("a date"));
    let dates = dates.collect::<Vec<_>>();
    let mut runs = Vec::new();
    let mut together = BTreeMap::<i64, Vec<usize>>::new();
    for (index, job) in jobs.iter().enumerate() {
        let mut starts = 0;
        for event in
            events(&job.schedule, dates[0].yesterday().expect("a date"), dates[dates.len() - 1])
        {
            let instant = event.timestamp().as_millisecond();
            let length = job
                .minutes
                .map_or(1, |minutes| 60_000 * i64::try_from(minutes).expect("short").max(0))
                .max(1);
            runs.push(instant..instant + length);
            if dates.contains(&zoned(instant, zone).date()) {
                starts += 1;
                together.entry(instant).or_default().push(index);
            }
        }
        assert_eq!(shown.starts().nth(index), Some((job.name, starts)));
    }
    let is_shown = |instant: i64| dates.contains(&zoned(instant, zone).date());
    let start = dates[0].to_zoned(zone.clone()).expect("a midnight").timestamp().as_millisecond();
    // The most runs are where one starts, or at the beginning of the days.
    let candidates =
        runs.iter().map(|run| run.start).chain([start]).filter(|instant| is_shown(*instant));
    let at_once = |instant: i64| runs.iter().filter(|run| run.contains(&instant)).count() as u64;
    let peak = candidates.map(|instant| (at_once(instant), instant)).filter(|(runs, _)| *runs > 0);
    let peak = peak.max_by_key(|(runs, instant)| (*runs, std::cmp::Reverse(*instant)));
    assert_eq!(shown.peak(), peak);
    let most = together.values().map(Vec::len).max().unwrap_or(0);
    let herd = together.iter().find(|(_, jobs)| jobs.len() == most && most > 1);
    assert_eq!(shown.herd(), herd.map(|(instant, jobs)| (*instant, &**jobs)));
}

#[test]
fn load_and_herd_are_those_of_visited_starts() {
    let jobs = [
        job("backup", "2:00:00", "Europe/Berlin", Some(90)),
        job("load", "*:00:00", "Europe/Berlin", Some(20)),
        job("night", "22:30:00", "UTC", Some(300)),
        job("mail", "8-18:*/15:00", "America/New_York", None),
        job("never that day", "*.1.1 0:00:00", "UTC", Some(5)),
    ];
    let berlin = zone("Europe/Berlin");
    for day in ["2026-03-29", "2026-10-25", "2026-11-22"] {
        check(&jobs, &berlin, day, 1);
        check(&jobs, &berlin, day, 7);
    }
    check(&jobs[4..], &berlin, "2026-11-22", 1);
    check(&[], &berlin, "2026-11-22", 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn random_loads_are_those_of_visited_starts(
        jobs in proptest::collection::vec((0..24_u8, 1..12_u8, prop::option::of(0..600_u64)), 1..6),
        days in 1..4_u8,
    ) {
        let jobs = jobs.into_iter().map(|(hour, step, minutes)| {
            job("job", &format!("*/{step}:{}:00", hour * 2), "Europe/Berlin", minutes)
        });
        check(&jobs.collect::<Vec<_>>(), &zone("Europe/Berlin"), "2026-10-24", days);
    }
}

#[test]
fn dense_jobs_count_in_the_load_and_the_herd() {
    let jobs = [
        job("each millisecond", "*:*:*.*", "UTC", Some(1)),
        job("noon", "12:00:00", "UTC", Some(1)),
    ];
    let timeline = timeline(&jobs, &zone("UTC"), "2026-11-22", 1);
    let noon =
        zoned(0, &zone("UTC")).with().year(2026).month(11).day(22).hour(12).build().expect("noon");
    let noon = noon.timestamp().as_millisecond();
    assert_eq!(timeline.peak(), Some((60_001, noon)));
    assert_eq!(timeline.herd(), Some((noon, &[0, 1][..])));
}

#[test]
fn runs_of_the_day_before_are_drawn() {
    let jobs = [job("night", "22:00:00", "UTC", Some(240))];
    let timeline = timeline(&jobs, &zone("UTC"), "2026-11-22", 1);
    let text = plain(&timeline, 80);
    assert!(text.contains("night   │────  "), "{text}");
    assert!(timeline.to_svg(900).contains("night: the day before, for 4 h"));
}
