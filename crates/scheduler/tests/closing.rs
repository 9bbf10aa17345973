//! Closing a scheduler: it asks runs to end, waits for them, and returns the ones that have not
//! ended; then its threads end.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use millicron::{Schedule, every, schedule};
use millicron_scheduler::{
    AddErrorKind, Event, Job, Outcome, Overlap, Retry, RunContext, Scheduler, Workers,
};

use crate::support::{
    Log, builder, held, lock, logged, receive, scheduler, secs, start, until, watched,
};

const MINUTES: Schedule = schedule!("*:*:00");

/// Longer than `watched` allows, so a test that waits this long fails.
const TOO_LONG: Duration = secs(900);

/// A job that runs until its token is cancelled.
fn listening(begun: &Log<u64>) -> Job {
    let begun = begun.clone();
    Job::new(move |run: RunContext| {
        begun.add(run.number());
        until(|| run.token().is_cancelled());
    })
}

#[test]
fn runs_that_listen_are_asked_to_end_before_they_are_waited_for() {
    for workers in [Workers::Pool(3), Workers::PerRun] {
        watched(move || {
            let scheduler =
                Scheduler::builder().workers(workers).start().expect("the scheduler starts");
            let begun = Log::new();
            for _ in 0..3 {
                scheduler.once_job(start(), listening(&begun)).expect("the job is added");
            }
            until(|| begun.len() == 3);
            assert!(scheduler.close_and_wait(TOO_LONG).is_empty());
            assert_eq!((scheduler.stats().completed, scheduler.stats().running), (3, 0));
        });
    }
}

#[test]
fn closing_starts_and_accepts_nothing_and_retries_nothing() {
    let (clock, scheduler, log) = logged();
    let (job, held) = held();
    let job = job.overlap(Overlap::Queue { max: 9 }).retry(Retry::constant(secs(1)));
    let handle = scheduler.add_job(MINUTES, job).expect("the job is added");
    assert!(handle.trigger_now() && handle.trigger_now());
    let (run, completion) = receive(&held);
    let closing = scheduler.close();
    assert!(run.token().is_cancelled(), "it is asked to end at once");
    assert!(
        matches!(scheduler.add(MINUTES, |_| {}), Err(error) if matches!(error.kind(), AddErrorKind::Closed))
    );
    assert!(
        matches!(scheduler.once(start(), |_| {}), Err(error) if matches!(error.kind(), AddErrorKind::Closed))
    );
    assert!(!handle.trigger_now());
    completion.finish(Outcome::Failed("later".to_owned()));
    assert!(closing.wait(secs(60)).is_empty());
    clock.advance(secs(600));
    assert!(held.try_recv().is_err(), "neither the queued run nor a retry starts");
    assert_eq!(log.take(), ["added 40", "run 0 +0", "end 0 Failed(\"later\")"]);
}

/// The token of the run is already cancelled, which is all that its time-out does.
#[test]
fn after_closing_ends_are_reported_but_time_outs_are_not() {
    let (clock, scheduler, log) = logged();
    let (job, held) = held();
    scheduler.once_job(start(), job.timeout(secs(5))).expect("the job is added");
    let (_, completion) = receive(&held);
    let closing = scheduler.close();
    clock.advance(secs(10));
    drop(completion);
    assert!(closing.wait(secs(60)).is_empty());
    assert_eq!(scheduler.stats().timed_out, 0);
    assert_eq!(log.take(), ["added 0", "run 0 +0", "end 0 Abandoned"]);
}

#[test]
fn a_scheduler_may_be_closed_more_than_once() {
    let (_clock, scheduler) = scheduler();
    let (job, held) = held();
    scheduler.once_job(start(), job).expect("the job is added");
    let (_, completion) = receive(&held);
    let (first, second) = (scheduler.close(), scheduler.handle().close());
    assert_eq!(first.wait(Duration::ZERO).len(), 1);
    completion.finish(Outcome::Succeeded);
    assert!(second.wait(secs(60)).is_empty());
    assert!(scheduler.close_and_wait(secs(60)).is_empty());
}

