//! Policies for missed and overlapping events, and operations on jobs.

use std::collections::BTreeSet;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use millicron::{every, schedule};
use millicron_scheduler::{
    Event, Job, JobHandle, ManualClock, Missed, Outcome, Overlap, RunContext, Scheduler,
    SchedulerHandle, Simulator, Workers,
};

use crate::support::{
    Log, LogRuns as _, at, held, lock, logged, receive, scheduler, secs, short, simulator, start,
    until,
};

/// Waits until the observer has received the expected number of events, and compares them.
fn assert_logged(log: &Log<String>, expected: &[&str]) {
    let mut logged = Vec::new();
    until(|| {
        logged.extend(log.take());
        logged.len() >= expected.len()
    });
    assert_eq!(logged, expected);
}

#[test]
fn missed_events_follow_their_policy() {
    let minutes = schedule!("*:*:00");
    // Events at 40, 100, … 340; the clock is set to 345, 370 or 99.
    let cases: [(Missed, u64, &[&str]); 7] = [
        (Missed::Coalesce, 345, &["coalesce 40 5 340", "run 340 +5"]),
        (Missed::Coalesce, 99, &["run 40 +0"]),
        (Missed::Skip, 345, &["skip 40-280 5 Missed", "run 340 +0"]),
        (Missed::Skip, 370, &["skip 40-340 6 Missed"]),
        (Missed::All { max: 2 }, 370, &["skip 40-220 4 Missed", "run 280 +0", "run 340 +0"]),
        (Missed::All { max: 0 }, 370, &["skip 40-280 5 Missed", "run 340 +0"]),
        (
            Missed::All { max: 99 },
            370,
            &["run 40 +0", "run 100 +0", "run 160 +0", "run 220 +0", "run 280 +0", "run 340 +0"],
        ),
    ];
    for (missed, now, expected) in cases {
        let (clock, scheduler, log) = logged();
        // The last event is missed if it is more than ten seconds late.
        let job = Job::new(|_| {}).missed(missed).grace(secs(10));
        scheduler.add_job(minutes.clone(), job).expect("the job is added");
        clock.set(at(now));
        let mut logged = log.take();
        logged.retain(|it| !it.starts_with("end") && it != "added 40");
        logged.sort();
        let mut expected = expected.to_vec();
        expected.sort_unstable();
        assert_eq!(logged, expected, "{missed:?}");
    }
}

#[test]
fn an_event_within_its_grace_is_not_missed() {
    for (grace, late, is_run) in [(10, 10, true), (10, 11, false), (0, 0, true), (0, 1, false)] {
        let (clock, scheduler, log) = logged();
        let job = Job::new(|_| {}).missed(Missed::Skip).grace(secs(grace));
        scheduler.add_job(schedule!("*:*:00"), job).expect("the job is added");
        clock.set(at(40 + late));
        assert_eq!(log.take().contains(&"run 40 +0".to_owned()), is_run, "{grace} {late}");
        assert_eq!(scheduler.stats().missed, u64::from(!is_run));
    }
}

#[test]
fn setting_the_clock_back_runs_no_event_twice_or_early() {
    let clock = ManualClock::new(start());
    let scheduler =
        Scheduler::builder().clock(clock.clone()).start().expect("the scheduler starts");
    let ran = Log::new();
    let job = scheduler.add(schedule!("*:*:00"), ran.job()).expect("the job is added");
    clock.advance(secs(100));
    assert_eq!(ran.take(), [at(40), at(100)]);
    clock.set(start() - secs(86_400));
    assert_eq!(job.next_event(), Some(at(160)));
    clock.advance(secs(86_400 + 159));
    assert_eq!(ran.take(), []);
    clock.advance(secs(61));
    assert_eq!(ran.take(), [at(160), at(220)]);
}

