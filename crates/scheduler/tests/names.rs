//! Names and tags, and how to find and list jobs.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Weak;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use millicron::{Schedule, every, schedule};
use millicron_scheduler::{
    AddError, AddErrorKind, Clock, Event, Job, JobInfo, JobName, JobStatus, ManualClock, Missed,
    Outcome, Overlap, RunContext, Scheduler, Timer,
};

use crate::support::{
    Log, LogRuns as _, at, builder, held, logged, receive, scheduler, secs, start, until,
};

const MINUTES: Schedule = schedule!("*:*:00");

fn named(name: &str) -> Job {
    Job::new(|_| {}).name(name)
}

#[test]
fn a_name_is_taken_until_its_job_is_removed() {
    let (clock, scheduler) = scheduler();
    let job = scheduler.add_job(MINUTES, named("a")).expect("the job is added");
    let refused = scheduler.add_job(MINUTES, named("a")).expect_err("the name is taken");
    let text = "another job has the name `a`: choose a different one, or replace that job";
    assert_eq!(refused.to_string(), text);
    assert!(matches!(refused.kind(), AddErrorKind::NameTaken));
    let refused = scheduler.once_job(at(9), refused.into_job()).expect_err("the name is taken");
    scheduler.add_job(MINUTES, refused.into_job().name("b")).expect("the name is free");
    assert!(job.cancel());
    scheduler.once_job(at(10), named("a")).expect("the job was cancelled");
    clock.advance(secs(10));
    scheduler.add_job(MINUTES, named("a").most_runs(1)).expect("the job has run");
    clock.advance(secs(40));
    assert!(scheduler.job("a").is_none(), "the job has ended");
    let never = scheduler.add_job(schedule!("2005.1.1 00:00:00"), named("a"));
    assert!(matches!(never, Err(error) if matches!(error.kind(), AddErrorKind::NoEvent)));
    scheduler.add_job(MINUTES, named("a")).expect("the refused job does not have the name");
}

#[test]
fn observers_recognize_internal_jobs() {
    let (clock, builder) = builder();
    let log = Log::new();
    let sink = log.clone();
    let observer = move |event: &Event| {
        if let Event::Finished { run, .. } = event {
            sink.add(run.job_name().clone());
        }
    };
    let scheduler = builder.observer(observer).start().expect("the scheduler starts");
    let internal = scheduler.add_job(MINUTES, named("a").internal()).expect("the job is added");
    assert_eq!(internal.name(), Some(JobName::Internal(Some("a".into()))));
    assert_eq!(internal.name().map(|name| name.to_string()), Some("a".to_owned()));
    let taken = scheduler.add_job(MINUTES, named("a")).expect_err("the name is taken");
    assert!(matches!(taken.kind(), AddErrorKind::NameTaken));
    clock.advance(secs(60));
    assert!(internal.cancel());
    scheduler.add_job(MINUTES, named("a")).expect("the name is free");
    clock.advance(secs(60));
    assert!(scheduler.close_and_wait(secs(60)).is_empty());
    let names = [JobName::Internal(Some("a".into())), JobName::Given("a".into())];
    until(|| log.len() == names.len());
    assert_eq!(log.take(), names);
}

#[test]
fn a_running_job_keeps_its_name() {
    let (_clock, scheduler) = scheduler();
    let (job, held) = held();
    scheduler.once_job(start(), job.name("a")).expect("the job is added");
    let (_, completion) = receive(&held);
    assert!(
        matches!(scheduler.add_job(MINUTES, named("a")), Err(error) if matches!(error.kind(), AddErrorKind::NameTaken))
    );
    completion.finish(Outcome::Succeeded);
    until(|| scheduler.add_job(MINUTES, named("a")).is_ok());
}