/// The observer receives the ends of the last runs before closing ends.
#[test]
fn ends_are_observed_before_closing_ends() {
    watched(|| {
        let (ends, (_clock, builder)) = (Log::new(), builder());
        let sink = ends.clone();
        let observer = move |event: &Event| {
            if let Event::Finished { run, .. } = event {
                std::thread::yield_now();
                sink.add(run.job_name().to_string());
            }
        };
        let builder = builder.observer(observer).workers(Workers::PerRun);
        let scheduler = builder.start().expect("the scheduler starts");
        let begun = Log::new();
        for _ in 0..20 {
            scheduler.once_job(start(), listening(&begun)).expect("the job is added");
        }
        until(|| begun.len() == 20);
        assert!(scheduler.close_and_wait(TOO_LONG).is_empty());
        assert_eq!(ends.len(), 20);
    });
}

/// Logs that its thread has ended, which takes a while.
struct ThreadEnd(Log<()>);

impl Drop for ThreadEnd {
    fn drop(&mut self) {
        for _ in 0..10_000 {
            std::thread::yield_now();
        }
        self.0.add(());
    }
}

#[test]
fn the_thread_of_the_observer_has_ended_when_closing_ends() {
    thread_local! {
        static END: RefCell<Option<ThreadEnd>> = const { RefCell::new(None) };
    }
    let (ended, (_clock, builder)) = (Log::new(), builder());
    let sink = ended.clone();
    let observer = move |_: &Event| {
        END.with_borrow_mut(|end| {
            end.get_or_insert_with(|| ThreadEnd(sink.clone()));
        });
    };
    let scheduler = builder.observer(observer).start().expect("the scheduler starts");
    scheduler.add(MINUTES, |_| {}).expect("the job is added");
    assert!(scheduler.close_and_wait(secs(60)).is_empty());
    assert_eq!(ended.len(), 1);
}

/// The drop must not wait for the job, which would wait for itself.
#[test]
fn a_job_may_drop_the_scheduler_that_runs_it() {
    for workers in [Workers::Pool(1), Workers::PerRun] {
        watched(move || {
            let scheduler =
                Scheduler::builder().workers(workers).start().expect("the scheduler starts");
            let owner = Arc::new(Mutex::new(None::<Scheduler>));
            let (taken, (ended, end)) = (Arc::clone(&owner), channel());
            let job = scheduler.once_job(start() + secs(1 << 32), {
                let ended = Mutex::new(ended);
                Job::new(move |run: RunContext| {
                    drop(lock(&taken).take().expect("it is dropped once"));
                    lock(&ended).send(run.token().is_cancelled()).expect("the test receives it");
                })
            });
            let job = job.expect("the job is added");
            *lock(&owner) = Some(scheduler);
            assert!(job.trigger_now());
            assert!(receive(&end), "its token is cancelled");
        });
    }
}

#[test]
fn dropping_a_scheduler_does_not_wait_for_runs() {
    watched(|| {
        let is_open = Arc::new(AtomicBool::new(false));
        let (begun, opened, ended) = (Log::new(), Arc::clone(&is_open), Log::new());
        let (log, end) = (begun.clone(), ended.clone());
        let scheduler = Scheduler::new().expect("the scheduler starts");
        let run = move |run: RunContext| {
            log.add(run.token().clone());
            until(|| opened.load(Ordering::Relaxed));
            end.add(());
        };
        scheduler.once(start(), run).expect("the job is added");
        until(|| begun.len() == 1);
        drop(scheduler);
        assert!(begun.take()[0].is_cancelled());
        is_open.store(true, Ordering::Relaxed);
        until(|| ended.len() == 1);
    });
}

/// The number of threads of this process.
#[cfg(target_os = "linux")]
fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").expect("this is Linux").count()
}

#[cfg(target_os = "linux")]
#[test]
fn all_threads_have_ended_when_a_scheduler_is_closed_or_dropped() {
    use crate::support::LogRuns as _;

    if crate::support::in_child(
        "closing::all_threads_have_ended_when_a_scheduler_is_closed_or_dropped",
    )
    .is_some()
    {
        return;
    }
    let before = threads();
    for workers in [Workers::Pool(5), Workers::PerRun] {
        for is_dropped in [false, true] {
            let (clock, builder) = builder();
            let builder = builder.observer(|_: &Event| {}).workers(workers);
            let scheduler = builder.start().expect("the scheduler starts");
            let runs = Log::new();
            for second in 0..20 {
                scheduler.once(start() + secs(second), runs.job()).expect("the job is added");
            }
            scheduler.add(every(1).seconds(), runs.job()).expect("the job is added");
            clock.advance(secs(30));
            scheduler.set_workers(Workers::Pool(2)).expect("the workers start");
            assert!(runs.len() >= 50 && threads() > before + 2);
            // The timer, the observer and two workers: surplus workers have ended.
            until(|| threads() == before + 4);
            if !is_dropped {
                assert!(scheduler.close_and_wait(secs(60)).is_empty());
                // The kernel lists a thread for a moment after it was joined.
                until(|| threads() == before);
            }
            drop(scheduler);
            until(|| threads() == before);
        }
    }
}