#[test]
fn overlapping_events_follow_their_policy() {
    // Events at 40, 100, 160 and 220, while the run of the event at 40 is in progress.
    let cases: [(Overlap, &[u64], u64); 6] = [
        (Overlap::Skip, &[], 3),
        (Overlap::Allow { max: 3 }, &[100, 160], 1),
        (Overlap::Allow { max: 1 }, &[], 3),
        (Overlap::Allow { max: 0 }, &[], 3),
        (Overlap::Queue { max: 2 }, &[], 1),
        (Overlap::Queue { max: 0 }, &[], 3),
    ];
    for (overlap, beside, skipped) in cases {
        let mut simulator = Simulator::new(start());
        let begun = Log::new();
        let job = Job::new(begun.job()).overlap(overlap);
        // The first run takes until 230.
        let takes = |run: &RunContext| if run.number() == 1 { secs(190) } else { secs(200) };
        simulator.add(schedule!("*:*:00"), job, takes).expect("the job is added");
        simulator.run_for(secs(229));
        let expected = [&[at(40)][..], &beside.iter().map(|it| at(*it)).collect::<Vec<_>>()];
        assert_eq!(begun.take(), expected.concat(), "{overlap:?}");
        assert_eq!(simulator.stats().skipped, skipped, "{overlap:?}");
        simulator.run_for(secs(2));
        let queued: &[SystemTime] =
            if skipped == 1 && beside.is_empty() { &[at(100)] } else { &[] };
        assert_eq!(begun.take(), queued, "{overlap:?}");
    }
}

#[test]
fn a_queued_run_starts_when_the_run_before_it_finishes() {
    let (clock, scheduler, log) = logged();
    let (job, held) = held();
    let queue = job.overlap(Overlap::Queue { max: 1 });
    let handle = scheduler.add_job(schedule!("*:*:00"), queue).expect("the job is added");
    // Setting the clock waits for the run, so another thread does it.
    let setter = clock.clone();
    let thread = std::thread::spawn(move || setter.set(at(40)));
    let (run, first) = receive(&held);
    assert_eq!(run.scheduled(), at(40));
    assert!(handle.trigger_now(), "the run is queued");
    assert!(!handle.trigger_now(), "only one run may be queued");
    assert_eq!(scheduler.stats().running, 1);
    first.finish(Outcome::Succeeded);
    let (run, second) = receive(&held);
    // The event's instant is 40, so the triggered run's instant is right after it.
    let after = at(40) + Duration::from_nanos(100);
    assert_eq!((run.scheduled(), run.number()), (after, 2));
    drop(second);
    thread.join().expect("no thread panics");
    assert_eq!(scheduler.stats().failed, 1, "the run was abandoned");
    let log = log.take();
    assert!(log.contains(&"skip 40-40 1 Overlap".to_owned()), "{log:?}");
    assert!(log.contains(&"end 40 Abandoned".to_owned()), "{log:?}");
}

/// They are reported only as skipped, and not also as coalesced.
#[test]
fn events_coalesced_into_a_skipped_run_are_skipped() {
    let log = Log::new();
    let sink = log.clone();
    let mut simulator =
        Simulator::new(start()).observer(move |event: &Event| sink.add(short(event)));
    let takes = |_: &RunContext| secs(1000);
    simulator.add(schedule!("*:*:00"), Job::new(|_| {}), takes).expect("the job is added");
    simulator.run_for(secs(40));
    simulator.stall(secs(310));
    assert_eq!(log.take(), ["added 40", "run 40 +0", "skip 100-340 5 Overlap"]);
    assert_eq!(simulator.stats().skipped, 5);
    assert_eq!(simulator.stats().missed, 5);
}

#[test]
fn missed_events_that_all_run_do_so_one_at_a_time() {
    let mut simulator = Simulator::new(start());
    let begun = Log::new();
    let sink = begun.clone();
    let job = Job::new(move |run: RunContext| sink.add((run.scheduled(), run.lateness())));
    let job = job.missed(Missed::All { max: 3 });
    simulator.add(schedule!("*:*:00"), job, |_| secs(5)).expect("the job is added");
    simulator.stall(secs(350));
    assert_eq!(begun.take(), [(at(220), secs(130))]);
    simulator.run_for(secs(5));
    assert_eq!(begun.take(), [(at(280), secs(75))]);
    simulator.run_for(secs(5));
    assert_eq!(begun.take(), [(at(340), secs(20))]);
}

