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

/// Compares a timeline's counts with starts visited one by one.
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
    let start =
        dates[0].to_zoned_datetime(zone.clone()).expect("a midnight").timestamp().as_millisecond();
    // The maximum is reached where a run starts, or at the beginning of the first day.
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
fn the_load_of_many_frequent_jobs_is_an_estimate() {
    let drawn = |count: usize| {
        let frequent = (0..count).map(|_| job("each second", "*:*:*", "UTC", None));
        let others = ["exact", "long"].map(|name| job(name, "0:30:00", "UTC", Some(20)));
        let jobs = frequent.chain(others).collect::<Vec<_>>();
        let timeline = timeline(&jobs, &zone("UTC"), "2026-11-22", 1);
        let (most, at) = timeline.peak().expect("a peak");
        let half_past = 30 * 60 * 1000;
        assert_eq!((most, at.rem_euclid(86_400_000)), (count as u64 + 2, half_past), "{count}");
        assert_eq!(timeline.herd(), Some((at, &*(0..count + 2).collect::<Vec<_>>())), "{count}");
        let totals = timeline.starts().map(|(_, total)| total).collect::<Vec<_>>();
        assert_eq!(totals, [vec![86_400; count], vec![1, 1]].concat(), "{count}");
        plain(&timeline, 200)
    };
    let estimate = "The load is an estimate, since some jobs start very often.";
    assert!(!drawn(50).contains(estimate));
    // These would have six million starts.
    assert!(drawn(70).contains(estimate));
}

#[test]
fn jobs_whose_runs_would_overlap_are_named() {
    let jobs = [
        job("long", "*:*/15:00", "UTC", Some(20)),
        job("exact", "*:*/15:00", "UTC", Some(15)),
        job("dense", "*:*:*.*", "UTC", Some(1)),
        job("dense, without a duration", "*:*:*.*", "UTC", None),
    ];
    let timeline = timeline(&jobs, &zone("UTC"), "2026-11-22", 1);
    let text = plain(&timeline, 200);
    assert!(text.contains("while the previous run is in progress: long, dense.\n"), "{text}");
    assert!(timeline.to_svg(1600).contains("long, dense."));
}

#[test]
fn runs_of_the_day_before_are_drawn() {
    let jobs = [job("night", "22:00:00", "UTC", Some(240))];
    let timeline = timeline(&jobs, &zone("UTC"), "2026-11-22", 1);
    let text = plain(&timeline, 80);
    assert!(text.contains("night   │────  "), "{text}");
    assert!(timeline.to_svg(900).contains("night: 22:00 on 21 November, for 4 h"));
}

#[test]
fn runs_of_earlier_days_have_the_time_of_their_start() {
    // Berlin's clocks go back on 25 October, after both runs have started.
    let jobs = [job("long", "0:00:00", "Europe/Berlin", Some(60 * 50))];
    let svg = timeline(&jobs, &zone("Europe/Berlin"), "2026-10-26", 1).to_svg(900);
    let titles = svg.matches("<title>long: ").count();
    assert_eq!(titles, 3);
    for start in ["00:00 on 24 October", "00:00 on 25 October", "00:00"] {
        assert!(svg.contains(&format!("<title>long: {start}, for 2 d 2 h</title>")), "{start}");
    }
}

#[test]
fn sentences_about_a_week_name_the_weekday() {
    let jobs = [job("a", "*.*.* Wed 0:30:00", "UTC", None), job("b", "0:30:00", "UTC", None)];
    let text = plain(&timeline(&jobs, &zone("UTC"), "2026-11-16", 7), 80);
    assert!(text.contains("At most 2 runs at once, first on Wednesday at 00:30."), "{text}");
    assert!(text.contains("2 jobs start together on Wednesday at 00:30: a, b."), "{text}");
}

#[test]
fn peak_of_a_day_with_a_fold_is_the_first_one() {
    let jobs = [
        job("short", "2:30:00", "Europe/Berlin", Some(45)),
        job("long", "1:00:00", "Europe/Berlin", Some(180)),
    ];
    let berlin = zone("Europe/Berlin");
    let timeline = timeline(&jobs, &berlin, "2026-10-25", 1);
    let (runs, first) = timeline.peak().expect("a peak");
    assert_eq!(
        (runs, &*zoned(first, &berlin).strftime("%H:%M%:z").to_string()),
        (2, "02:30+02:00")
    );
    let text = plain(&timeline, 80);
    assert!(text.contains("At most 2 runs at once, first at 02:30 +02:00."), "{text}");
    assert!(timeline.to_svg(900).contains("short: 02:30 +02:00, for 45 min"));
    // The parts of the load are in order of time, and include the peak.
    let parts = timeline.load().collect::<Vec<_>>();
    assert!(parts.is_sorted_by(|one, other| one.0 < other.0));
    assert_eq!(parts.len(), 25 * 12);
    assert_eq!(parts.iter().find(|(_, load)| *load == runs).map(|(at, _)| *at), Some(first));
}

