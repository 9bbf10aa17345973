//! What becomes of events that can not simply run at their time, and of jobs that
//! are told what to do.

use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use crate::support::{Log, at, lock, receive, secs, short, start, until};
use millicron::{every, schedule};
use millicron_scheduler::{
    Completion, Event, Job, ManualClock, Missed, Outcome, Overlap, RunContext, Scheduler,
    SchedulerHandle, Simulator,
};

/// A scheduler whose observer notes in short what it is told.
fn watched() -> (ManualClock, Scheduler, Log<String>) {
    let (clock, story) = (ManualClock::new(start()), Log::new());
    let told = story.clone();
    let builder = Scheduler::builder().clock(clock.clone());
    let observer = move |event: &Event| told.add(short(event));
    (clock, builder.observer(observer).start().expect("there are threads"), story)
}

/// All that was told. What several threads tell has no order; that of the machine
/// is asked of a [`Simulator`].
fn assert_told(story: &Log<String>, expected: &[&str]) {
    let (mut told, mut expected) = (story.take(), expected.to_vec());
    told.sort();
    expected.sort_unstable();
    assert_eq!(told, expected);
}

/// A job whose runs end when they are told to.
fn held() -> (Job, Receiver<(RunContext, Completion)>) {
    let (begun, held): (Sender<(RunContext, Completion)>, _) = channel();
    let begun = Mutex::new(begun);
    let job = Job::deferred(move |run, completion| {
        lock(&begun).send((run, completion)).expect("somebody waits for it");
    });
    (job, held)
}

#[test]
fn missed_events_go_by_their_policy() {
    let minutes = schedule!("*:*:00");
    // At 40, 100, … 340, and set to 345 or to 370: of an hour's grace nothing is late.
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
        let (clock, scheduler, story) = watched();
        // The last is missed if it is longer ago than ten seconds.
        let job = Job::new(|_| {}).missed(missed).grace(secs(10));
        scheduler.add_job(minutes.clone(), job).expect("there is room");
        clock.set(at(now));
        let mut told = story.take();
        told.retain(|it| !it.starts_with("end") && it != "added 40");
        told.sort();
        let mut expected = expected.to_vec();
        expected.sort_unstable();
        assert_eq!(told, expected, "{missed:?}");
    }
}

#[test]
fn grace_is_how_late_is_not_missed() {
    for (grace, late, is_run) in [(10, 10, true), (10, 11, false), (0, 0, true), (0, 1, false)] {
        let (clock, scheduler, story) = watched();
        let job = Job::new(|_| {}).missed(Missed::Skip).grace(secs(grace));
        scheduler.add_job(schedule!("*:*:00"), job).expect("there is room");
        clock.set(at(40 + late));
        assert_eq!(story.take().contains(&"run 40 +0".to_owned()), is_run, "{grace} {late}");
        assert_eq!(scheduler.stats().missed, u64::from(!is_run));
    }
}

#[test]
fn a_clock_set_back_runs_no_event_twice_and_none_before_its_time() {
    let clock = ManualClock::new(start());
    let scheduler = Scheduler::builder().clock(clock.clone()).start().expect("there are threads");
    let ran = Log::new();
    let job = scheduler.add(schedule!("*:*:00"), ran.job()).expect("there is room");
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
fn overlaps_go_by_their_policy() {
    // At 40, 100, 160 and 220, while the run of 40 goes on.
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
        // The first takes until 230, the others no time.
        let takes = |run: &RunContext| if run.number() == 1 { secs(190) } else { secs(200) };
        simulator.add(schedule!("*:*:00"), job, takes).expect("there is room");
        simulator.run_for(secs(229));
        let begun_then = [&[at(40)][..], &beside.iter().map(|it| at(*it)).collect::<Vec<_>>()];
        assert_eq!(begun.take(), begun_then.concat(), "{overlap:?}");
        assert_eq!(simulator.stats().skipped, skipped, "{overlap:?}");
        simulator.run_for(secs(2));
        let queued: &[SystemTime] =
            if skipped == 1 && beside.is_empty() { &[at(100)] } else { &[] };
        assert_eq!(begun.take(), queued, "{overlap:?}");
    }
}

