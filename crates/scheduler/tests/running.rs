//! Which jobs run when, with a manual clock, and what their runs receive and return.

use std::error::Error as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use millicron::{Calendar, IntervalError, calendar, every, schedule};
use millicron_scheduler::{
    AddErrorKind, Job, JobName, ManualClock, Outcome, RunContext, Scheduler, Workers,
};

use crate::support::{Log, LogRuns as _, at, events, secs, start};

fn scheduler() -> (ManualClock, Scheduler) {
    let clock = ManualClock::new(start());
    let scheduler =
        Scheduler::builder().clock(clock.clone()).start().expect("the scheduler starts");
    (clock, scheduler)
}

#[test]
fn a_job_runs_at_exactly_the_events_of_its_schedule() {
    for text in ["*:*/7:13.250", "*.*.* Mon-Fri 9-17:30:00", "*:*:0,1,30", "*.*.32 12:00:00"] {
        let (clock, scheduler) = scheduler();
        let schedule: millicron::Schedule = text.parse().expect("the schedule is valid");
        let (ran, times) = (Log::new(), Log::new());
        scheduler.add(schedule.clone(), ran.job()).expect("the job is added");
        let sink = times.clone();
        scheduler
            .add(schedule.clone(), move |run| sink.add(run.started()))
            .expect("the job is added");
        let mut now = start();
        for part in [1, 3599, 3 * 86_400, 40 * 86_400] {
            // One of the schedules has many events.
            let part = secs(if text.starts_with("*:*:") { part / 30 } else { part });
            clock.advance(part);
            let expected = events(&schedule, now, now + part);
            now += part;
            assert_eq!(ran.take(), expected, "{text}");
            assert_eq!(times.take(), expected, "{text}");
        }
        assert_eq!((scheduler.stats().late, scheduler.stats().skipped), (0, 0));
    }
}

#[test]
fn an_event_at_the_instant_of_adding_does_not_run() {
    let clock = ManualClock::new(at(400));
    let scheduler =
        Scheduler::builder().clock(clock.clone()).start().expect("the scheduler starts");
    let ran = Log::new();
    // The event at 22:20:00 is now.
    scheduler.add(schedule!("*:*:00"), ran.job()).expect("the job is added");
    clock.advance(secs(60));
    assert_eq!(ran.take(), [at(460)]);
}

#[test]
fn once_runs_once_and_immediately_if_the_instant_has_passed() {
    let (clock, scheduler) = scheduler();
    let ran = Log::new();
    let later = scheduler.once(at(10), ran.job()).expect("the job is added");
    assert_eq!(later.next_event(), Some(at(10)));
    // The resolution of system times on some platforms.
    clock.advance(Duration::from_nanos(9_999_999_900));
    assert_eq!(ran.take(), []);
    clock.advance(Duration::from_nanos(100));
    assert_eq!(ran.take(), [at(10)]);
    assert_eq!((later.next_event(), later.name()), (None, None));

    scheduler.once(at(3), ran.job()).expect("the job is added");
    scheduler.once(UNIX_EPOCH - secs(3), ran.job()).expect("the job is added");
    clock.advance(Duration::ZERO);
    let mut times = ran.take();
    times.sort();
    assert_eq!(times, [UNIX_EPOCH - secs(3), at(3)]);

    // A one-shot job with a schedule runs at its first event.
    let job = Job::once(ran.job());
    scheduler.add_job(schedule!("*:*:00"), job).expect("the job is added");
    clock.advance(secs(600));
    assert_eq!(ran.take(), [at(40)]);
    assert_eq!(scheduler.stats().completed, 4);
    assert_eq!(scheduler.stats().waiting, 0);
}

#[test]
fn due_jobs_run_by_instant_and_then_in_the_order_of_adding() {
    let clock = ManualClock::new(start());
    let builder = Scheduler::builder().clock(clock.clone()).workers(Workers::Pool(1));
    let scheduler = builder.start().expect("the scheduler starts");
    let ran = Log::new();
    for (index, after) in [5, 3, 9, 3, 5, 1].into_iter().enumerate() {
        let ran = ran.clone();
        scheduler.once(at(after), move |_| ran.add((after, index))).expect("the job is added");
    }
    clock.set(at(20));
    assert_eq!(ran.take(), [(1, 5), (3, 1), (3, 3), (5, 0), (5, 4), (9, 2)]);
}