#[test]
fn weeks_have_the_clock_changes_at_midnight() {
    let cairo = zone("Africa/Cairo");
    let text = |day| plain(&timeline(&[], &cairo, day, 7), 80);
    let spring = text("2026-04-20");
    assert!(
        spring.contains("24 April: At 00:00, the clocks go forward by 1 h to 01:00."),
        "{spring}"
    );
    let autumn = text("2026-10-26");
    assert!(
        autumn.contains("29 October: At 00:00, the clocks go back by 1 h to 23:00."),
        "{autumn}"
    );
}

#[test]
fn herd_of_jobs_that_start_very_often_is_found() {
    let often = || job("often", "*:*:*", "Europe/Berlin", None);
    let berlin = zone("Europe/Berlin");
    let herd = |jobs: &[Job]| {
        let timeline = timeline(jobs, &berlin, "2026-11-16", 7);
        let herd = timeline.herd().map(|(at, jobs)| (zoned(at, &berlin).datetime(), jobs.to_vec()));
        herd.map(|(at, jobs)| (at.to_string(), jobs))
    };
    let midnight = || "2026-11-16T00:00:00".to_owned();
    let five = [often(), often(), often(), often(), often()];
    assert_eq!(herd(&five), Some((midnight(), vec![0, 1, 2, 3, 4])));
    // Two rare jobs and a frequent one that starts at the same time outnumber two other rare jobs.
    let odd = |name| job(name, "1:00:00.5", "Europe/Berlin", None);
    let even = |name| job(name, "2:00:00", "Europe/Berlin", None);
    let mixed = [odd("a"), odd("b"), even("c"), even("d"), often()];
    assert_eq!(herd(&mixed), Some(("2026-11-16T02:00:00".to_owned(), vec![2, 3, 4])));
    assert_eq!(herd(&[often()]), None);
}

/// Returns the left and right edges of each rectangle of a class within marks, as fractions of the width of a day.
fn places(timeline: &Timeline, class: &str) -> Vec<(f64, f64)> {
    let svg = timeline.to_svg(900);
    let document = roxmltree::Document::parse(&svg).expect("XML");
    let number = |node: roxmltree::Node<'_, '_>, name: &str| {
        node.attribute(name).and_then(|text| text.parse::<f64>().ok()).expect("a number")
    };
    let all = |class: &str| {
        let nodes = document.descendants().filter(|node| node.attribute("class") == Some(class));
        let places = nodes.map(|node| (node, number(node, "x"), number(node, "width")));
        places.collect::<Vec<_>>()
    };
    let (_, left, width) = all("l0")[0];
    let is_marked = |node: &roxmltree::Node<'_, '_>| {
        node.parent().is_some_and(|parent| parent.attribute("class") == Some("mark"))
    };
    let places = all(class).into_iter().filter(|(node, ..)| is_marked(node));
    places.map(|(_, x, wide)| ((x - left) / width, (x + wide - left) / width)).collect()
}

#[test]
fn runs_are_as_long_as_the_clocks_show_them() {
    let berlin = zone("Europe/Berlin");
    let check = |text: &str, minutes, day: &str, expected: &[(f64, f64)]| {
        let jobs = [job("job", text, "Europe/Berlin", Some(minutes))];
        let hours = places(&timeline(&jobs, &berlin, day, 1), "run");
        assert_eq!(hours.len(), expected.len(), "{text}: {hours:?}");
        for ((from, until), (left, right)) in hours.iter().zip(expected) {
            let distance = (from * 24.0 - left).abs().max((until * 24.0 - right).abs());
            assert!(distance < 0.01, "{text}: {hours:?}");
        }
    };
    check("1:30:00", 60, "2026-03-28", &[(1.5, 2.5)]);
    // The clocks go from 02:00 to 03:00.
    check("1:30:00", 60, "2026-03-29", &[(1.5, 2.0), (3.0, 3.5)]);
    // They go from 03:00 to 02:00.
    check("1:30:00", 60, "2026-10-25", &[(1.5, 2.5)]);
    check("2:30:00", 45, "2026-10-25", &[(2.5, 3.0), (2.0, 2.25)]);
    check("1:30:00", 240, "2026-10-25", &[(1.5, 3.0), (2.0, 4.5)]);
    // Only the part on the day is drawn.
    check("23:00:00", 120, "2026-11-22", &[(0.0, 1.0), (23.0, 24.0)]);
}

#[test]
fn legend_has_what_is_drawn() {
    let legend = |jobs: &[Job]| {
        let svg = timeline(jobs, &zone("UTC"), "2026-11-22", 1).to_svg(900);
        let document = roxmltree::Document::parse(&svg).expect("XML");
        // Rectangles with round corners belong to legends, unless they are in marks.
        let squares = document.descendants().filter(|node| node.attribute("rx").is_some());
        let squares = squares.map(|node| node.attribute("class").unwrap_or_default().to_owned());
        squares.collect::<Vec<_>>()
    };
    let seldom = || job("seldom", "*:00:00", "UTC", Some(20));
    let often = || job("often", "*:*:*/10", "UTC", None);
    assert_eq!(legend(&[seldom()]), ["start", "run", "load", "peak"]);
    // All five-minute slots have the same number of starts, as the starts of the other job do not count.
    assert_eq!(legend(&[seldom(), often()]), ["start", "run", "load", "peak", "l5"]);
    assert_eq!(legend(&[often()]), ["load", "peak", "l5"]);
    assert_eq!(legend(&[]), [""; 0]);
}