#[cfg(feature = "tokio")]
mod awaited {
    use std::future::pending;
    #[cfg(unix)]
    use std::task::{Context, Wake, Waker};

    use tokio::runtime::Builder;

    use super::*;

    /// Runs a future on a runtime with a single thread.
    fn on_one_thread(work: impl Future<Output = ()> + Send + 'static) {
        watched(move || {
            let runtime = Builder::new_current_thread().enable_all().build();
            runtime.expect("the runtime starts").block_on(work);
        });
    }

    #[test]
    fn a_runtime_with_one_thread_awaits_its_own_runs() {
        on_one_thread(async {
            let scheduler = Scheduler::new().expect("the scheduler starts");
            let ended = Log::new();
            let sink = ended.clone();
            let run = move |run: RunContext| {
                let sink = sink.clone();
                async move {
                    run.token().cancelled().await;
                    tokio::task::yield_now().await;
                    sink.add(run.number());
                }
            };
            let job = scheduler.add(every(1).hours(), run).expect("the job is added");
            assert!(job.trigger_now());
            while scheduler.stats().running == 0 {
                tokio::task::yield_now().await;
            }
            scheduler.close().await;
            assert_eq!(ended.take(), [1]);
            assert!(scheduler.close().within(TOO_LONG).await.is_empty());
        });
    }

    #[test]
    fn closing_within_a_time_returns_what_has_not_ended() {
        on_one_thread(async {
            let scheduler = Scheduler::new().expect("the scheduler starts");
            let job = scheduler.add_job(MINUTES, Job::new(|_| pending::<()>()).name("endless"));
            assert!(job.expect("the job is added").trigger_now());
            while scheduler.stats().running == 0 {
                tokio::task::yield_now().await;
            }
            let left = scheduler.close().within(Duration::from_millis(1)).await;
            assert_eq!(left.len(), 1);
            assert_eq!(left[0].job_name().to_string(), "endless");
            assert!(left[0].token().is_cancelled());
        });
    }

    #[test]
    fn an_idle_scheduler_is_closed_at_once() {
        on_one_thread(async {
            Scheduler::new().expect("the scheduler starts").close().await;
            let scheduler = Scheduler::new().expect("the scheduler starts");
            scheduler.add(MINUTES, |_| {}).expect("the job is added");
            assert!(scheduler.close().within(TOO_LONG).await.is_empty());
        });
    }

    #[test]
    fn a_scheduler_runs_until_a_future_completes() {
        on_one_thread(async {
            let scheduler = Scheduler::new().expect("the scheduler starts");
            let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
            let ended = Log::new();
            let sink = ended.clone();
            let run = move |run: RunContext| {
                let sink = sink.clone();
                sender.send(run.number()).expect("the test receives it");
                async move {
                    run.token().cancelled().await;
                    sink.add(run.number());
                }
            };
            scheduler.add(every(1).milliseconds(), run).expect("the job is added");
            let handle = scheduler.handle();
            let first_run = async move { receiver.recv().await };
            let left =
                scheduler.run_until(first_run, TOO_LONG).await.expect("signals are received");
            assert!(left.is_empty());
            assert_eq!(ended.take(), [1], "the run is waited for, and no other starts");
            assert!(
                matches!(handle.add(MINUTES, |_| {}), Err(error) if matches!(error.kind(), AddErrorKind::Closed))
            );
        });
    }

    #[test]
    fn a_runtime_without_an_io_driver_is_an_error() {
        let runtime = Builder::new_current_thread().build().expect("a runtime");
        let scheduler = Scheduler::new().expect("the scheduler starts");
        let handle = scheduler.handle();
        let ran = runtime.block_on(scheduler.run_until(pending::<()>(), TOO_LONG));
        ran.expect_err("signals cannot be received");
        assert!(handle.add(MINUTES, |_| {}).is_err(), "it is closed");
    }

