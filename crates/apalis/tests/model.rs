//! Sources with random settings, compared with an independent model.

use std::collections::BTreeSet;
use std::time::Duration;

use millicron_apalis::{Job, ManualClock, Missed, Source};
use millicron_test_support::generate::cases;
use proptest::collection::{btree_set, vec};
use proptest::prelude::*;

use crate::support::{Answer, Events, MIDNIGHT, Recorder, clock_at, millis, push_due};

#[derive(Clone, Debug)]
struct JobModel {
    name: String,
    /// In milliseconds after midnight.
    events: Vec<i64>,
    missed: Missed,
    catch_up: i64,
    grace: i64,
    ahead: i64,
}

#[derive(Clone, Debug)]
struct Step {
    /// The time since the previous step.
    pause: u64,
    replica: usize,
    restarts: bool,
}

/// A source, and the decisions that the model expects.
struct Replica {
    clock: ManualClock,
    skew: i64,
    source: Source<u32>,
    /// The last decided event of each job; `None` before the first decision.
    decided: Vec<Option<i64>>,
}

impl Replica {
    fn new(jobs: &[JobModel], skew: i64) -> Self {
        let clock = clock_at(MIDNIGHT + skew);
        let source = source(jobs, &clock);
        Self { clock, skew, source, decided: vec![None; jobs.len()] }
    }

    fn restart(&mut self, jobs: &[JobModel]) {
        self.source = source(jobs, &self.clock);
        self.decided = vec![None; jobs.len()];
    }
}

fn source(jobs: &[JobModel], clock: &ManualClock) -> Source<u32> {
    let duration = |time: i64| Duration::from_millis(time.unsigned_abs());
    let builder = Source::builder().clock(clock.clone());
    let builder = jobs.iter().fold(builder, |builder, model| {
        let events = model.events.iter().map(|event| MIDNIGHT + event).collect();
        let job = Job::new(&model.name, Events(events), 0)
            .missed(model.missed)
            .catch_up(duration(model.catch_up))
            .grace(duration(model.grace))
            .ahead(duration(model.ahead));
        builder.add_job(job)
    });
    builder.build().expect("a source")
}

/// Returns the events of a job that a source pushes at an instant after midnight, and the last
/// event that it has decided.
fn decide(job: &JobModel, decided: Option<i64>, now: i64) -> (Vec<i64>, i64) {
    let oldest = now - job.catch_up;
    let first = decided.map_or(oldest, |decided| decided + 1);
    let candidates = job.events.iter().copied();
    let candidates: Vec<_> =
        candidates.filter(|event| (first..=now + job.ahead).contains(event)).collect();
    let last = candidates.last().copied().unwrap_or(first - 1).max(first - 1);
    let is_late = |event: &i64| *event < now - job.grace;
    let on_time = candidates.iter().copied().filter(|event| !is_late(event));
    let late: Vec<_> = candidates.iter().copied().filter(is_late).collect();
    let covered = job.events.iter().any(|event| (now - job.grace..=now).contains(event));
    let kept: Vec<_> = late.into_iter().filter(|event| *event >= oldest).collect();
    let kept = match job.missed {
        Missed::All { max } => kept[kept.len().saturating_sub(max.max(1))..].to_vec(),
        Missed::Coalesce if !covered => kept[kept.len().saturating_sub(1)..].to_vec(),
        _ => Vec::new(),
    };
    (on_time.chain(kept).collect(), last)
}

fn duration() -> impl Strategy<Value = i64> {
    prop_oneof![Just(0), 1..3000_i64, 3000..40_000_i64]
}