#[test]
fn a_run_that_is_held_holds_the_one_behind_it() {
    let (clock, scheduler, story) = watched();
    let (job, held) = held();
    let queue = job.overlap(Overlap::Queue { max: 1 });
    let handle = scheduler.add_job(schedule!("*:*:00"), queue).expect("there is room");
    // The clock can not wait for runs that are held, so another thread sets it.
    let setter = clock.clone();
    let thread = std::thread::spawn(move || setter.set(at(40)));
    let (run, first) = receive(&held);
    assert_eq!(run.scheduled(), at(40));
    assert!(handle.trigger_now(), "it waits");
    assert!(!handle.trigger_now(), "one may wait");
    assert_eq!(scheduler.stats().running, 1);
    first.finish(Outcome::Succeeded);
    let (run, second) = receive(&held);
    // It is not the run of the event, which has that instant.
    let after = at(40) + Duration::from_nanos(1);
    assert_eq!((run.scheduled(), run.number()), (after, 2));
    drop(second);
    thread.join().expect("no panics");
    assert_eq!(scheduler.stats().failed, 1, "it was abandoned");
    let story = story.take();
    assert!(story.contains(&"skip 40-40 1 Overlap".to_owned()), "{story:?}");
    assert!(story.contains(&"end 40 Abandoned".to_owned()), "{story:?}");
}

/// What is coalesced into a run that the overlap refuses is told of as skipped, and
/// as nothing else.
#[test]
fn what_a_skipped_run_stands_for_is_skipped_with_it() {
    let story = Log::new();
    let told = story.clone();
    let mut simulator =
        Simulator::new(start()).observer(move |event: &Event| told.add(short(event)));
    let takes = |_: &RunContext| secs(1000);
    simulator.add(schedule!("*:*:00"), Job::new(|_| {}), takes).expect("there is room");
    simulator.run_for(secs(40));
    simulator.stall(secs(310));
    assert_eq!(story.take(), ["added 40", "run 40 +0", "skip 100-340 5 Overlap"]);
    assert_eq!(simulator.stats().skipped, 5);
    assert_eq!(simulator.stats().missed, 5);
}

#[test]
fn missed_events_that_all_run_do_so_one_after_the_other() {
    let mut simulator = Simulator::new(start());
    let begun = Log::new();
    let job = Job::new(begun.job()).missed(Missed::All { max: 3 });
    simulator.add(schedule!("*:*:00"), job, |_| secs(5)).expect("there is room");
    simulator.stall(secs(350));
    assert_eq!(begun.take(), [at(220)]);
    simulator.run_for(secs(5));
    assert_eq!(begun.take(), [at(280)]);
    simulator.run_for(secs(5));
    assert_eq!(begun.take(), [at(340)]);
}