#[test]
fn a_job_may_replace_one_of_its_name() {
    let (clock, builder) = builder();
    let scheduler = builder.capacity(1).start().expect("the scheduler starts");
    let (job, held) = held();
    let old = scheduler.add_job(MINUTES, job.name("a")).expect("the job is added");
    assert!(old.trigger_now());
    let (run, completion) = receive(&held);
    // A job that cannot be added replaces nothing.
    let never = scheduler.add_job(schedule!("2005.1.1 00:00:00"), named("a").replace());
    assert!(matches!(never, Err(error) if matches!(error.kind(), AddErrorKind::NoEvent)));
    let invalid = scheduler.add_job(every(0).hours(), named("a").replace());
    assert!(matches!(invalid, Err(error) if matches!(error.kind(), AddErrorKind::Interval(_))));
    assert!(!run.token().is_cancelled() && old.name().is_some());
    let other = scheduler.add_job(MINUTES, named("b").replace());
    assert!(
        matches!(other, Err(error) if matches!(error.kind(), AddErrorKind::Full)),
        "there is nothing to replace"
    );

    // The capacity suffices, because the new job takes the old one's place.
    let runs = Log::new();
    let new = Job::new(runs.job()).name("a").replace();
    let new = scheduler.add_job(MINUTES, new).expect("it replaces the other");
    assert!(run.token().is_cancelled() && old.name().is_none());
    completion.finish(Outcome::Succeeded);
    clock.advance(secs(50));
    assert_eq!(runs.take(), [at(40)]);
    assert_eq!(scheduler.stats().waiting, 1);
    // One-shot jobs replace and are replaced.
    let once = Job::once(runs.job()).name("a").replace();
    scheduler.once_job(at(60), once).expect("it replaces the other");
    assert!(new.name().is_none());
    scheduler.once_job(at(70), named("a").replace()).expect("it replaces the other");
    clock.advance(secs(100));
    assert_eq!(runs.take(), []);
}

thread_local! {
    /// Whether the thread's next reading of an [`OvertakenClock`] moves it forward. Moving it waits for the threads of
    /// the scheduler, which also read it.
    static IS_ARMED: Cell<bool> = const { Cell::new(false) };
}

/// A clock that moves forward by 50 seconds just after an armed thread has read it.
struct OvertakenClock(ManualClock);

impl Clock for OvertakenClock {
    fn now(&self) -> SystemTime {
        let now = self.0.now();
        if IS_ARMED.replace(false) {
            self.0.advance(secs(50));
        }
        now
    }

    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }

    fn max_sleep(&self, wait: Option<Duration>) -> Option<Duration> {
        self.0.max_sleep(wait)
    }

    fn attach(&self, timer: Weak<dyn Timer>) {
        self.0.attach(timer);
    }
}

#[test]
fn an_event_that_a_replaced_job_has_run_does_not_run_again() {
    let clock = ManualClock::new(start());
    let overtaken = OvertakenClock(clock.clone());
    let scheduler = Scheduler::builder().clock(overtaken).start().expect("the scheduler starts");
    let runs = Log::new();
    let job = || Job::new(runs.job()).name("a");
    scheduler.add_job(MINUTES, job()).expect("the job is added");
    // The old job runs after the new one has been passed to the scheduler, and before it is added.
    IS_ARMED.set(true);
    scheduler.add_job(MINUTES, job().replace()).expect("it replaces the other");
    clock.advance(secs(60));
    assert_eq!(runs.take(), [at(40), at(100)]);
}

#[test]
fn jobs_may_share_a_name() {
    let (clock, scheduler, log) = logged();
    for _ in 0..3 {
        scheduler.add_job(MINUTES, named("a").share_name()).expect("the name is shared");
    }
    assert!(scheduler.job("a").is_none(), "no job has it for its own");
    let own = scheduler.add_job(MINUTES, named("a")).expect("nobody has it for its own");
    assert!(
        matches!(scheduler.add_job(MINUTES, named("a")), Err(error) if matches!(error.kind(), AddErrorKind::NameTaken))
    );
    assert_eq!(scheduler.job("a").and_then(|job| job.info()).map(|info| info.runs), Some(0));
    assert!(own.cancel() && scheduler.job("a").is_none());
    clock.advance(secs(40));
    let log = log.take();
    assert_eq!(log.iter().filter(|line| *line == "run 40 +0").count(), 3);
}

