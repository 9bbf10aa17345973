//! How schedulers handle late events, overlapping runs, panics and time zones.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use chrono::{DateTime, Offset as _, TimeZone, Utc};
use chrono_tz::America::New_York;
use clokwerk::timeprovider::TimeProvider;
use clokwerk::{Job as _, TimeUnits as _};
use millicron::schedule;
use millicron_compare::zoned;
use millicron_scheduler::{Job, Simulator};

thread_local! {
    static NOW: Cell<i64> = const { Cell::new(0) };
}

/// The clock of the `clokwerk` schedulers in these tests.
struct TestClock;

impl TestClock {
    fn set(now: &str) {
        NOW.set(zoned(now).timestamp().as_second());
    }
}

impl TimeProvider for TestClock {
    fn now<Z: TimeZone + Sync + Send>(zone: &Z) -> DateTime<Z> {
        DateTime::from_timestamp(NOW.get(), 0).expect("an instant").with_timezone(zone)
    }
}

/// Returns a counter, and a function that increments it.
fn counter() -> (Arc<AtomicU32>, impl Fn() + Clone + Send + Sync + 'static) {
    let count = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&count);
    (count, move || _ = counted.fetch_add(1, Ordering::Relaxed))
}

#[test]
fn clokwerk_runs_once_for_all_late_events() {
    TestClock::set("2026-11-22T12:00:00+00:00[UTC]");
    let mut scheduler = clokwerk::Scheduler::with_tz_and_provider::<_, TestClock>(Utc);
    let (count, run) = counter();
    scheduler.every(1.hours()).run(run);
    TestClock::set("2026-11-22T17:30:00+00:00[UTC]");
    scheduler.run_pending();
    scheduler.run_pending();
    assert_eq!(count.load(Ordering::Relaxed), 1);
}

#[test]
fn clokwerk_runs_jobs_one_after_the_other_where_it_is_called() {
    TestClock::set("2026-11-22T12:00:00+00:00[UTC]");
    let mut scheduler = clokwerk::Scheduler::with_tz_and_provider::<_, TestClock>(Utc);
    let caller = thread::current().id();
    let (count, run) = counter();
    for _ in 0..2 {
        let run = run.clone();
        scheduler.every(1.hours()).run(move || {
            assert_eq!(thread::current().id(), caller);
            run();
        });
    }
    TestClock::set("2026-11-22T13:00:00+00:00[UTC]");
    scheduler.run_pending();
    assert_eq!(count.load(Ordering::Relaxed), 2);
}

#[test]
fn a_panic_of_a_job_leaves_clokwerk() {
    TestClock::set("2026-11-22T12:00:00+00:00[UTC]");
    let mut scheduler = clokwerk::Scheduler::with_tz_and_provider::<_, TestClock>(Utc);
    scheduler.every(1.hours()).run(|| panic!("a job's own"));
    TestClock::set("2026-11-22T13:00:00+00:00[UTC]");
    assert!(catch_unwind(AssertUnwindSafe(|| scheduler.run_pending())).is_err());
}

#[test]
fn clokwerk_panics_at_a_local_time_in_a_gap_or_a_fold() {
    let panics = |start: &str, time: &'static str, end: &str| {
        TestClock::set(start);
        let mut scheduler = clokwerk::Scheduler::with_tz_and_provider::<_, TestClock>(New_York);
        catch_unwind(AssertUnwindSafe(|| {
            scheduler.every(1.days()).at(time).run(|| {});
            TestClock::set(end);
            scheduler.run_pending();
        }))
        .is_err()
    };
    let spring = "2026-03-07T12:00:00-05:00[America/New_York]";
    assert!(panics(spring, "02:30", "2026-03-09T12:00:00-04:00[America/New_York]"));
    let autumn = "2026-10-31T12:00:00-04:00[America/New_York]";
    assert!(panics(autumn, "01:30", "2026-11-02T12:00:00-05:00[America/New_York]"));
    let summer = "2026-07-01T12:00:00-04:00[America/New_York]";
    assert!(!panics(summer, "02:30", "2026-07-03T12:00:00-04:00[America/New_York]"));
}

#[test]
fn tokio_cron_scheduler_keeps_an_offset_in_place_of_a_zone() {
    let mut job = tokio_cron_scheduler::Job::new_tz("0 30 9 * * *", New_York, |_, _| {});
    let data = job.as_mut().expect("a job").job_data().expect("data");
    let now = Utc::now().with_timezone(&New_York).offset().fix();
    assert_eq!(data.time_offset_seconds, now.local_minus_utc());
    let text = format!("{data:?}");
    assert!(!text.contains("New_York"), "{text}");
}

#[test]
fn tokio_cron_scheduler_rounds_down_to_whole_seconds() {
    let period = Duration::from_millis(1500);
    let mut job = tokio_cron_scheduler::Job::new_repeated(period, |_, _| {});
    let data = job.as_mut().expect("a job").job_data().expect("data");
    let text = format!("{data:?}");
    assert!(text.contains("repeating: true, repeated_every: 1 "), "{text}");
}

