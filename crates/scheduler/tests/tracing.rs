//! The span of each run, and its fields.

use std::collections::BTreeMap;
use std::fmt;

use millicron::schedule;
use millicron_scheduler::{Job, ManualClock, Outcome, Retry, RunContext, Scheduler, Workers};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};
use tracing_subscriber::registry::{LookupSpan, Registry};

use crate::support::{Log, in_child, secs, start, until};

type Fields = BTreeMap<&'static str, String>;

/// Logs the fields of each span when it closes, the fields of the span around each event, and the
/// fields of events at level `ERROR`.
struct Spans {
    over: Log<Fields>,
    within: Log<Option<Fields>>,
    failures: Log<Fields>,
}

/// Reads the fields of a span. Other tests run jobs at the same time; if a span belongs to one of
/// their jobs, this reads only the name of the job.
struct Reader<'a>(&'a mut Fields);

impl Visit for Reader<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "job" || is_of_this_test(self.0) {
            self.0.insert(field.name(), format!("{value:?}"));
        }
    }
}

/// Reads all fields.
struct FullReader<'a>(&'a mut Fields);

impl Visit for FullReader<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }
}

fn is_of_this_test(fields: &Fields) -> bool {
    fields.get("job").is_some_and(|job| job.starts_with("traced "))
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Spans {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut fields = Fields::new();
        attributes.record(&mut Reader(&mut fields));
        let span = context.span(id).expect("the span exists");
        assert_eq!(span.name(), "run");
        span.extensions_mut().insert(fields);
    }

    fn on_record(&self, id: &Id, record: &Record<'_>, context: Context<'_, S>) {
        let span = context.span(id).expect("the span exists");
        let mut extensions = span.extensions_mut();
        record.record(&mut Reader(extensions.get_mut::<Fields>().expect("the span has fields")));
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        if *event.metadata().level() == tracing::Level::ERROR {
            // The event of a failed run has its own fields.
            let mut fields = Fields::new();
            event.record(&mut FullReader(&mut fields));
            if is_of_this_test(&fields) {
                self.failures.add(fields);
            }
            return;
        }
        let fields = context.event_span(event).map(|span| span.extensions().get().cloned());
        self.within.add(fields.flatten());
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let span = context.span(&id).expect("the span exists");
        let fields: Fields = span.extensions().get().cloned().expect("the span has fields");
        if is_of_this_test(&fields) {
            self.over.add(fields);
        }
    }
}

fn fields(job: &str, scheduled: &str, lateness: &str, outcome: &str) -> Fields {
    let attempt = ("attempt", "1");
    let fields = [("job", job), ("scheduled", scheduled), ("lateness", lateness), attempt];
    let fields = fields.into_iter().chain([("outcome", outcome)]);
    fields.map(|(field, value)| (field, value.to_owned())).collect()
}

/// The closed spans by scheduled instant: threads close them in any order.
fn in_order(over: &Log<Fields>) -> Vec<Fields> {
    let mut spans = over.take();
    spans.sort_by(|one, other| one["scheduled"].cmp(&other["scheduled"]));
    spans
}

/// A single test, since all threads share one subscriber. It is alone in its process, because a span of another thread
/// that first occurs while the subscriber is set may be disabled forever.
#[test]
fn each_run_has_one_span_with_its_outcome() {
    if let Some(errors) = in_child("tracing::each_run_has_one_span_with_its_outcome") {
        // The subscriber receives the failures.
        assert!(!errors.contains("millicron: job"), "{errors}");
        return;
    }
    let (over, within) = (Log::new(), Log::new());
    let failures = Log::new();
    let spans = Spans { over: over.clone(), within: within.clone(), failures: failures.clone() };
    let subscriber = Registry::default().with(spans);
    tracing::subscriber::set_global_default(subscriber).expect("this is the only subscriber");

    for workers in [Workers::Pool(1), Workers::PerRun] {
        let clock = ManualClock::new(start());
        let builder = Scheduler::builder().clock(clock.clone()).workers(workers);
        let scheduler = builder.start().expect("the scheduler starts");
        let run = |run: RunContext| match run.number() {
            1 => {
                tracing::info!("within");
                Ok(())
            }
            2 => Err("no paper"),
            _ => panic!("no more"),
        };
        scheduler
            .add_job(schedule!("*:*:00"), Job::new(run).name("traced a"))
            .expect("the job is added");
        clock.advance(secs(100));
        clock.set(start() + secs(162));
        until(|| over.len() == 3);
        let expected = [
            fields("traced a", "2023-11-14 22:14:00.000", "0ns", "Succeeded"),
            fields("traced a", "2023-11-14 22:15:00.000", "0ns", "Failed(\"no paper\")"),
            fields("traced a", "2023-11-14 22:16:00.000", "2s", "Panicked(\"no more\")"),
        ];
        assert_eq!(in_order(&over), expected, "{workers:?}");
        // The event within the span comes before the outcome is known.
        let mut first = expected[0].clone();
        first.remove("outcome");
        assert_eq!(within.take(), [Some(first)]);
    }
    check_that_failures_are_errors_with_their_sources(&over, &failures);
    check_that_a_deferred_run_has_one_span_until_it_finishes(&over);
    #[cfg(feature = "tokio")]
    check_that_a_future_is_polled_within_its_span(&over, &within);
}

