//! Traits and texts of the public types.

use std::error::Error;
use std::fmt::{Debug, Display};

use millicron::{
    IntervalError, IntoRecurrence as _, ParseError, Recurrence, Schedule, Unit, every, schedule,
};
use millicron_scheduler::{
    AddError, AddErrorKind, CancellationToken, Completion, Event, Job, JobHandle, JobName,
    ManualClock, Missed, Outcome, Overlap, RunContext, Scheduler, SchedulerBuilder,
    SchedulerHandle, SimulatedJob, Simulator, SkipReason, Stats, SystemClock, Task, Workers,
};

use crate::support::{Log, start, to_millis, until};

fn is_debug<T: Debug>() {}

fn is_error<T: Error + Send + Sync + 'static>() {}

/// Errors of all kinds convert to one that is `Send` and `Sync`.
#[test]
fn errors_can_be_returned_as_boxed_errors() {
    fn add() -> Result<(), Box<dyn Error + Send + Sync>> {
        let scheduler = Scheduler::builder().capacity(1).start()?;
        let job = scheduler.add("*:00:00".parse::<Schedule>()?, |_| {})?;
        job.reschedule(every(5).minutes())?;
        scheduler.once(std::time::UNIX_EPOCH, |_| {})?;
        Ok(())
    }
    is_error::<AddError>();
    is_error::<IntervalError>();
    is_error::<ParseError>();
    let error = add().expect_err("the scheduler is full");
    assert!(
        matches!(error.downcast_ref(), Some(error) if matches!(AddError::kind(error), AddErrorKind::Full))
    );
}

fn is_shared<T: Send + Sync + 'static>() {
    fn is_movable<T: Send + 'static>() {}
    is_movable::<T>();
}

#[test]
fn public_types_implement_the_common_traits() {
    is_shared::<Scheduler>();
    is_shared::<SchedulerHandle>();
    is_shared::<JobHandle>();
    is_shared::<JobName>();
    is_shared::<RunContext>();
    is_shared::<CancellationToken>();
    is_shared::<Task>();
    is_shared::<Event>();
    is_shared::<Outcome>();
    is_shared::<Stats>();
    is_shared::<ManualClock>();
    is_shared::<SystemClock>();
    is_shared::<SimulatedJob>();
    is_shared::<(Missed, Overlap, Workers, SkipReason)>();
    is_debug::<(Scheduler, SchedulerBuilder, SchedulerHandle, JobHandle, Job, Task, Completion)>();
    is_debug::<(Simulator, SimulatedJob, Stats, Event, AddError)>();
}

#[test]
fn debug_output_is_never_empty() {
    let builder = Scheduler::builder();
    assert_ne!(format!("{builder:?}"), "");
    let scheduler = builder.start().expect("the scheduler starts");
    let handle = scheduler.add(every(1).hours(), |_| {}).expect("the job is added");
    let info = handle.info().expect("the job exists");
    assert!(format!("{info:?}").contains("EventSource"));
    let task = Job::new(|_| {}).into_task().expect("it can be repeated");
    let simulator = Simulator::new(std::time::UNIX_EPOCH);
    let clock = ManualClock::new(std::time::UNIX_EPOCH);
    for value in [&scheduler as &dyn Debug, &handle, &info, &task, &simulator, &clock] {
        assert_ne!(format!("{value:?}"), "");
    }
    assert!(format!("{:?}", scheduler.stats()).contains("median"));
    let texts = Log::new();
    let sink = texts.clone();
    let job = Job::deferred(move |_, completion| {
        sink.add(format!("{completion:?}"));
        completion.finish(Outcome::Succeeded);
    });
    scheduler.once_job(start(), job).expect("the job is added");
    until(|| texts.len() == 1);
    assert_ne!(texts.take(), [""]);
}