#[test]
fn tokio_cron_scheduler_requires_seconds_and_joins_days_by_and() {
    assert!(tokio_cron_scheduler::Job::new("30 9 * * *", |_, _| {}).is_err());
    assert!(tokio_cron_scheduler::Job::new("0 30 9 * * * 2100", |_, _| {}).is_ok());
    let mut job = tokio_cron_scheduler::Job::new("0 0 0 13 * FRI", |_, _| {});
    let data = job.as_mut().expect("a job").job_data().expect("data");
    let next = i64::try_from(data.next_tick).expect("an instant");
    let next = DateTime::from_timestamp(next, 0).expect("an instant");
    assert_eq!(next.format("%a %d").to_string(), "Fri 13");
}

/// A run waits for the next one, which starts anyway.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tokio_cron_scheduler_lets_runs_overlap() {
    let barrier = Arc::new(tokio::sync::Barrier::new(3));
    let other = Arc::clone(&barrier);
    let job = tokio_cron_scheduler::Job::new_async("* * * * * *", move |_, _| {
        let barrier = Arc::clone(&other);
        Box::pin(async move { _ = barrier.wait().await })
    });
    let mut scheduler = tokio_cron_scheduler::JobScheduler::new().await.expect("a scheduler");
    scheduler.add(job.expect("a job")).await.expect("added");
    scheduler.start().await.expect("started");
    barrier.wait().await;
    scheduler.shutdown().await.expect("stopped");
}

/// Other jobs continue.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tokio_cron_scheduler_never_again_runs_a_closure_that_panicked() {
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let report = sender.clone();
    let panics = tokio_cron_scheduler::Job::new("* * * * * *", move |_, _| {
        _ = report.send("panics");
        panic!("a job's own");
    });
    let other = tokio_cron_scheduler::Job::new("* * * * * *", move |_, _| {
        _ = sender.send("other");
    });
    let mut scheduler = tokio_cron_scheduler::JobScheduler::new().await.expect("a scheduler");
    scheduler.add(panics.expect("a job")).await.expect("added");
    scheduler.add(other.expect("a job")).await.expect("added");
    scheduler.start().await.expect("started");
    let mut runs = vec![];
    while runs.iter().filter(|name| **name == "other").count() < 4 {
        runs.push(receiver.recv().await.expect("the sender is not dropped"));
    }
    scheduler.shutdown().await.expect("stopped");
    assert_eq!(runs.iter().filter(|name| **name == "panics").count(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tokio_cron_scheduler_runs_a_future_that_panicked_again() {
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let job = tokio_cron_scheduler::Job::new_async("* * * * * *", move |_, _| {
        let sender = sender.clone();
        Box::pin(async move {
            _ = sender.send(());
            panic!("a job's own");
        })
    });
    let mut scheduler = tokio_cron_scheduler::JobScheduler::new().await.expect("a scheduler");
    scheduler.add(job.expect("a job")).await.expect("added");
    scheduler.start().await.expect("started");
    assert!(receiver.recv().await.is_some() && receiver.recv().await.is_some());
    scheduler.shutdown().await.expect("stopped");
}

/// 2026-11-22 12:00:00 UTC.
fn noon() -> std::time::SystemTime {
    zoned("2026-11-22T12:00:00+00:00[UTC]").timestamp().into()
}

#[test]
fn millicron_scheduler_runs_once_for_all_missed_events() {
    let mut simulator = Simulator::new(noon());
    let (count, run) = counter();
    let job = Job::new(move |_| run());
    simulator.add(schedule!("*:00:00"), job, |_| Duration::ZERO).expect("added");
    simulator.set_clock(noon() + Duration::from_hours(5));
    simulator.run_for(Duration::from_secs(1));
    assert_eq!(count.load(Ordering::Relaxed), 1);
}

#[test]
fn millicron_scheduler_skips_an_event_during_a_run() {
    let mut simulator = Simulator::new(noon());
    let (count, run) = counter();
    let job = Job::new(move |_| run());
    let ninety_minutes = Duration::from_mins(90);
    simulator.add(schedule!("*:00:00"), job, move |_| ninety_minutes).expect("added");
    // At 13:00 and 15:00: the run that starts at 13:00 lasts until 14:30.
    simulator.run_for(Duration::from_hours(4) - Duration::from_secs(1));
    assert_eq!(count.load(Ordering::Relaxed), 2);
}

#[test]
fn millicron_scheduler_follows_a_zone_over_clock_changes() {
    let start = zoned("2026-03-07T12:00:00-05:00[America/New_York]");
    let mut simulator = Simulator::new(start.timestamp());
    let (count, run) = counter();
    let job = Job::new(move |_| run());
    let nightly = schedule!("2:30:00").in_zone(start.time_zone().clone());
    simulator.add(nightly, job, |_| Duration::ZERO).expect("added");
    // 03:00 summer time, the end of the gap.
    simulator.run_for(Duration::from_hours(14) - Duration::from_secs(1));
    assert_eq!(count.load(Ordering::Relaxed), 0);
    simulator.run_for(Duration::from_secs(1));
    assert_eq!(count.load(Ordering::Relaxed), 1);
}

#[test]
fn millicron_scheduler_survives_a_panic_of_a_job() {
    let mut simulator = Simulator::new(noon());
    let (count, run) = counter();
    let job = Job::new(move |_| -> () {
        run();
        panic!("a job's own");
    });
    simulator.add(schedule!("*:00:00"), job, |_| Duration::ZERO).expect("added");
    simulator.run_for(Duration::from_hours(2));
    assert_eq!(count.load(Ordering::Relaxed), 2);
}