#[test]
fn a_job_is_found_by_its_name() {
    let (_clock, scheduler) = scheduler();
    assert!(scheduler.job("a").is_none());
    scheduler.add_job(MINUTES, named("a")).expect("the job is added");
    scheduler.once_job(at(9), named("b")).expect("the job is added");
    for name in ["a", "b"] {
        let job = scheduler.handle().job(name).expect("the job is found");
        assert_eq!(job.name(), Some(JobName::Given(name.into())));
        assert!(job.cancel());
        assert!(scheduler.job(name).is_none());
    }
}

#[test]
fn steps_beyond_the_capacity_may_have_the_name_of_another_job() {
    let (clock, scheduler) = scheduler();
    let runs = Log::new();
    scheduler.add_job(MINUTES, named("a")).expect("the job is added");
    let step = Job::once(runs.job()).name("a");
    let step = scheduler.handle().once_job_beyond_capacity(at(5), step).expect("it is added");
    clock.advance(secs(5));
    assert_eq!((runs.take(), step.name()), (vec![at(5)], None));
    assert!(scheduler.job("a").is_some(), "the other job keeps the name");
}

#[test]
fn tagged_jobs_are_paused_resumed_and_cancelled_together() {
    let (clock, scheduler) = scheduler();
    let runs = Log::new();
    let tagged = |tags: &[&str]| {
        let job = tags.iter().fold(Job::new(runs.job()), |job, tag| job.tag(*tag));
        scheduler.add_job(MINUTES, job).expect("the job is added")
    };
    let jobs = [tagged(&["a"]), tagged(&["a", "b"]), tagged(&["b"]), tagged(&["a", "a"])];
    scheduler.once_job(at(1000), Job::once(|_| {}).tag("a")).expect("the job is added");
    assert_eq!(scheduler.tagged("a").jobs().len(), 4, "a tag counts once");
    assert_eq!(scheduler.tagged("c").cancel(), 0);
    assert!(jobs[0].pause());
    assert_eq!(scheduler.tagged("a").pause(), 3, "one was paused");
    clock.advance(secs(40));
    assert_eq!(runs.take(), [at(40)]);
    assert_eq!(scheduler.tagged("b").resume(), 1, "one was not paused");
    clock.advance(secs(60));
    assert_eq!(runs.take(), [at(100); 2]);
    assert_eq!(scheduler.tagged("b").cancel(), 2);
    assert_eq!(scheduler.tagged("b").cancel(), 0);
    let names: Vec<bool> = jobs.iter().map(|job| job.name().is_some()).collect();
    assert_eq!(names, [true, false, false, true]);
    assert_eq!(scheduler.handle().tagged("a").resume(), 3);
    clock.advance(secs(1000));
    assert_eq!(scheduler.tagged("a").jobs().len(), 2, "the one-shot job has run");
}

fn infos(scheduler: &Scheduler) -> Vec<JobInfo> {
    scheduler.jobs().map(|(_, info)| info).collect()
}