fn job() -> impl Strategy<Value = JobModel> {
    let missed = prop_oneof![
        Just(Missed::Skip),
        Just(Missed::Coalesce),
        Just(Missed::All { max: usize::MAX }),
        (0..4_usize).prop_map(|max| Missed::All { max }),
    ];
    let events = prop_oneof![
        btree_set(-30_000..60_000_i64, 0..40).prop_map(|events| events.into_iter().collect()),
        (50..3000_usize).prop_map(|step| (-30_000..60_000).step_by(step).collect()),
    ];
    (events, missed, duration(), duration(), duration()).prop_map(
        |(events, missed, catch_up, grace, ahead): (Vec<i64>, _, _, _, _)| JobModel {
            name: String::new(),
            events,
            missed,
            catch_up,
            grace,
            ahead,
        },
    )
}

fn jobs() -> impl Strategy<Value = Vec<JobModel>> {
    vec(job(), 1..4).prop_map(|mut jobs| {
        for (index, job) in jobs.iter_mut().enumerate() {
            // Names are sorted as strings, so `job-10` is before `job-2`.
            job.name = format!("job-{}", 12 - index);
        }
        jobs
    })
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let pause = prop_oneof![0..50_u64, 50..2000_u64, 2000..20_000_u64];
    let step = (pause, 0..3_usize, proptest::bool::weighted(0.1));
    let step = step.prop_map(|(pause, replica, restarts)| Step { pause, replica, restarts });
    vec(step, 1..40)
}

fn answers() -> impl Strategy<Value = Vec<Answer>> {
    vec(
        prop_oneof![
            Just(Answer::Take),
            Just(Answer::Fail),
            Just(Answer::TakeAndFail),
            Just(Answer::Wait)
        ],
        0..12,
    )
}

proptest! {
    #![proptest_config(cases(1000))]

    #[test]
    fn storage_has_the_events_of_the_model(
        jobs in jobs(),
        skews in [-6000..6000_i64, -6000..6000, -6000..6000],
        steps in steps(),
    ) {
        let storage = Recorder::default();
        let mut replicas = skews.map(|skew| Replica::new(&jobs, skew));
        let mut expected = BTreeSet::new();
        let mut time = 0;
        for Step { pause, replica, restarts } in steps {
            time += i64::try_from(pause)?;
            for replica in &replicas {
                replica.clock.advance(millis(pause));
            }
            let replica = &mut replicas[replica];
            if restarts {
                replica.restart(&jobs);
            }
            prop_assert!(push_due(&replica.source, &storage));
            for (job, decided) in jobs.iter().zip(&mut replica.decided) {
                let (events, last) = decide(job, *decided, time + replica.skew);
                *decided = Some(last);
                let key = |event| format!("{}:{}", job.name, MIDNIGHT + event);
                expected.extend(events.into_iter().map(key));
            }
        }
        prop_assert_eq!(storage.keys(), expected.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn no_event_is_lost_if_the_storage_fails(
        mut jobs in jobs(),
        skews in [-6000..6000_i64, -6000..6000, -6000..6000],
        steps in vec((steps(), answers()), 1..4),
    ) {
        for job in &mut jobs {
            job.missed = Missed::All { max: usize::MAX };
            job.catch_up = 1_000_000_000;
        }
        let storage = Recorder::default();
        let mut replicas = skews.map(|skew| Replica::new(&jobs, skew));
        for (steps, answers) in steps {
            let connection = storage.connection(answers);
            for Step { pause, replica, restarts } in steps {
                for replica in &replicas {
                    replica.clock.advance(millis(pause));
                }
                if restarts {
                    replicas[replica].restart(&jobs);
                }
                push_due(&replicas[replica].source, &connection);
            }
        }
        // Longer than the time of all events and than any pause after a failure.
        let [first, ..] = replicas;
        for _ in 0..20 {
            first.clock.advance(Duration::from_secs(100));
            push_due(&first.source, &storage);
        }
        let keys = jobs.iter().flat_map(|job| {
            job.events.iter().map(|event| format!("{}:{}", job.name, MIDNIGHT + event))
        });
        prop_assert_eq!(storage.keys(), keys.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>());
    }
}