    /// Starts the test as a child, and sends it `SIGTERM` after its first line, and again and again after its second line
    /// if `repeats` says so. Returns all lines.
    #[cfg(unix)]
    fn terminated(mut child: std::process::Command, repeats: bool) -> Vec<String> {
        use std::io::{BufRead as _, BufReader};
        use std::process::{Command, Stdio};

        let mut child = child.stderr(Stdio::piped()).spawn().expect("the child starts");
        let errors = child.stderr.take().expect("it is piped");
        let mut read = BufReader::new(errors).lines().map(|line| line.expect("UTF-8"));
        let id = child.id().to_string();
        let terminate = || {
            let killed = Command::new("kill").args(["-TERM", &id]).status();
            assert!(killed.expect("the command exists").success());
        };
        let mut lines = Vec::from_iter(read.next());
        terminate();
        lines.extend(read.next());
        let rest = std::thread::spawn(move || read.collect::<Vec<_>>());
        while repeats && !rest.is_finished() {
            // Not yet waited for, the process exists.
            terminate();
            std::thread::sleep(Duration::from_millis(50));
        }
        lines.extend(rest.join().expect("the lines are read"));
        assert!(child.wait().expect("the child ends").success());
        lines
    }

    /// A waker that takes longer than the time within which a signal counts as the same one.
    #[cfg(unix)]
    struct Slow;

    #[cfg(unix)]
    impl Wake for Slow {
        fn wake(self: Arc<Self>) {
            std::thread::sleep(Duration::from_millis(1100));
        }
    }

    /// The child's part of the tests: its run ends once it is cancelled, or never. If `listens` says so, the program
    /// itself waits for `SIGTERM`, too.
    #[cfg(unix)]
    fn run_until_terminated(ends: bool, listens: bool) {
        use tokio::signal::unix::{SignalKind, signal};

        on_one_thread(async move {
            let scheduler = Scheduler::new().expect("the scheduler starts");
            let run = move |run: RunContext| async move {
                let mut slow = Box::pin(run.token().cancelled());
                if listens {
                    // Closing the scheduler wakes it, and takes as long.
                    let waker = Waker::from(Arc::new(Slow));
                    assert!(slow.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
                }
                eprintln!("run begins");
                run.token().cancelled().await;
                if !ends {
                    eprintln!("run goes on");
                    pending::<()>().await;
                }
                eprintln!("run ends");
            };
            scheduler.add(every(1).milliseconds(), run).expect("the job is added");
            let mut terminated = signal(SignalKind::terminate()).expect("signals are received");
            let end = async {
                if listens {
                    terminated.recv().await;
                } else {
                    pending::<()>().await;
                }
            };
            let left = scheduler.run_until(end, TOO_LONG).await;
            match left.expect("signals are received").len() {
                0 => eprintln!("drained"),
                left => eprintln!("{left} left"),
            }
        });
    }

    /// The child reports its first run, and after `SIGTERM` ends once that run has ended.
    #[cfg(unix)]
    #[test]
    fn a_scheduler_runs_until_the_process_is_asked_to_end() {
        let name = "closing::awaited::a_scheduler_runs_until_the_process_is_asked_to_end";
        let Some(child) = crate::support::child(name) else {
            return run_until_terminated(true, false);
        };
        watched(move || {
            assert_eq!(terminated(child, false), ["run begins", "run ends", "drained"]);
        });
    }

    /// Once it has ended the future, the signal is still to be received.
    #[cfg(unix)]
    #[test]
    fn a_signal_that_also_ends_the_future_is_no_second_one() {
        let name = "closing::awaited::a_signal_that_also_ends_the_future_is_no_second_one";
        let Some(child) = crate::support::child(name) else {
            return run_until_terminated(true, true);
        };
        watched(move || {
            assert_eq!(terminated(child, false), ["run begins", "run ends", "drained"]);
        });
    }

    /// The run of the child ignores that it is cancelled.
    #[cfg(unix)]
    #[test]
    fn a_second_signal_ends_the_wait_for_runs() {
        let name = "closing::awaited::a_second_signal_ends_the_wait_for_runs";
        let Some(child) = crate::support::child(name) else {
            return run_until_terminated(false, false);
        };
        watched(move || {
            assert_eq!(terminated(child, true), ["run begins", "run goes on", "1 left"]);
        });
    }
}