#[test]
fn a_job_is_listed_with_all_that_is_known_about_it() {
    let (clock, scheduler) = scheduler();
    let job =
        Job::new(|run: RunContext| if run.number() == 2 { Err("the second") } else { Ok(()) });
    let job = job.name("report").tag("x").tag("y").jitter(secs(5));
    let handle = scheduler.add_job(MINUTES, job).expect("the job is added");
    let [info] = &infos(&scheduler)[..] else { panic!("there is one job") };
    assert_eq!((info.name.to_string(), info.status), ("report".to_owned(), JobStatus::Waiting));
    assert_eq!(info.tags.iter().map(|tag| &**tag).collect::<Vec<_>>(), ["x", "y"]);
    assert_eq!(info.next, Some(at(40)), "without jitter");
    assert_eq!(info.schedule().map(ToString::to_string).as_deref(), Some("*:*:00"));
    assert!(info.interval().is_none());
    assert_eq!(info.description().to_string(), MINUTES.describe().to_string());
    assert_eq!((info.last_scheduled, info.last_start, info.last_end), (None, None, None));
    assert_eq!((info.running, info.runs, info.failed, info.skipped), (0, 0, 0, 0));
    assert_eq!(info.last_outcome, None);

    clock.advance(secs(110));
    let info = handle.info().expect("the job exists");
    let delay = info.last_start.expect("it has run").duration_since(at(100));
    assert!(info.delay > secs(0) && info.delay < secs(5));
    assert_eq!(delay.expect("no run is early"), info.delay);
    assert_eq!((info.last_scheduled, info.next), (Some(at(100)), Some(at(160))));
    assert_eq!(info.last_end, info.last_start);
    assert_eq!(info.last_outcome, Some(Outcome::Failed("the second".to_owned())));
    assert_eq!((info.running, info.runs, info.failed, info.skipped), (0, 2, 1, 0));

    assert!(handle.pause());
    clock.advance(secs(110));
    let info = handle.info().expect("the job exists");
    assert_eq!((info.status, info.next), (JobStatus::Paused, None));
    assert!(handle.resume());
    let info = handle.info().expect("the job exists");
    assert_eq!((info.status, info.next, info.skipped), (JobStatus::Waiting, Some(at(280)), 2));
    assert!(handle.cancel());
    assert!(handle.info().is_none() && infos(&scheduler).is_empty());
}

#[test]
fn a_job_in_progress_is_listed_as_such() {
    let (_clock, scheduler) = scheduler();
    let (job, held) = held();
    let job = job.overlap(Overlap::Allow { max: 2 }).ending(at(40));
    let job = scheduler.add_job(MINUTES, job).expect("the job is added");
    assert!(job.trigger_now() && job.trigger_now());
    let (first, second) = (receive(&held), receive(&held));
    let info = job.info().expect("the job exists");
    assert_eq!((info.status, info.running, info.runs), (JobStatus::Waiting, 2, 2));
    assert_eq!(info.last_end, None);
    first.1.finish(Outcome::Succeeded);
    let info = job.info().expect("the job exists");
    assert_eq!((info.running, info.last_outcome), (1, Some(Outcome::Succeeded)));
    // A job without further events is kept until its run ends.
    assert_eq!(job.reschedule(schedule!("2005.1.1 00:00:00")), Ok(true));
    let info = job.info().expect("the job exists");
    assert_eq!((info.status, info.next, info.running), (JobStatus::Ending, None, 1));
    drop(second);
    assert!(job.info().is_none());
}

fn millis(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).expect("after 1970");
    i64::try_from(since.as_millis()).expect("few")
}

#[test]
fn every_kind_of_recurrence_is_described() {
    let (_clock, scheduler) = scheduler();
    let zone = jiff::tz::TimeZone::get("Europe/Berlin").expect("the zone is bundled");
    let add = |job: Result<_, AddError>| drop(job.expect("the job is added"));
    add(scheduler.add(schedule!("09:30:00").in_zone(zone), |_| {}));
    add(scheduler.add(every(90).minutes(), |_| {}));
    add(scheduler.once(at(9), |_| {}));
    add(scheduler.once_job(at(9), named("once")));
    let mut infos = infos(&scheduler);
    infos.sort_by_key(|info| info.name.to_string());
    let texts: Vec<String> = infos.iter().map(|info| info.description().to_string()).collect();
    assert!(texts[0].contains("09:30") && texts[0].ends_with("local time"), "{texts:?}");
    assert_eq!(texts[1..], ["Every 90 minutes", "At custom instants", "At custom instants"]);
    assert!(infos[0].schedule().is_some() && infos[0].interval().is_none());
    let zones: Vec<_> = infos.iter().map(JobInfo::zone_name).collect();
    assert_eq!(zones, [Some("Europe/Berlin"), None, None, None]);
    let recurrences: Vec<_> = infos.iter().map(JobInfo::recurrence).collect();
    let next = |index: usize| Some(recurrences[index].as_ref()?.next_event(millis(at(10))));
    assert_eq!(next(0), Some(infos[0].next.map(millis)));
    assert_eq!(next(1), Some(infos[1].next.map(millis)));
    assert!(recurrences[2].is_none() && recurrences[3].is_none());
    assert_eq!(scheduler.stats().jobs, 4);
    assert!(infos[1].schedule().is_none() && infos[1].interval().is_some());
    assert!(infos.iter().skip(2).all(|info| info.next == Some(at(9))));
    let names: Vec<String> = infos.iter().map(|info| info.name.to_string()).collect();
    assert_eq!(names, ["#1", "#2", "#3", "once"]);
}