#[test]
fn jitter_is_of_the_name_and_below_its_bound() {
    let delays = |names: &[String], most: Duration| -> Vec<Duration> {
        let mut simulator = Simulator::new(start());
        let late = Log::new();
        for name in names {
            let told = late.clone();
            let run =
                move |run: &RunContext| told.add((run.job_name().to_string(), run.lateness()));
            let job = Job::new(run).name(name.clone()).jitter(most);
            simulator.add(schedule!("*:00:00"), job, |_| secs(0)).expect("there is room");
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
    assert_eq!(minute, delays(&names, secs(60)), "it is the same at each start");
    assert!(minute.iter().all(|delay| *delay < secs(60)));
    // Names that differ in a letter are spread over all tenths.
    let tenths: BTreeSet<u64> = minute.iter().map(|delay| delay.as_secs() / 6).collect();
    assert_eq!(tenths.len(), 10, "{minute:?}");
    let distinct: BTreeSet<Duration> = minute.iter().copied().collect();
    assert_eq!(distinct.len(), 100);
    assert_eq!(delays(&names[..1], secs(120))[0].as_nanos() / 2, minute[0].as_nanos());
    assert!(delays(&names, Duration::ZERO).iter().all(Duration::is_zero));
}

#[test]
fn a_paused_job_skips_its_events_until_it_is_resumed() {
    let (clock, scheduler, story) = watched();
    let job = scheduler.add(schedule!("*:*:00"), |_| {}).expect("there is room");
    assert!(job.pause() && !job.pause());
    assert_eq!(job.next_event(), None);
    clock.advance(secs(200));
    assert!(job.resume() && !job.resume());
    assert_eq!(job.next_event(), Some(at(220)));
    // Without an event between, nothing is skipped.
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
    assert_told(&story, &expected);

    // One that is resumed when the clock was set back runs no event twice.
    assert!(job.pause());
    clock.set(at(50));
    assert!(job.resume());
    assert_eq!(job.next_event(), Some(at(280)));
    // A paused job runs when it is triggered, and stays paused.
    assert!(job.pause() && job.trigger_now());
    clock.advance(secs(1000));
    assert_eq!((job.next_event(), scheduler.stats().completed), (None, 2));
    assert!(job.cancel());
    let told = story.take();
    assert_eq!(told.last().map(String::as_str), Some("cancel [] Some(280)"), "{told:?}");
}

#[test]
fn a_job_that_runs_once_is_paused_resumed_and_rescheduled() {
    for name in [None, Some("named")] {
        let (clock, scheduler, story) = watched();
        let job = Job::once(|_| {});
        let job = if let Some(name) = name { job.name(name) } else { job };
        let job = scheduler.once_job(at(10), job).expect("there is room");
        assert!(job.pause());
        clock.advance(secs(20));
        assert_eq!(job.reschedule(every(1).hours()), Ok(true));
        clock.advance(secs(4000));
        assert_eq!(job.next_event(), None);
        assert!(job.resume());
        clock.advance(secs(0));
        assert_eq!(job.reschedule(every(1).hours()), Ok(false), "it is gone");
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
        assert_told(&story, &expected);
        assert_eq!((scheduler.stats().waiting, scheduler.stats().completed), (0, 1));
    }
}

#[test]
fn a_job_that_runs_once_and_is_triggered_does_so_in_place_of_later() {
    for name in [None, Some("named")] {
        for is_paused in [false, true] {
            let (clock, scheduler, story) = watched();
            let job = Job::once(|_| {});
            let job = if let Some(name) = name { job.name(name) } else { job };
            let job = scheduler.once_job(at(10), job).expect("there is room");
            assert!(!is_paused || job.pause());
            assert!(job.trigger_now());
            clock.advance(secs(100));
            assert!(!job.trigger_now(), "it has run");
            let mut expected = Vec::from(["added 10", "run 0 +0", "end 0 Succeeded", "over"]);
            if is_paused {
                expected.insert(1, "pause");
            }
            assert_told(&story, &expected);
            assert_eq!(scheduler.stats().completed, 1);
        }
    }
}

#[test]
fn a_timetable_is_changed_from_now_on() {
    let (clock, scheduler, story) = watched();
    let job = scheduler.add(schedule!("*:*:00"), |_| {}).expect("there is room");
    clock.advance(secs(50));
    assert_eq!(job.reschedule(every(100).seconds()), Ok(true));
    assert_eq!(job.next_event(), Some(at(150)));
    assert!(job.reschedule(every(0).days()).is_err());
    clock.advance(secs(110));
    assert!(job.pause());
    clock.advance(secs(100));
    assert_eq!(job.reschedule(schedule!("*:*:10")), Ok(true));
    assert_eq!(job.next_event(), None, "it stays paused");
    clock.advance(secs(15));
    assert!(job.resume());
    assert_eq!(job.next_event(), Some(at(290)));
    // One without events is the end.
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
    assert_told(&story, &expected);
}

/// The event is before now, but the job was put off and has not run.
#[test]
fn an_event_that_is_put_off_is_told_of_when_the_timetable_is_changed() {
    let (clock, scheduler, story) = watched();
    let job = Job::new(|_| {}).name("x").jitter(secs(3600));
    let job = scheduler.add_job(schedule!("*:00:00"), job).expect("there is room");
    clock.advance(secs(2800));
    assert_eq!(job.next_event(), Some(at(2800)), "the name puts it off");
    assert_eq!(job.reschedule(schedule!("*:30:00")), Ok(true));
    assert_told(&story, &["added 2800", "skip 2800-2800 1 Rescheduled", "reschedule Some(4600)"]);
}

#[test]
fn a_job_is_triggered_beside_its_events() {
    let (clock, scheduler, story) = watched();
    let job = scheduler.add(schedule!("*:*:00"), |_| {}).expect("there is room");
    clock.advance(secs(10));
    assert!(job.trigger_now());
    clock.advance(secs(30));
    let expected = ["added 40", "run 10 +0", "end 10 Succeeded", "run 40 +0", "end 40 Succeeded"];
    assert_told(&story, &expected);
    scheduler.close();
    assert!(!job.trigger_now(), "nothing starts any more");
}

#[test]
fn a_cancelled_job_is_gone_and_its_runs_know() {
    let (clock, scheduler, story) = watched();
    let (job, held) = held();
    let job = job.overlap(Overlap::Queue { max: 3 });
    let job = scheduler.add_job(schedule!("*:*:00"), job).expect("there is room");
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
    assert_told(&story, &["added 40", "run 0 +0", "cancel [0] Some(40)", "end 0 Succeeded"]);

    // Also one that runs once, and is gone when it begins.
    let (begun, going) = channel();
    let run = move |run: &RunContext| {
        begun.send(run.token().clone()).expect("it is awaited");
        until(|| run.token().is_cancelled());
    };
    let once = scheduler.once(at(0), run).expect("there is room");
    let token = receive(&going);
    assert!(!token.is_cancelled());
    once.cancel();
    assert!(token.is_cancelled());
}

#[test]
fn jobs_add_cancel_and_close_from_within() {
    let clock = ManualClock::new(start());
    let scheduler = Scheduler::builder().clock(clock.clone()).start().expect("there are threads");
    let ran = Log::new();
    let own = Arc::new(Mutex::new(None::<millicron_scheduler::JobHandle>));
    let other = scheduler.add(schedule!("*:*:30"), ran.job()).expect("there is room");
    let (handle, log, remote): (_, _, SchedulerHandle) =
        (Arc::clone(&own), ran.clone(), scheduler.handle());
    let busy = move |run: &RunContext| {
        let own = lock(&handle).clone().expect("it is there");
        match run.number() {
            1 => drop(remote.once(at(0), log.job()).expect("there is room")),
            2 => assert!(other.cancel()),
            3 => {
                assert!(own.pause() && own.resume() && own.reschedule(every(7).seconds()).is_ok());
                assert!(!own.trigger_now(), "it is going");
                remote.set_workers(millicron_scheduler::Workers::Pool(2)).expect("threads");
            }
            4 => assert!(own.cancel() && run.token().is_cancelled()),
            run => panic!("run {run} of a job that is cancelled"),
        }
    };
    *lock(&own) = Some(scheduler.add(schedule!("*:*:00"), busy).expect("there is room"));
    clock.advance(secs(45));
    assert_eq!(ran.take(), [at(10), at(0)]);
    clock.advance(secs(600));
    assert_eq!(ran.take(), [at(70)]);
    assert_eq!((scheduler.stats().failed, scheduler.stats().completed), (0, 7));
    let remote = scheduler.handle();
    scheduler.add(every(1).seconds(), move |_| remote.close()).expect("there is room");
    clock.advance(secs(600));
    assert!(scheduler.close_and_wait(secs(60)).is_empty());
    assert_eq!(scheduler.stats().completed, 8);
}