#[test]
fn jitter_depends_on_the_name_and_stays_below_its_maximum() {
    let delays = |names: &[String], most: Duration| -> Vec<Duration> {
        let mut simulator = Simulator::new(start());
        let late = Log::new();
        for name in names {
            let sink = late.clone();
            let run = move |run: RunContext| {
                assert_eq!(run.lateness(), secs(0), "jitter is not lateness");
                let delay = run.started().duration_since(run.scheduled());
                sink.add((run.job_name().to_string(), delay.expect("no run is early")));
            };
            let job = Job::new(run).name(name.clone()).jitter(most);
            simulator.add(schedule!("*:00:00"), job, |_| secs(0)).expect("the job is added");
        }
        simulator.run_for(secs(3 * 3600));
        let late = late.take();
        let of = |name: &String| {
            let of: Vec<_> = late.iter().filter(|(other, _)| other == name).collect();
            assert!(of.len() >= 2 && of.iter().all(|(_, delay)| *delay == of[0].1), "{of:?}");
            of[0].1
        };
        names.iter().map(of).collect()
    };
    let names: Vec<String> = (0..100).map(|index| format!("job-{index}")).collect();
    let minute = delays(&names, secs(60));
    assert_eq!(minute, delays(&names, secs(60)), "the delays survive a restart");
    assert!(minute.iter().all(|delay| *delay < secs(60)));
    // Names that differ in one letter are spread over all tenths.
    let tenths: BTreeSet<u64> = minute.iter().map(|delay| delay.as_secs() / 6).collect();
    assert_eq!(tenths.len(), 10, "{minute:?}");
    let distinct: BTreeSet<Duration> = minute.iter().copied().collect();
    assert_eq!(distinct.len(), 100);
    assert_eq!(delays(&names[..1], secs(120))[0].as_nanos() / 2, minute[0].as_nanos());
    assert!(delays(&names, Duration::ZERO).iter().all(Duration::is_zero));
}

#[test]
fn a_paused_job_skips_its_events_until_it_is_resumed() {
    let (clock, scheduler, log) = logged();
    let job = scheduler.add(schedule!("*:*:00"), |_| {}).expect("the job is added");
    assert!(job.pause() && !job.pause());
    assert_eq!(job.next_event(), None);
    clock.advance(secs(200));
    assert!(job.resume() && !job.resume());
    assert_eq!(job.next_event(), Some(at(220)));
    // Without an event in between, nothing is skipped.
    assert!(job.pause() && job.resume());
    clock.advance(secs(20));
    let expected = [
        "added 40",
        "pause",
        "resume",
        "skip 40-160 3 Paused",
        "pause",
        "resume",
        "run 220 +0",
        "end 220 Succeeded",
    ];
    assert_logged(&log, &expected);

    // A job that is resumed after the clock was set back runs no event twice.
    assert!(job.pause());
    clock.set(at(50));
    assert!(job.resume());
    assert_eq!(job.next_event(), Some(at(280)));
    // Triggering a paused job runs it, and it stays paused.
    assert!(job.pause() && job.trigger_now());
    clock.advance(secs(1000));
    assert_eq!((job.next_event(), scheduler.stats().completed), (None, 2));
    assert!(job.cancel());
    let end =
        |log: &Log<String>| log.take().last().map(String::as_str) == Some("cancel [] Some(280)");
    until(|| end(&log));
}

#[test]
fn a_one_shot_job_can_be_paused_resumed_and_rescheduled() {
    for name in [None, Some("named")] {
        let (clock, scheduler, log) = logged();
        let job = Job::once(|_| {});
        let job = if let Some(name) = name { job.name(name) } else { job };
        let job = scheduler.once_job(at(10), job).expect("the job is added");
        assert!(job.pause());
        clock.advance(secs(20));
        assert_eq!(job.reschedule(every(1).hours()), Ok(true));
        clock.advance(secs(4000));
        assert_eq!(job.next_event(), None);
        assert!(job.resume());
        clock.advance(secs(0));
        assert_eq!(job.reschedule(every(1).hours()), Ok(false), "the job was removed");
        clock.advance(secs(4000));
        let expected = [
            "added 10",
            "pause",
            "reschedule Some(3620)",
            "resume",
            "run 3620 +0",
            "end 3620 Succeeded",
            "over",
        ];
        assert_logged(&log, &expected);
        assert_eq!((scheduler.stats().waiting, scheduler.stats().completed), (0, 1));
    }
}