#[test]
fn intervals_count_from_when_they_are_added_or_from_an_instant() {
    let (clock, scheduler) = scheduler();
    let day = secs(86_400);
    // It is 22:13:20, so 10:11 is tomorrow.
    let first = at(43_060);
    let cases = [
        (every(90).minutes(), at(5400), secs(5400)),
        (every(2).hours(), at(7200), secs(7200)),
        (every(3).days(), at(3 * 86_400), 3 * day),
        (every(1).days().at("10:11"), first, day),
        (every(2).days().at("10:11"), first, 2 * day),
        (every(100).seconds().from(at(7)), at(7), secs(100)),
        (every(1).days().at("10:11").from(first), first, day),
        (every(1).days().at("10:11").from(first - 7 * day), first, day),
        (every(2).days().at("10:11").from(first - 7 * day), first + day, 2 * day),
    ];
    let logs = cases.map(|(steps, first, _)| {
        let ran = Log::new();
        let handle = scheduler.add(steps, ran.job()).expect("the job is added");
        assert_eq!(handle.next_event(), Some(first), "{steps:?}");
        ran
    });
    clock.advance(10 * day);
    for ((steps, first, period), ran) in cases.iter().zip(logs) {
        let next = |event: &SystemTime| Some(*event + *period);
        let expected = std::iter::successors(Some(*first), next);
        let expected: Vec<SystemTime> =
            expected.take_while(|it| *it <= start() + 10 * day).collect();
        assert_eq!(ran.take(), expected, "{steps:?}");
    }
}

#[test]
fn run_context_has_name_number_lateness_and_coalesced_events() {
    let (clock, scheduler) = scheduler();
    let sink = Log::new();
    let job = || {
        let sink = sink.clone();
        Job::new(move |run: RunContext| {
            let (name, number) = (run.job_name().to_string(), run.number());
            sink.add((name, number, run.lateness(), run.coalesced(), run.token().is_cancelled()));
        })
    };
    let named =
        scheduler.add_job(schedule!("*:*:00"), job().name("mine")).expect("the job is added");
    assert_eq!(named.name(), Some(JobName::Given("mine".into())));
    clock.advance(secs(100));
    clock.set(at(400) + Duration::from_millis(300));
    let expected = [(1, secs(0), 0), (2, secs(0), 0), (3, Duration::from_millis(300), 4)];
    let expected = expected.map(|(run, late, sum)| ("mine".to_owned(), run, late, sum, false));
    assert_eq!(sink.take(), expected);
    assert!(named.cancel());

    // The second job that was added has no name.
    let numbered = scheduler.add_job(every(1).hours(), job()).expect("the job is added");
    assert_eq!(numbered.name(), Some(JobName::Number(2)));
    clock.advance(secs(3600));
    assert_eq!(sink.take(), [("#2".to_owned(), 1, secs(0), 0, false)]);
}

#[test]
fn stats_count_runs_failures_and_lateness() {
    let (clock, scheduler) = scheduler();
    let failing =
        |run: RunContext| if run.number().is_multiple_of(2) { Err("it is even") } else { Ok(()) };
    scheduler.add(schedule!("*:*:00"), failing).expect("the job is added");
    scheduler.add(every(1).days(), |_| {}).expect("the job is added");
    clock.advance(secs(600));
    let stats = scheduler.stats();
    assert_eq!((stats.waiting, stats.running, stats.completed, stats.failed), (2, 0, 10, 5));
    assert_eq!((stats.late, stats.missed, stats.skipped), (0, 0, 0));
    assert_eq!(stats.lateness(1.0), Duration::ZERO);

    // From 22:23:20 to 22:31:01 there are 8 events; the last is one second late, which does not count.
    clock.set(at(1061));
    // Up to 22:35:10 there are 4 events; the last is ten seconds late.
    clock.set(at(1310));
    let stats = scheduler.stats();
    assert_eq!((stats.completed, stats.late, stats.missed), (12, 1, 7 + 4));
    let error = stats.lateness(1.0).abs_diff(secs(10));
    assert!(error <= Duration::from_millis(100), "one part in a hundred: {error:?}");
    assert!(stats.lateness(0.5).is_zero());
    assert!(format!("{scheduler:?}").contains("waiting: 2"));
}

