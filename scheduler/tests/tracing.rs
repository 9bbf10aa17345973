//! One span a run, with what is known of it.

use std::collections::BTreeMap;
use std::fmt;

use crate::support::{Log, secs, start, until};
use millicron::schedule;
use millicron_scheduler::{Job, ManualClock, Outcome, RunContext, Scheduler, Workers};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};
use tracing_subscriber::registry::{LookupSpan, Registry};

type Fields = BTreeMap<&'static str, String>;

/// Notes what the fields of each span are when it is over, and for each event those
/// of the span that it is within.
struct Spans {
    over: Log<Fields>,
    within: Log<Option<Fields>>,
}

struct Reader<'a>(&'a mut Fields);

impl Visit for Reader<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Spans {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut fields = Fields::new();
        attributes.record(&mut Reader(&mut fields));
        let span = context.span(id).expect("it is there");
        assert_eq!(span.name(), "run");
        span.extensions_mut().insert(fields);
    }

    fn on_record(&self, id: &Id, record: &Record<'_>, context: Context<'_, S>) {
        let span = context.span(id).expect("it is there");
        let mut extensions = span.extensions_mut();
        record.record(&mut Reader(extensions.get_mut::<Fields>().expect("it has fields")));
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let fields = context.event_span(event).map(|span| span.extensions().get().cloned());
        self.within.add(fields.flatten());
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let span = context.span(&id).expect("it is there");
        self.over.add(span.extensions().get().cloned().expect("it has fields"));
    }
}

fn fields(job: &str, scheduled: &str, lateness: &str, outcome: &str) -> Fields {
    let fields = [("job", job), ("scheduled", scheduled), ("lateness", lateness)];
    let fields = fields.into_iter().chain([("outcome", outcome)]);
    fields.map(|(field, value)| (field, value.to_owned())).collect()
}

/// The spans in the order of their runs: several threads may end them in any.
fn in_order(over: &Log<Fields>) -> Vec<Fields> {
    let mut spans = over.take();
    spans.sort_by(|one, other| one["scheduled"].cmp(&other["scheduled"]));
    spans
}

/// All in one, since there is one subscriber for all threads.
#[test]
fn each_run_is_a_span() {
    let (over, within) = (Log::new(), Log::new());
    let spans = Spans { over: over.clone(), within: within.clone() };
    let subscriber = Registry::default().with(spans);
    tracing::subscriber::set_global_default(subscriber).expect("there is no other");

    for workers in [Workers::Pool(1), Workers::PerRun] {
        let clock = ManualClock::new(start());
        let builder = Scheduler::builder().clock(clock.clone()).workers(workers);
        let scheduler = builder.start().expect("there are threads");
        let run = |run: &RunContext| match run.number() {
            1 => {
                tracing::info!("within");
                Ok(())
            }
            2 => Err("no paper"),
            _ => panic!("no more"),
        };
        scheduler.add_job(schedule!("*:*:00"), Job::new(run).name("a")).expect("there is room");
        clock.advance(secs(100));
        clock.set(start() + secs(162));
        until(|| over.len() == 3);
        let expected = [
            fields("a", "2023-11-14 22:14:00.000", "0ns", "Succeeded"),
            fields("a", "2023-11-14 22:15:00.000", "0ns", "Failed(\"no paper\")"),
            fields("a", "2023-11-14 22:16:00.000", "2s", "Panicked(\"no more\")"),
        ];
        assert_eq!(in_order(&over), expected, "{workers:?}");
        // What is told within it is told before it has ended.
        let mut first = expected[0].clone();
        first.remove("outcome");
        assert_eq!(within.take(), [Some(first)]);
    }
    a_deferred_run_is_a_span_until_it_ends(&over);
    #[cfg(feature = "tokio")]
    a_future_is_within_its_span(&over, &within);
}

fn a_deferred_run_is_a_span_until_it_ends(over: &Log<Fields>) {
    let clock = ManualClock::new(start());
    let scheduler = Scheduler::builder().clock(clock.clone()).start().expect("there are threads");
    let job = Job::deferred(|run, completion| match run.number() {
        1 => completion.finish(Outcome::Failed("later".to_owned())),
        _ => drop(completion),
    });
    scheduler.add_job(schedule!("*:*:00"), job.name("d")).expect("there is room");
    clock.advance(secs(100));
    until(|| over.len() == 2);
    let expected = [
        fields("d", "2023-11-14 22:14:00.000", "0ns", "Failed(\"later\")"),
        fields("d", "2023-11-14 22:15:00.000", "0ns", "Abandoned"),
    ];
    assert_eq!(in_order(over), expected);
}

#[cfg(feature = "tokio")]
fn a_future_is_within_its_span(over: &Log<Fields>, within: &Log<Option<Fields>>) {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(1).build().expect("there are threads");
    let clock = ManualClock::new(start());
    let scheduler = Scheduler::builder().clock(clock.clone()).start().expect("there are threads");
    let job = Job::future(runtime.handle(), |run: RunContext| async move {
        tokio::task::yield_now().await;
        tracing::info!("within");
        assert!(run.number() < 2, "the second");
    });
    scheduler.add_job(schedule!("*:*:00"), job.name("f")).expect("there is room");
    clock.advance(secs(100));
    until(|| over.len() == 2);
    let expected = [
        fields("f", "2023-11-14 22:14:00.000", "0ns", "Succeeded"),
        fields("f", "2023-11-14 22:15:00.000", "0ns", "Panicked(\"\")"),
    ];
    assert_eq!(in_order(over), expected);
    let within = within.take();
    assert_eq!(within.len(), 2);
    assert!(within.iter().flatten().all(|fields| fields["job"] == "f"), "{within:?}");
}
