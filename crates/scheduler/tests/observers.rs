//! Observers, subscribers, recorders and destructors that are slow or panic.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Barrier};
use std::time::Duration;

use millicron::{Schedule, every, schedule};
#[cfg(any(feature = "tracing", feature = "metrics"))]
use millicron_scheduler::ManualClock;
use millicron_scheduler::{Event, Job, RunContext, Scheduler, Workers};

use crate::support::{Log, LogRuns as _, at, builder, secs, simulator, start, until, watched};

const MINUTES: Schedule = schedule!("*:*:00");

/// An observer that logs what panicked, and with which message.
fn panics(log: &Log<(&'static str, String)>) -> impl Fn(&Event) + Send + Sync + 'static {
    let log = log.clone();
    move |event: &Event| {
        if let Event::Panicked { during, message } = event {
            log.add((*during, message.clone()));
        }
    }
}

/// Asserts that all workers of a pool are alive: as many runs can be in progress at once.
fn assert_workers_live(scheduler: &Scheduler, workers: usize) {
    let all = Arc::new(Barrier::new(workers));
    let completed = scheduler.stats().completed;
    for _ in 0..workers {
        let all = Arc::clone(&all);
        let run = move |_: RunContext| {
            all.wait();
        };
        scheduler.once(start(), run).expect("the job is added");
    }
    until(|| scheduler.stats().completed == completed + workers as u64);
}

#[test]
fn an_observer_that_blocks_stops_neither_the_timer_nor_the_workers() {
    watched(|| {
        let is_open = Arc::new(AtomicBool::new(false));
        let (opened, received) = (Arc::clone(&is_open), Log::new());
        let sink = received.clone();
        let observer = move |event: &Event| {
            until(|| opened.load(Ordering::Relaxed));
            sink.add(matches!(event, Event::Finished { .. }));
        };
        let scheduler =
            Scheduler::builder().observer(observer).start().expect("the scheduler starts");
        let job = scheduler.add(every(1).milliseconds(), |_| {}).expect("the job is added");
        for _ in 0..100 {
            scheduler.once(start(), |_| {}).expect("the job is added");
        }
        until(|| scheduler.stats().completed >= 200);
        assert!(received.is_empty());
        job.cancel();
        is_open.store(true, Ordering::Relaxed);
        assert!(scheduler.close_and_wait(secs(60)).is_empty());
        let ends = received.take().into_iter().filter(|is_end| *is_end).count();
        assert_eq!(ends as u64, scheduler.stats().completed, "none is lost");
    });
}

#[test]
fn events_beyond_what_may_wait_are_lost_counted_and_reported() {
    watched(|| {
        let [is_called, is_open] = [(); 2].map(|()| Arc::new(AtomicBool::new(false)));
        let (called, opened) = (Arc::clone(&is_called), Arc::clone(&is_open));
        let (received, lost) = (Log::new(), Log::new());
        let (sink, losses) = (received.clone(), lost.clone());
        let observer = move |event: &Event| {
            called.store(true, Ordering::Relaxed);
            until(|| opened.load(Ordering::Relaxed));
            match event {
                Event::Lost { count } => losses.add((*count, sink.len())),
                event => sink.add(event.job_name().map(ToString::to_string)),
            }
        };
        let (clock, builder) = builder();
        let scheduler = builder.observer(observer).start().expect("the scheduler starts");
        // The observer has taken the first event; 65,536 more may wait.
        scheduler.add(MINUTES, |_| {}).expect("the job is added");
        until(|| is_called.load(Ordering::Relaxed));
        let added: u64 = 1 + 2 * 40_000;
        for _ in 0..40_000 {
            assert!(scheduler.add(MINUTES, |_| {}).expect("the job is added").cancel());
        }
        let count = scheduler.stats().lost_events;
        assert_eq!(count, added - 1 - 65_536);
        is_open.store(true, Ordering::Relaxed);
        until(|| lost.len() == 1 && received.len() as u64 == added - count);
        assert_eq!(lost.take(), [(count, received.len())], "they are reported where they lack");
        // After that, nothing is lost.
        scheduler.add(MINUTES, |_| {}).expect("the job is added");
        clock.advance(Duration::ZERO);
        assert_eq!(received.len() as u64, added - count + 1);
        assert_eq!((scheduler.stats().lost_events, lost.len()), (count, 0));
    });
}

#[test]
fn a_simulation_loses_no_events() {
    const RUNS: u64 = 70_000;
    let (mut simulator, log) = simulator();
    for _ in 0..RUNS {
        simulator.once(at(10), Job::new(|_| {}), |_| secs(0)).expect("the job is added");
    }
    // All runs start at one instant, and then end.
    simulator.run_for(secs(10));
    let starts = log.take().into_iter().filter(|event| event.starts_with("run ")).count();
    assert_eq!((starts as u64, simulator.stats().lost_events), (RUNS, 0));
    assert_eq!(simulator.stats().completed, RUNS);
}

#[test]
fn an_observer_may_use_the_scheduler() {
    watched(|| {
        let handle = Arc::new(std::sync::OnceLock::<millicron_scheduler::SchedulerHandle>::new());
        let (used, (clock, builder)) = (Arc::clone(&handle), builder());
        let runs = Log::new();
        let sink = runs.clone();
        let observer = move |event: &Event| {
            if let (Event::Finished { run, .. }, Some(handle)) = (event, used.get())
                && run.number() == 1
                && run.scheduled() < at(200)
            {
                let next = run.scheduled() + secs(60);
                handle.once(next, sink.job()).expect("the job is added");
                assert!(handle.stats().waiting > 0 && handle.jobs().count() > 0);
            }
        };
        let scheduler = builder.observer(observer).start().expect("the scheduler starts");
        handle.set(scheduler.handle()).expect("it is set once");
        scheduler.once(at(10), |_| {}).expect("the job is added");
        clock.advance(secs(1000));
        assert_eq!(runs.take(), [70, 130, 190, 250].map(at));
    });
}

#[test]
fn an_observer_that_panics_receives_all_further_events() {
    let received = Arc::new(AtomicU64::new(0));
    let (count, (clock, builder)) = (Arc::clone(&received), builder());
    let observer = move |_: &Event| {
        count.fetch_add(1, Ordering::Relaxed);
        std::panic::resume_unwind(Box::new("an observer"));
    };
    let builder = builder.observer(observer).workers(Workers::Pool(2));
    let scheduler = builder.start().expect("the scheduler starts");
    scheduler.add(every(1).seconds(), |_| {}).expect("the job is added");
    clock.advance(secs(500));
    assert_eq!(received.load(Ordering::Relaxed), 1 + 2 * 500);
    assert_workers_live(&scheduler, 2);
}

/// Panics on drop.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        std::panic::resume_unwind(Box::new("a bomb"));
    }
}