#[test]
fn the_list_is_read_in_pages_while_jobs_come_and_go() {
    let (_clock, scheduler) = scheduler();
    let add = |name: String| scheduler.add_job(MINUTES, named(&name)).expect("it is added");
    let handles: Vec<_> = (0..1000).map(|index| add(format!("old {index}"))).collect();
    let mut jobs = scheduler.jobs();
    let mut seen: Vec<String> = jobs.by_ref().take(10).map(|(_, it)| it.name.to_string()).collect();
    // Every third job is removed, even if it was already listed, and new jobs take their slots.
    for handle in handles.iter().step_by(3) {
        assert!(handle.cancel());
    }
    for index in 0..500 {
        add(format!("new {index}"));
    }
    seen.extend(jobs.map(|(handle, info)| {
        assert!(handle.name().is_none_or(|name| name == info.name), "the handle is of that job");
        info.name.to_string()
    }));
    let distinct: BTreeSet<&String> = seen.iter().collect();
    assert_eq!(distinct.len(), seen.len(), "no job is listed twice");
    for index in (0..1000).filter(|index| index % 3 != 0) {
        assert!(distinct.contains(&format!("old {index}")), "{index} was there all the time");
    }
    assert!(seen.len() <= 1500);
    assert_eq!(scheduler.jobs().count(), 1000 - 334 + 500);
}

/// Vacant slots also count towards the size of a page.
#[test]
fn few_jobs_among_many_removed_ones_are_listed() {
    let (_clock, scheduler) = scheduler();
    let handles: Vec<_> =
        (0..5000).map(|_| scheduler.add(MINUTES, |_| {}).expect("the job is added")).collect();
    for (index, handle) in handles.iter().enumerate() {
        assert!([3, 2500, 4999].contains(&index) || handle.cancel());
    }
    let numbers: Vec<String> = infos(&scheduler).iter().map(|it| it.name.to_string()).collect();
    assert_eq!(numbers, ["#4", "#2501", "#5000"]);
    scheduler.close_and_wait(Duration::ZERO).clear();
    drop(scheduler);
}

#[test]
fn jobs_that_take_the_place_of_cancelled_ones_run_each_event_once() {
    let (clock, scheduler) = scheduler();
    let log = Log::new();
    let seconds = || schedule!("*:*:*");
    let add = |job: Job| scheduler.add_job(seconds(), job).expect("the job is added");
    let old = ["a", "b"].map(|name| add(Job::new(log.job()).name(name)));
    clock.advance(secs(2));
    let other = Scheduler::new().expect("the scheduler starts");
    let stranger = other.add_job(seconds(), named("c")).expect("the job is added");
    let handles = old.iter().cloned().chain([stranger.clone()]);
    let cancelled = scheduler.cancel_all(handles);
    assert_eq!(cancelled, at(2));
    assert!(old.iter().all(|job| job.name().is_none()) && stranger.name().is_some());
    // Two events pass before the new jobs are added.
    clock.advance(secs(2));
    for name in ["c", "d"] {
        add(Job::new(log.job()).name(name).missed(Missed::All { max: 10 }).since(cancelled));
    }
    clock.advance(secs(1));
    let mut ran = log.take();
    ran.sort_unstable();
    assert_eq!(ran, [1, 1, 2, 2, 3, 3, 4, 4, 5, 5].map(at));
}
