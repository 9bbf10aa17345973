//! How jobs are shown.

use std::time::Duration;

use jiff::tz::TimeZone;
use millicron::{Schedule, every, schedule};
use millicron_board::{JobState, Pattern, RunState, Source as _};
use millicron_scheduler::{Job, Overlap};

use crate::support::{Bench, MIDNIGHT, held, time};

const HOURLY: Schedule = schedule!("*:00:00");

#[test]
fn a_job_is_shown_with_its_schedule_zone_and_next_event() {
    let bench = Bench::new();
    let berlin = TimeZone::get("Europe/Berlin").expect("it is bundled");
    let job = Job::new(|_| {}).name("report").tag("daily").jitter(Duration::from_mins(1));
    let handle = bench.scheduler.add_job(schedule!("9:30:00").in_zone(berlin), job);
    let delay = handle.expect("it is added").info().expect("it exists").delay;
    let job = bench.source.job("report").expect("it answers").expect("it exists");
    assert_eq!((job.schedule.as_str(), job.zone.as_deref()), ("09:30:00", Some("Europe/Berlin")));
    assert!(job.description.contains("09:30"), "{}", job.description);
    assert_eq!((job.tags, job.state), (vec!["daily".to_owned()], JobState::Waiting));
    // One hour ahead of UTC.
    let next = MIDNIGHT + 8 * 3_600_000 + 1_800_000;
    assert_eq!(job.next, Some(next));
    let overdue = job.overdue_at.expect("it has an event") - next - 10_000;
    assert_eq!(u128::try_from(overdue), Ok(delay.as_millis()));
    assert_eq!((job.running, job.last, job.outcomes.len()), (0, None, 0));
    assert!(bench.source.job("other").expect("it answers").is_none());
}

#[test]
fn pictures_are_in_the_zone_of_the_schedule() {
    let bench = Bench::new();
    let add = |name: &str| Job::new(|_| {}).name(name);
    let berlin = TimeZone::get("Europe/Berlin").expect("it is bundled");
    let fixed = TimeZone::fixed(jiff::tz::offset(5));
    bench.scheduler.add_job(HOURLY.in_zone(berlin.clone()), add("zoned")).expect("it is added");
    bench.scheduler.add_job(HOURLY, add("utc")).expect("it is added");
    bench.scheduler.add_job(HOURLY.in_zone(fixed), add("fixed")).expect("it is added");
    bench.scheduler.add_job(every(90).minutes(), add("interval")).expect("it is added");
    let pattern = |name| bench.source.pattern(name).expect("it answers");
    let zone = |name| match pattern(name) {
        Some(Pattern::Schedule(schedule)) => Some(schedule.zone().clone()),
        _ => None,
    };
    assert_eq!(zone("zoned"), Some(berlin));
    assert_eq!(zone("utc"), Some(TimeZone::UTC));
    for (name, minutes) in [("fixed", 60), ("interval", 90)] {
        let Some(Pattern::Other(events)) = pattern(name) else { panic!("{name}") };
        let next = events.next_event(MIDNIGHT);
        assert_eq!(next, Some(MIDNIGHT + minutes * 60_000), "{name}");
    }
    assert!(pattern("missing").is_none());
}

#[test]
fn jobs_that_have_ended_are_shown_if_they_have_a_name() {
    let bench = Bench::new();
    bench.scheduler.once_job(bench.scheduler.now(), Job::new(|_| {}).name("named")).expect("ok");
    let nameless = bench.scheduler.once(bench.scheduler.now() + Duration::from_mins(1), |_| {});
    drop(nameless.expect("it is added"));
    bench.advance(0);
    bench.wait_for("named", |job| job.state == JobState::Ended && job.outcomes.len() == 1);
    let changes = bench.source.changes(None).expect("it answers");
    let mut names = changes.jobs.iter().map(|job| job.name.as_str()).collect::<Vec<_>>();
    names.sort_unstable();
    assert_eq!(names, ["#2", "named"]);
    let once = changes.jobs.iter().find(|job| job.name == "#2").expect("it is listed");
    assert_eq!((once.description.as_str(), once.next), ("Once", Some(MIDNIGHT + 60_000)));
    bench.advance(60);
    let changes = bench.source.changes(Some(changes.version)).expect("it answers");
    assert!(changes.jobs.iter().all(|job| job.name != "#2"));
    assert!(bench.source.job("#2").expect("it answers").is_none());
}

#[test]
fn a_job_that_replaces_another_keeps_its_runs() {
    let bench = Bench::new();
    let add = || Job::new(|_| {}).name("report").replace();
    bench.scheduler.add_job(HOURLY, add()).expect("it is added");
    bench.advance(3600);
    bench.wait_for_run("report", RunState::Succeeded);
    let next = bench.scheduler.add_job(schedule!("3:00:00"), add());
    drop(next.expect("it is added"));
    let job = bench.wait_for("report", |job| job.schedule == "03:00:00");
    assert_eq!(job.outcomes, [RunState::Succeeded]);
    // One that is cancelled is not shown any more.
    assert!(bench.scheduler.job("report").expect("it exists").cancel());
    bench.advance(3600);
    let gone = || bench.source.job("report").expect("it answers").is_none();
    while !gone() {
        std::thread::yield_now();
    }
}

#[test]
fn an_interval_is_not_overdue_if_the_clock_was_set_forward() {
    let bench = Bench::new();
    let add = |name: &str| Job::new(|_| {}).name(name);
    bench.scheduler.add_job(every(5).minutes(), add("elapsed")).expect("it is added");
    let fixed = every(5).minutes().from(bench.scheduler.now());
    bench.scheduler.add_job(fixed, add("fixed")).expect("it is added");
    let hour = 3_600_000;
    bench.clock.set(time(MIDNIGHT + hour));
    let job = |name: &str| bench.source.job(name).expect("it answers").expect("it exists");
    // No time has passed, so its event is still five minutes away.
    let elapsed = job("elapsed");
    assert_eq!((elapsed.next, elapsed.overdue_at), (Some(MIDNIGHT + 300_000), None));
    let fixed = job("fixed");
    assert_eq!(fixed.next, Some(MIDNIGHT + hour + 300_000));
    assert_eq!(fixed.overdue_at, fixed.next.map(|next| next + 10_000));
}

#[test]
fn a_job_whose_event_waits_in_a_queue_is_not_overdue() {
    let bench = Bench::real();
    let (job, runs) = held();
    let job = job.name("long").overlap(Overlap::Queue { max: 1_000_000 });
    bench.scheduler.add_job(schedule!("*:*:*.*/100"), job).expect("it is added");
    let held = runs.recv().expect("it runs");
    bench.wait_for_run("long", RunState::Running);
    let mut changes = bench.source.changes(None).expect("it answers");
    let shown = changes.jobs.pop().and_then(|job| job.next).expect("it has an event");
    // Further events wait in the queue, which no event of the scheduler reports.
    while changes.jobs.is_empty() {
        changes = bench.source.changes(Some(changes.version)).expect("it answers");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(changes.jobs[0].next > Some(shown));
    drop(held);
}