fn bomb() -> impl Fn(RunContext) + Send + Sync {
    let bomb = Bomb;
    move |_| assert!(size_of_val(&bomb) == 0)
}

#[test]
fn a_destructor_that_panics_is_reported_and_ends_no_thread() {
    let (log, (clock, builder)) = (Log::new(), builder());
    let builder = builder.observer(panics(&log)).workers(Workers::Pool(2));
    let scheduler = builder.start().expect("the scheduler starts");
    let bombs = 6;
    for index in 0..bombs {
        match index % 3 {
            0 => drop(scheduler.add(MINUTES, bomb()).expect("the job is added").cancel()),
            // The job is removed by a worker when its run ends, or by the timer.
            1 => drop(scheduler.once_job(at(1), Job::new(bomb())).expect("the job is added")),
            _ => {
                let job = Job::new(bomb()).missed(millicron_scheduler::Missed::Skip);
                drop(scheduler.once_job(start() - secs(60), job).expect("the job is added"));
            }
        }
    }
    clock.advance(secs(1));
    until(|| log.len() == bombs);
    assert_eq!(log.take(), vec![("a destructor", "a bomb".to_owned()); bombs]);
    assert_workers_live(&scheduler, 2);
    clock.advance(secs(60));
}

/// The thread of the observer has ended, so nothing receives the panic.
#[test]
fn closing_again_does_not_wait_for_a_panic_that_nobody_observes() {
    watched(|| {
        let (_clock, builder) = builder();
        let scheduler = builder.observer(|_: &Event| {}).start().expect("the scheduler starts");
        let job = scheduler.add(MINUTES, bomb()).expect("the job is added");
        assert!(scheduler.close_and_wait(secs(60)).is_empty());
        assert!(job.cancel(), "its destructor panics");
        // Ten times longer than `watched` allows.
        assert!(scheduler.close_and_wait(secs(900)).is_empty());
    });
}