#[test]
fn capacity_refuses_jobs_until_others_are_removed() {
    let clock = ManualClock::new(start());
    let builder = || Scheduler::builder().clock(clock.clone());
    let small = builder().capacity(3).start().expect("the scheduler starts");
    let ran = Log::new();
    let mut handles = Vec::new();
    for _ in 0..3 {
        handles.push(small.add(every(1).hours(), |_| {}).expect("the job is added"));
    }
    let error = small.add(every(1).hours(), ran.job()).expect_err("the scheduler is full");
    assert_eq!(error.to_string(), "the scheduler is at its capacity");
    assert!(matches!(error.kind(), AddErrorKind::Full));
    let error =
        small.once_job(at(9), error.into_job().name("moved")).expect_err("the scheduler is full");

    let other = builder().start().expect("the scheduler starts");
    other.add_job(every(1).hours(), error.into_job()).expect("the job is added");
    clock.advance(secs(3600));
    assert_eq!(ran.take(), [at(3600)]);

    assert!(handles[1].cancel());
    let once = small.once(at(4000), ran.job()).expect("a job was removed");
    assert!(
        matches!(small.once(at(4000), |_| {}), Err(error) if matches!(error.kind(), AddErrorKind::Full))
    );
    // A one-shot job that has run is removed as well.
    clock.advance(secs(400));
    assert_eq!((ran.take(), once.next_event()), (vec![at(4000)], None));
    small.once_job(at(4200), Job::once(|_| {}).name("named")).expect("a job was removed");
    clock.advance(secs(200));
    small.add(every(1).hours(), |_| {}).expect("a job was removed");
    assert!(
        matches!(small.add(every(1).hours(), |_| {}), Err(error) if matches!(error.kind(), AddErrorKind::Full))
    );
    let none = builder().capacity(0).start().expect("the scheduler starts");
    assert!(
        matches!(none.add(every(1).hours(), |_| {}), Err(error) if matches!(error.kind(), AddErrorKind::Full))
    );
}

#[test]
fn add_errors_return_the_job() {
    let (_, scheduler) = scheduler();
    let never = schedule!("2005.1.1 00:00:00");
    let error = scheduler.add(never, |_| {}).expect_err("the event is in the past");
    assert!(matches!(error.kind(), AddErrorKind::NoEvent));
    let message = "the job has no event to run: none after now that its earliest and latest \
                   instants allow";
    assert_eq!(error.to_string(), message);
    let error = scheduler.once_job(at(2), Job::once(|_| {}).ending(at(1))).expect_err("it ends");
    assert!(matches!(error.kind(), AddErrorKind::NoEvent));
    assert_eq!(error.to_string(), message);

    let error = scheduler.add(every(0).hours(), |_| {}).expect_err("the period is zero");
    assert!(matches!(error.kind(), AddErrorKind::Interval(IntervalError::ZeroPeriod)));
    assert_eq!(error.to_string(), "invalid interval");
    let cause = error.source().expect("the interval's error");
    assert_eq!(cause.to_string(), IntervalError::ZeroPeriod.to_string());
    for time_of_day in ["24:00", "00:60", "4294967295:4294967295"] {
        let error = scheduler
            .add(every(1).days().at(time_of_day), |_| {})
            .expect_err("the time of day is invalid");
        assert!(matches!(error.kind(), AddErrorKind::Interval(IntervalError::TimeOfDay)));
    }
    scheduler.close();
    let error = scheduler.add(every(1).hours(), |_| {}).expect_err("the scheduler is closed");
    assert!(matches!(error.kind(), AddErrorKind::Closed));
    assert_eq!(error.to_string(), "the scheduler is closed");
    assert!(
        matches!(scheduler.once(at(0), |_| {}), Err(error) if matches!(error.kind(), AddErrorKind::Closed))
    );
    assert!(format!("{:?}", error.into_job().name("returned")).contains("returned"));
}

#[test]
fn a_returned_value_or_panic_becomes_the_outcome() {
    let clock = ManualClock::new(start());
    let ended = Log::new();
    let sink = ended.clone();
    let observer = move |event: &millicron_scheduler::Event| {
        if let millicron_scheduler::Event::Finished { run, outcome, duration, .. } = event {
            sink.add((run.job_name().to_string(), outcome.clone(), *duration));
        }
    };
    let builder = Scheduler::builder().clock(clock.clone()).observer(observer);
    let scheduler = builder.workers(Workers::Pool(1)).start().expect("the scheduler starts");
    let failing = |_: RunContext| -> Result<(), &str> { Err("no paper") };
    scheduler.once_job(at(1), Job::once(failing).name("b")).expect("the job is added");
    scheduler.once_job(at(2), Job::once(|_| {}).name("a")).expect("the job is added");
    let panicking = |run: RunContext| assert!(run.number() > 1, "run {}", run.number());
    scheduler.once_job(at(3), Job::once(panicking).name("c")).expect("the job is added");
    clock.set(at(3));
    let expected = [
        ("b", Outcome::Failed("no paper".to_owned())),
        ("a", Outcome::Succeeded),
        ("c", Outcome::Panicked("run 1".to_owned())),
    ];
    let expected = expected.map(|(name, outcome)| (name.to_owned(), outcome, secs(0)));
    assert_eq!(ended.take(), expected);
}