#[test]
fn trigger_now_runs_a_one_shot_job_now_instead_of_later() {
    for name in [None, Some("named")] {
        for is_paused in [false, true] {
            let (clock, scheduler, log) = logged();
            let job = Job::once(|_| {});
            let job = if let Some(name) = name { job.name(name) } else { job };
            let job = scheduler.once_job(at(10), job).expect("the job is added");
            assert!(!is_paused || job.pause());
            assert!(job.trigger_now());
            clock.advance(secs(100));
            assert!(!job.trigger_now(), "the job has run");
            let mut expected = Vec::from(["added 10", "run 0 +0", "end 0 Succeeded", "over"]);
            if is_paused {
                expected.insert(1, "pause");
            }
            assert_logged(&log, &expected);
            assert_eq!(scheduler.stats().completed, 1);
        }
    }
}

#[test]
fn reschedule_takes_effect_from_now_on() {
    let (clock, scheduler, log) = logged();
    let job = scheduler.add(schedule!("*:*:00"), |_| {}).expect("the job is added");
    clock.advance(secs(50));
    assert_eq!(job.reschedule(every(100).seconds()), Ok(true));
    assert_eq!(job.next_event(), Some(at(150)));
    assert!(job.reschedule(every(0).days()).is_err());
    clock.advance(secs(110));
    assert!(job.pause());
    clock.advance(secs(100));
    assert_eq!(job.reschedule(schedule!("*:*:10")), Ok(true));
    assert_eq!(job.next_event(), None, "the job stays paused");
    clock.advance(secs(15));
    assert!(job.resume());
    assert_eq!(job.next_event(), Some(at(290)));
    // A recurrence without events ends the job.
    assert_eq!(job.reschedule(schedule!("2005.1.1 00:00:00")), Ok(true));
    assert_eq!((job.name(), job.cancel()), (None, false));
    let expected = [
        "added 40",
        "run 40 +0",
        "end 40 Succeeded",
        "reschedule Some(150)",
        "run 150 +0",
        "end 150 Succeeded",
        "pause",
        "skip 250-250 1 Paused",
        "reschedule Some(290)",
        "resume",
        "reschedule None",
        "over",
    ];
    assert_logged(&log, &expected);
}

#[test]
fn an_interval_may_begin_as_a_job_is_rescheduled_unless_that_event_has_run() {
    let (clock, scheduler) = scheduler();
    let runs = Log::new();
    let job = scheduler.add(schedule!("*:*:00"), runs.job()).expect("the job is added");
    clock.advance(secs(10));
    assert_eq!(job.reschedule(every(100).seconds().from(at(10))), Ok(true));
    clock.advance(secs(100));
    assert_eq!(job.reschedule(every(50).seconds().from(at(110))), Ok(true));
    clock.advance(secs(50));
    assert_eq!(runs.take(), [at(10), at(110), at(160)]);
}

#[test]
fn a_one_shot_job_runs_at_the_beginning_of_the_interval_that_it_is_rescheduled_to() {
    let (clock, scheduler) = scheduler();
    let runs = Log::new();
    let jobs = [
        scheduler.once(at(500), runs.job()),
        scheduler.once_job(at(500), Job::once(runs.job()).name("named")),
    ];
    for job in jobs {
        let job = job.expect("the job is added");
        assert_eq!(job.reschedule(every(10).minutes().immediately()), Ok(true));
    }
    clock.advance(secs(500));
    assert_eq!(runs.take(), [at(0), at(0)]);
}

#[test]
fn a_one_shot_job_that_is_rescheduled_runs_only_at_its_new_instant() {
    for name in [None, Some("named")] {
        let (mut simulator, log) = simulator();
        let job = Job::once(|_| {});
        let job = if let Some(name) = name { job.name(name) } else { job };
        let job = simulator.once(at(10), job, |_| secs(0)).expect("the job is added");
        // Without other jobs, the queue would remove the entry of the first instant immediately.
        for _ in 0..9 {
            simulator.once(at(500), Job::once(|_| {}), |_| secs(0)).expect("the job is added");
        }
        assert_eq!(simulator.reschedule(job, every(100).seconds()), Ok(true));
        simulator.run_for(secs(99));
        assert!(!log.take().iter().any(|line| line.starts_with("run")), "{name:?}");
        simulator.run_for(secs(1));
        assert_eq!(log.take(), ["run 100 +0", "end 100 Succeeded", "over"], "{name:?}");
    }
}

