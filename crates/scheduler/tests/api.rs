//! Traits and texts of the public types.

use std::error::Error;
use std::fmt::{Debug, Display};

use millicron::{IntervalError, ParseError, Schedule, every, schedule};
use millicron_scheduler::{
    AddError, AddErrorKind, CancellationToken, Completion, Event, Job, JobHandle, JobName,
    ManualClock, Missed, Outcome, Overlap, RunContext, Scheduler, SchedulerBuilder,
    SchedulerHandle, SimulatedJob, Simulator, SkipReason, Stats, SystemClock, Task, Workers,
};

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