#[test]
fn a_zoned_schedule_follows_daylight_saving_time() {
    use jiff::{Timestamp, tz::TimeZone};

    let berlin = TimeZone::get("Europe/Berlin").expect("the zone is bundled");
    let instant = |text: &str| -> SystemTime {
        let instant = text.parse::<Timestamp>().expect("the instant is valid");
        instant.try_into().expect("a system time")
    };
    let half_past_two = schedule!("2:30:00").in_zone(berlin.clone());
    let hourly = schedule!("*:00:00").in_zone(berlin);
    for (now, nights) in [
        // On the 29th, clocks jump from 2:00 to 3:00: the event is the first instant after the gap.
        ("2026-03-28T00:00:00Z", ["2026-03-28T01:30:00Z", "2026-03-29T01:00:00Z"]),
        // On the 25th, clocks go back from 3:00 to 2:00: half past two occurs twice.
        ("2026-10-24T00:00:00Z", ["2026-10-24T00:30:00Z", "2026-10-25T00:30:00Z"]),
    ] {
        let clock = ManualClock::new(instant(now));
        let builder = Scheduler::builder().clock(clock.clone());
        let scheduler = builder.start().expect("the scheduler starts");
        let (ran, hours) = (Log::new(), Log::new());
        scheduler.add(half_past_two.clone(), ran.job()).expect("the job is added");
        scheduler.add(hourly.clone(), hours.job()).expect("the job is added");
        clock.advance(secs(2 * 86_400));
        assert_eq!(ran.take(), nights.map(instant));
        let expected: Vec<SystemTime> = events(&hourly, instant(now), instant(now) + secs(172_800));
        assert_eq!(hours.take(), expected);
        assert!(expected.len() >= 47, "the job keeps running through the change");
    }
}

#[test]
fn a_union_in_a_zone_runs_each_instant_once_on_the_days_of_its_calendars() {
    use jiff::{Timestamp, tz::TimeZone};

    // 2026-03-29 is a Sunday on which clocks jump from 2:00 to 3:00. 03-27 is no day of the calendar.
    const OPEN: Calendar = calendar!("*.*.* Mon-Fri\n+ 2026-03-29\n- 2026-03-27");
    let instant = |text: &str| -> SystemTime {
        let instant = text.parse::<Timestamp>().expect("the instant is valid");
        instant.try_into().expect("a system time")
    };
    let berlin = TimeZone::get("Europe/Berlin").expect("the zone is bundled");
    let schedule = schedule!("02:30:00 @OPEN; 03:00:00; *.*.* Sun 02:15:00 @OPEN", OPEN);
    let clock = ManualClock::new(instant("2026-03-25T23:00:00Z"));
    let scheduler = Scheduler::builder().clock(clock.clone()).start().expect("it starts");
    let ran = Log::new();
    scheduler.add(schedule.in_zone(berlin), ran.job()).expect("the job is added");
    clock.advance(secs(4 * 86_400));
    let expected = [
        "2026-03-26T01:30:00Z",
        "2026-03-26T02:00:00Z",
        "2026-03-27T02:00:00Z",
        "2026-03-28T02:00:00Z",
        // All three land on the instant after the gap.
        "2026-03-29T01:00:00Z",
    ];
    assert_eq!(ran.take(), expected.map(instant));
}

#[test]
fn many_one_shot_jobs_all_run() {
    let (clock, scheduler) = scheduler();
    let ran = Arc::new(AtomicU64::new(0));
    for index in 0..20_000 {
        let ran = Arc::clone(&ran);
        let run = move |_: RunContext| {
            ran.fetch_add(1, Ordering::Relaxed);
        };
        scheduler.once(at(index % 97), run).expect("the job is added");
    }
    clock.advance(secs(100));
    assert_eq!(ran.load(Ordering::Relaxed), 20_000);
}