#[test]
fn a_one_shot_job_that_is_due_is_neither_triggered_again_nor_rescheduled() {
    for name in [None, Some("named")] {
        let (mut simulator, log) = simulator();
        let job = Job::once(|_| {});
        let job = if let Some(name) = name {
            job.name(name).overlap(Overlap::Queue { max: 9 })
        } else {
            job
        };
        let job = simulator.once(at(10), job, |_| secs(0)).expect("the job is added");
        simulator.set_workers(0);
        simulator.run_for(secs(10));
        assert!(!simulator.trigger_now(job), "{name:?}");
        assert_eq!(simulator.reschedule(job, every(100).seconds()), Ok(true), "{name:?}");
        simulator.set_workers(1);
        simulator.run_for(secs(1000));
        let expected = ["added 10", "run 10 +0", "end 10 Succeeded", "over"];
        assert_eq!(log.take(), expected, "{name:?}");
    }
}

#[test]
fn a_one_shot_job_ends_if_it_is_rescheduled_to_a_recurrence_without_events() {
    for name in [None, Some("named")] {
        let (mut simulator, log) = simulator();
        let job = Job::once(|_| {});
        let job = if let Some(name) = name { job.name(name) } else { job };
        let job = simulator.once(at(10), job, |_| secs(0)).expect("the job is added");
        assert_eq!(simulator.reschedule(job, schedule!("2005.1.1 00:00:00")), Ok(true));
        assert_eq!(log.take(), ["added 10", "reschedule None", "over"], "{name:?}");
        assert_eq!(simulator.stats().jobs, 0, "{name:?}");
    }
}

#[test]
fn a_job_that_replaces_another_does_not_repeat_an_event() {
    let (clock, scheduler) = scheduler();
    let runs = Log::new();
    let add = |grace| {
        let job = Job::new(runs.job()).name("job").grace(secs(grace)).replace();
        let added = scheduler.add_job(every(1).minutes().from(at(10)), job);
        drop(added.expect("the job is added"));
    };
    add(30);
    clock.advance(secs(20));
    add(30);
    clock.advance(secs(60));
    assert_eq!(runs.take(), [at(10), at(70)]);
}

/// The event is in the past, but jitter delays the job and it has not run.
#[test]
fn reschedule_reports_a_jittered_event_as_skipped() {
    let (clock, scheduler, log) = logged();
    let job = Job::new(|_| {}).name("x").jitter(secs(3600));
    let job = scheduler.add_job(schedule!("*:00:00"), job).expect("the job is added");
    clock.advance(secs(2800));
    assert_eq!(job.next_event(), Some(at(2800)), "jitter delays the run");
    assert_eq!(job.reschedule(schedule!("*:30:00")), Ok(true));
    assert_logged(&log, &["added 2800", "skip 2800-2800 1 Rescheduled", "reschedule Some(4600)"]);
}

#[test]
fn trigger_now_runs_a_job_in_addition_to_its_events() {
    let (clock, scheduler, log) = logged();
    let job = scheduler.add(schedule!("*:*:00"), |_| {}).expect("the job is added");
    clock.advance(secs(10));
    assert!(job.trigger_now());
    clock.advance(secs(30));
    let expected = ["added 40", "run 10 +0", "end 10 Succeeded", "run 40 +0", "end 40 Succeeded"];
    assert_logged(&log, &expected);
    scheduler.close();
    assert!(!job.trigger_now(), "nothing starts after closing");
}

#[test]
fn cancel_reports_passed_events_whose_runs_are_delayed_by_jitter() {
    let (mut simulator, log) = simulator();
    let job = Job::new(|_| {}).name("delayed").jitter(secs(36_000));
    let job = simulator.add(schedule!("*:*:00"), job, |_| secs(0)).expect("the job is added");
    simulator.run_for(secs(130));
    assert!(simulator.cancel(job));
    assert_eq!(log.take(), ["added 40", "cancel [40, 100] Some(160)"]);

    // Only one of the events may run.
    let job = Job::new(|_| {}).name("delayed").jitter(secs(36_000)).most_runs(1);
    let job = simulator.add(schedule!("*:*:00"), job, |_| secs(0)).expect("the job is added");
    simulator.run_for(secs(120));
    assert!(simulator.cancel(job));
    assert_eq!(log.take(), ["added 160", "cancel [160] None"]);

    // A paused job has no due events.
    let job = Job::new(|_| {}).name("delayed").jitter(secs(36_000));
    let job = simulator.add(schedule!("*:*:00"), job, |_| secs(0)).expect("the job is added");
    assert!(simulator.pause(job));
    simulator.run_for(secs(60));
    assert!(simulator.cancel(job));
    assert_eq!(log.take(), ["added 280", "pause", "cancel [] Some(280)"]);
}