/// A scheduler with two workers whose jobs succeed and fail. Each run must end.
#[cfg(any(feature = "tracing", feature = "metrics"))]
fn run_all(log: &Log<(&'static str, String)>) -> (ManualClock, Scheduler) {
    let (clock, builder) = builder();
    let builder = builder.observer(panics(log)).workers(Workers::Pool(2));
    let scheduler = builder.start().expect("the scheduler starts");
    let failing =
        |run: RunContext| if run.number().is_multiple_of(2) { Err("it is even") } else { Ok(()) };
    scheduler.add_job(MINUTES, Job::new(failing).name("x")).expect("the job is added");
    scheduler.once(at(1), |_| {}).expect("the job is added");
    let deferred = Job::deferred(|_, completion| {
        completion.finish(millicron_scheduler::Outcome::Abandoned);
    });
    scheduler.once_job(at(2), deferred).expect("the job is added");
    clock.advance(secs(220));
    assert_eq!((scheduler.stats().completed, scheduler.stats().failed), (6, 3));
    assert_workers_live(&scheduler, 2);
    (clock, scheduler)
}

#[cfg(feature = "tracing")]
mod subscriber {
    use std::sync::atomic::AtomicUsize;

    use tracing::span::{Attributes, Id, Record};
    use tracing::{Event, Subscriber};
    use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};
    use tracing_subscriber::registry::{LookupSpan, Registry};

    use super::{Log, run_all};

    const HOOKS: [&str; 6] = ["new span", "enter", "exit", "record", "event", "close"];

    /// The hook that panics.
    static PANICS: AtomicUsize = AtomicUsize::new(usize::MAX);

    struct Panicking;

    fn call(hook: &str) {
        if HOOKS.get(PANICS.load(super::Ordering::SeqCst)) == Some(&hook) {
            std::panic::resume_unwind(Box::new(hook.to_owned()));
        }
    }

    impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Panicking {
        fn on_new_span(&self, _: &Attributes<'_>, _: &Id, _: Context<'_, S>) {
            call("new span");
        }

        fn on_enter(&self, _: &Id, _: Context<'_, S>) {
            call("enter");
        }

        fn on_exit(&self, _: &Id, _: Context<'_, S>) {
            call("exit");
        }

        fn on_record(&self, _: &Id, _: &Record<'_>, _: Context<'_, S>) {
            call("record");
        }

        fn on_event(&self, _: &Event<'_>, _: Context<'_, S>) {
            call("event");
        }

        fn on_close(&self, _: Id, _: Context<'_, S>) {
            call("close");
        }
    }

    #[test]
    fn a_subscriber_that_panics_is_reported_and_ends_no_thread() {
        let name = "observers::subscriber::a_subscriber_that_panics_is_reported_and_ends_no_thread";
        if crate::support::in_child(name).is_some() {
            return;
        }
        let subscriber = Registry::default().with(Panicking);
        tracing::subscriber::set_global_default(subscriber).expect("this is the only subscriber");
        for (index, hook) in HOOKS.into_iter().enumerate() {
            let log = Log::new();
            PANICS.store(index, super::Ordering::SeqCst);
            let (clock, scheduler) = run_all(&log);
            clock.advance(super::Duration::ZERO);
            let panics = log.take();
            let expected = ("a subscriber of `tracing`", hook.to_owned());
            assert!(!panics.is_empty(), "a panic on {hook} is reported");
            assert!(panics.iter().all(|panic| *panic == expected), "{hook}: {panics:?}");
            drop(scheduler);
        }
    }
}

#[cfg(feature = "metrics")]
mod recorder {
    use std::sync::Arc;

    use metrics::{
        Counter, CounterFn, Gauge, GaugeFn, Histogram, HistogramFn, Key, KeyName, Metadata,
        Recorder, SharedString, Unit,
    };
    use millicron_scheduler::Retry;

    use super::{Job, Log, RunContext, run_all, secs};

    /// A metric that logs what it receives, or panics.
    struct Metric {
        name: String,
        log: Option<Log<(String, f64)>>,
    }

    impl Metric {
        fn add(&self, value: f64) {
            match &self.log {
                Some(log) => log.add((self.name.clone(), value)),
                None => std::panic::resume_unwind(Box::new("a metric")),
            }
        }
    }

    impl CounterFn for Metric {
        fn increment(&self, value: u64) {
            self.add(f64::from(u32::try_from(value).expect("it is small")));
        }

        fn absolute(&self, _: u64) {}
    }

    impl GaugeFn for Metric {
        fn increment(&self, value: f64) {
            self.add(value);
        }

        fn decrement(&self, value: f64) {
            self.add(-value);
        }

        fn set(&self, value: f64) {
            self.add(value);
        }
    }

    impl HistogramFn for Metric {
        fn record(&self, value: f64) {
            self.add(value);
        }
    }

    struct Metrics {
        log: Option<Log<(String, f64)>>,
        described: Log<String>,
    }

    impl Metrics {
        fn metric(&self, key: &Key) -> Arc<Metric> {
            let labels: Vec<String> =
                key.labels().map(|label| format!("{}={}", label.key(), label.value())).collect();
            let name = key.name().trim_start_matches("millicron_");
            let name = format!("{name} {}", labels.join(" "));
            Arc::new(Metric { name, log: self.log.clone() })
        }