#[test]
fn only_work_that_can_be_repeated_is_a_task() {
    assert!(Job::new(|_| {}).into_task().is_some());
    assert!(Job::deferred(|_, _| {}).into_task().is_some());
    assert!(Job::once(|_| {}).into_task().is_none());
}

/// Checks that the recurrence of a job answers like the one that was added.
#[track_caller]
fn check_recurrence(added: impl Recurrence + Clone + Send + Sync + 'static) {
    let scheduler = Scheduler::new().expect("the scheduler starts");
    let job = scheduler.add(added.clone(), |_| {}).expect("the job is added");
    let actual = job.info().and_then(|info| info.recurrence()).expect("it has a recurrence");
    assert_eq!(actual.schedule(), added.schedule());
    assert_eq!(actual.interval().is_some(), added.interval().is_some());
    assert_eq!(actual.period(), added.period());
    assert_eq!((actual.is_zoned(), actual.zone_name()), (added.is_zoned(), added.zone_name()));
    let now = to_millis(start());
    assert_eq!(actual.next_event(now), added.next_event(now));
    assert_eq!(actual.nearest_prev_event(now), added.nearest_prev_event(now));
    assert_eq!(actual.nth_prev_event(now, 3), added.nth_prev_event(now, 3));
    let day = now..=now + 86_400_000;
    assert_eq!(actual.count(day.clone()), added.count(day));
    assert_eq!(actual.offset_at(now), added.offset_at(now));
    assert_eq!(actual.unit_start(Unit::Day, now, 2), added.unit_start(Unit::Day, now, 2));
    assert_eq!(actual.unit_end(Unit::Day, now), added.unit_end(Unit::Day, now));
}

#[test]
fn recurrence_of_a_job_answers_like_the_one_that_was_added() {
    let tokyo = jiff::tz::TimeZone::get("Asia/Tokyo").expect("a zone");
    check_recurrence(schedule!("*:00:00").in_zone(tokyo));
    let hours = every(1).hours().from(to_millis(start())).into_recurrence(to_millis(start()));
    check_recurrence(hours.expect("a valid interval"));
}

#[test]
fn a_scheduler_and_its_handle_convert_to_a_handle() {
    fn add(scheduler: impl AsRef<SchedulerHandle>) {
        let handle: SchedulerHandle = scheduler.as_ref().clone();
        handle.add(schedule!("*:00:00"), |_| {}).expect("the job is added");
    }
    let scheduler = Scheduler::new().expect("the scheduler starts");
    add(&scheduler);
    add(scheduler.handle());
    let handle = scheduler.handle();
    add(&handle);
    assert_eq!(scheduler.stats().waiting, 3);
}

#[test]
fn only_interval_errors_have_a_source() {
    let scheduler = Scheduler::builder().capacity(0).start().expect("the scheduler starts");
    let full = scheduler.add(every(1).hours(), |_| {}).expect_err("the scheduler is full");
    assert!(full.source().is_none());
    let invalid = scheduler.add(every(0).hours(), |_| {}).expect_err("the period is zero");
    assert!(invalid.source().is_some());
    let boxed: Box<dyn Error> = invalid.into();
    assert_eq!(boxed.to_string(), "invalid interval");
}

#[test]
fn outcomes_and_names_have_texts() {
    let text = |it: &dyn Display| it.to_string();
    assert_eq!(text(&Outcome::Succeeded), "succeeded");
    assert_eq!(text(&Outcome::Failed("no paper".to_owned())), "failed: no paper");
    assert_eq!(text(&Outcome::Panicked(String::new())), "panicked");
    assert_eq!(text(&Outcome::Panicked("no ink".to_owned())), "panicked: no ink");
    assert_eq!(text(&Outcome::Abandoned), "abandoned");
    assert_eq!(text(&JobName::Number(7)), "#7");
    assert_eq!(text(&JobName::Given("report".into())), "report");
    assert!(Outcome::Succeeded.is_success() && !Outcome::Abandoned.is_success());
}