#[test]
fn a_one_shot_job_can_be_cancelled_while_it_waits_for_its_instant_or_for_a_worker() {
    let (mut simulator, log) = simulator();
    simulator.set_workers(0);
    let jobs = [10, 10, 60].map(|second| {
        simulator.once(at(second), Job::once(|_| {}), |_| secs(0)).expect("the job is added")
    });
    simulator.run_for(secs(10));
    assert!(simulator.cancel(jobs[2]));
    assert_eq!(simulator.stats().ready, 2, "the cancelled job was not ready");
    assert!(simulator.cancel(jobs[0]));
    assert_eq!(simulator.stats().ready, 1);
    let expected = ["added 10", "added 10", "added 60", "cancel [] Some(60)", "cancel [10] None"];
    assert_eq!(log.take(), expected);
}

#[test]
fn cancel_removes_the_job_and_cancels_the_tokens_of_its_runs() {
    let (clock, scheduler, log) = logged();
    let (job, held) = held();
    let job = job.overlap(Overlap::Queue { max: 3 });
    let job = scheduler.add_job(schedule!("*:*:00"), job).expect("the job is added");
    assert!(job.trigger_now());
    let (run, completion) = receive(&held);
    assert!(job.trigger_now());
    assert!(!run.token().is_cancelled());
    assert!(job.cancel() && !job.cancel());
    assert!(run.token().is_cancelled());
    assert!(!job.pause() && !job.resume() && !job.trigger_now());
    assert_eq!(job.reschedule(every(1).hours()), Ok(false));
    completion.finish(Outcome::Succeeded);
    clock.advance(secs(600));
    assert!(held.try_recv().is_err());
    assert_logged(&log, &["added 40", "run 0 +0", "cancel [0] Some(40)", "end 0 Succeeded"]);

    // This also applies to a one-shot job, which is removed when its run starts.
    let (begun, going) = channel();
    let run = move |run: RunContext| {
        begun.send(run.token().clone()).expect("the test receives it");
        until(|| run.token().is_cancelled());
    };
    let once = scheduler.once(at(0), run).expect("the job is added");
    let token = receive(&going);
    assert!(!token.is_cancelled());
    once.cancel();
    assert!(token.is_cancelled());
}

#[test]
fn jobs_can_use_the_scheduler_that_runs_them() {
    let clock = ManualClock::new(start());
    let scheduler =
        Scheduler::builder().clock(clock.clone()).start().expect("the scheduler starts");
    let ran = Log::new();
    let own = Arc::new(Mutex::new(None::<JobHandle>));
    let other = scheduler.add(schedule!("*:*:30"), ran.job()).expect("the job is added");
    let (own_handle, log, handle): (_, _, SchedulerHandle) =
        (Arc::clone(&own), ran.clone(), scheduler.handle());
    let busy = move |run: RunContext| {
        let own = lock(&own_handle).clone().expect("the job was added");
        match run.number() {
            1 => drop(handle.once(at(0), log.job()).expect("the job is added")),
            2 => assert!(other.cancel()),
            3 => {
                assert!(own.pause() && own.resume() && own.reschedule(every(7).seconds()).is_ok());
                assert!(!own.trigger_now(), "a run is in progress");
                handle.set_workers(Workers::Pool(2)).expect("the workers start");
            }
            4 => assert!(own.cancel() && run.token().is_cancelled()),
            run => panic!("run {run} of a cancelled job"),
        }
    };
    *lock(&own) = Some(scheduler.add(schedule!("*:*:00"), busy).expect("the job is added"));
    clock.advance(secs(45));
    assert_eq!(ran.take(), [at(10), at(0)]);
    clock.advance(secs(600));
    assert_eq!(ran.take(), [at(70)]);
    assert_eq!((scheduler.stats().failed, scheduler.stats().completed), (0, 7));
    let handle = scheduler.handle();
    scheduler
        .add(every(1).seconds(), move |_| {
            handle.close();
        })
        .expect("the job is added");
    clock.advance(secs(600));
    assert!(scheduler.close_and_wait(secs(60)).is_empty());
    assert_eq!(scheduler.stats().completed, 8);
}