        fn describe(&self, name: &KeyName) {
            self.described.add(name.as_str().to_owned());
        }
    }

    impl Recorder for Metrics {
        fn describe_counter(&self, name: KeyName, _: Option<Unit>, _: SharedString) {
            self.describe(&name);
        }

        fn describe_gauge(&self, name: KeyName, _: Option<Unit>, _: SharedString) {
            self.describe(&name);
        }

        fn describe_histogram(&self, name: KeyName, _: Option<Unit>, _: SharedString) {
            self.describe(&name);
        }

        fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
            Counter::from_arc(self.metric(key))
        }

        fn register_gauge(&self, key: &Key, _: &Metadata<'_>) -> Gauge {
            Gauge::from_arc(self.metric(key))
        }

        fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
            Histogram::from_arc(self.metric(key))
        }
    }

    #[test]
    fn a_recorder_that_panics_is_reported_and_ends_no_thread() {
        let name = "observers::recorder::a_recorder_that_panics_is_reported_and_ends_no_thread";
        if crate::support::in_child(name).is_some() {
            return;
        }
        let metrics = Metrics { log: None, described: Log::new() };
        metrics::set_global_recorder(metrics).expect("this is the only recorder");
        let log = Log::new();
        let (clock, _scheduler) = run_all(&log);
        clock.advance(secs(0));
        let panics = log.take();
        let expected = ("a recorder of `metrics`", "a metric".to_owned());
        assert!(!panics.is_empty() && panics.iter().all(|panic| *panic == expected), "{panics:?}");
    }

    /// Checks the sum of each metric, and the number of values in histograms.
    #[test]
    fn runs_are_counted_by_job_and_outcome() {
        let name = "observers::recorder::runs_are_counted_by_job_and_outcome";
        if crate::support::in_child(name).is_some() {
            return;
        }
        let (values, described) = (Log::new(), Log::new());
        let metrics = Metrics { log: Some(values.clone()), described: described.clone() };
        metrics::set_global_recorder(metrics).expect("this is the only recorder");
        let (clock, scheduler) = run_all(&Log::new());
        let failing = |run: RunContext| if run.attempt() == 1 { Err("the first") } else { Ok(()) };
        let retried = Job::new(failing).name("y").retry(Retry::constant(secs(1)));
        scheduler.once_job(super::at(230), retried).expect("the job is added");
        clock.advance(secs(20));
        let internal = Job::new(|_| {}).name("internal").internal();
        scheduler.once_job(super::at(250), internal).expect("the job is added");
        // An event that is two seconds late.
        clock.set(super::at(282));
        assert!(scheduler.close_and_wait(secs(60)).is_empty());
        let mut described = described.take();
        described.sort();
        let names = ["duration_seconds", "lateness_seconds", "ready", "running", "runs_total"];
        assert_eq!(described, names.map(|name| format!("millicron_{name}")));

        let values = values.take();
        let sum = |name: &str| -> f64 {
            values.iter().filter(|(other, _)| other == name).map(|(_, value)| value).sum()
        };
        let count = |name: &str| values.iter().filter(|(other, _)| other == name).count();
        let is = |value: f64, expected: u32| (value - f64::from(expected)).abs() < 1e-9;
        assert!(is(sum("runs_total job=x outcome=succeeded"), 3), "{values:?}");
        assert!(is(sum("runs_total job=x outcome=failed"), 2), "{values:?}");
        assert!(is(sum("runs_total job=y outcome=retried"), 1), "{values:?}");
        assert!(is(sum("runs_total job=y outcome=succeeded"), 1), "{values:?}");
        // One of the test, and two of the check that all workers live.
        assert!(is(sum("runs_total job=unnamed outcome=succeeded"), 3), "{values:?}");
        assert!(is(sum("runs_total job=unnamed outcome=abandoned"), 1), "{values:?}");
        assert_eq!((count("lateness_seconds job=x"), count("duration_seconds job=x")), (5, 5));
        assert!(is(sum("lateness_seconds job=x"), 2), "{values:?}");
        assert!(is(sum("duration_seconds job=x"), 0), "no time passes during a run: {values:?}");
        assert!(values.iter().any(|(name, _)| name.trim_end() == "ready"), "{values:?}");
        assert!(values.iter().all(|(name, _)| !name.contains("internal")), "{values:?}");
        for job in ["x", "unnamed"] {
            let running = format!("running job={job}");
            assert!(count(&running) >= 8 && is(sum(&running), 0), "{values:?}");
        }
    }
}