/// An error whose text differs from the text of its source.
#[derive(Debug)]
struct Unreadable(fmt::Error);

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unreadable")
    }
}

impl std::error::Error for Unreadable {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

fn check_that_failures_are_errors_with_their_sources(over: &Log<Fields>, failures: &Log<Fields>) {
    drop(failures.take());
    let clock = ManualClock::new(start());
    let scheduler =
        Scheduler::builder().clock(clock.clone()).start().expect("the scheduler starts");
    let run = |run: RunContext| match run.number() {
        1 => Ok(()),
        _ => Err(Unreadable(fmt::Error)),
    };
    let job = Job::new(run).name("traced e").retry(Retry::constant(secs(1)).most(1));
    scheduler.add_job(schedule!("*:*:00"), job).expect("the job is added");
    clock.advance(secs(110));
    until(|| over.len() == 3);
    drop(over.take());
    let message = format!("failed: unreadable: {}", fmt::Error);
    let expected = ["1", "2"].map(|attempt| {
        let fields = [("job", "traced e"), ("scheduled", "2023-11-14 22:15:00.000")];
        let fields = fields.into_iter().chain([("attempt", attempt), ("message", &message)]);
        fields.map(|(field, value)| (field, value.to_owned())).collect::<Fields>()
    });
    assert_eq!(failures.take(), expected);
}

fn check_that_a_deferred_run_has_one_span_until_it_finishes(over: &Log<Fields>) {
    let clock = ManualClock::new(start());
    let scheduler =
        Scheduler::builder().clock(clock.clone()).start().expect("the scheduler starts");
    let job = Job::deferred(|run, completion| match run.number() {
        1 => completion.finish(Outcome::Failed("later".to_owned())),
        _ => drop(completion),
    });
    scheduler.add_job(schedule!("*:*:00"), job.name("traced d")).expect("the job is added");
    clock.advance(secs(100));
    until(|| over.len() == 2);
    let expected = [
        fields("traced d", "2023-11-14 22:14:00.000", "0ns", "Failed(\"later\")"),
        fields("traced d", "2023-11-14 22:15:00.000", "0ns", "Abandoned"),
    ];
    assert_eq!(in_order(over), expected);
}

#[cfg(feature = "tokio")]
fn check_that_a_future_is_polled_within_its_span(over: &Log<Fields>, within: &Log<Option<Fields>>) {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(1).build().expect("the runtime starts");
    let clock = ManualClock::new(start());
    let scheduler =
        Scheduler::builder().clock(clock.clone()).start().expect("the scheduler starts");
    let job = Job::future(runtime.handle(), |run: RunContext| async move {
        tokio::task::yield_now().await;
        tracing::info!("within");
        assert!(run.number() < 2, "the second run panics");
    });
    scheduler.add_job(schedule!("*:*:00"), job.name("traced f")).expect("the job is added");
    clock.advance(secs(100));
    until(|| over.len() == 2);
    let expected = [
        fields("traced f", "2023-11-14 22:14:00.000", "0ns", "Succeeded"),
        fields("traced f", "2023-11-14 22:15:00.000", "0ns", "Panicked(\"\")"),
    ];
    assert_eq!(in_order(over), expected);
    let within: Vec<Fields> = within.take().into_iter().flatten().collect();
    assert_eq!(within.len(), 2);
    assert!(within.iter().all(|fields| fields["job"] == "traced f"), "{within:?}");
}
