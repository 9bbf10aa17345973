//! How fast sources push events into storages, alone and with replicas that push the same events.

use std::time::{Duration, Instant, UNIX_EPOCH};

use millicron::schedule;
use millicron_apalis::{ManualClock, Source};
use millicron_benches::rounds::median;
use millicron_benches::table::{Bound, Table};
use tokio::task::JoinSet;

use crate::runtime;
use crate::storages::{Kind, Place, Servers, with_storage};

/// The jobs of each source. All fire every 10 ms.
const JOBS: u64 = 10;

/// Each largest batch, and how many seconds of events to push with it.
const BATCHES: [(usize, u64); 4] = [(1, 1), (10, 5), (100, 10), (1000, 20)];

/// How many seconds of events replicas push.
const SECONDS: u64 = 10;

/// 2026-11-21 00:00:00 UTC, in seconds since 1970.
const MIDNIGHT: u64 = 1_795_219_200;

pub(crate) fn batches(servers: &Servers, rounds: usize) -> Table {
    let mut headers = vec!["largest batch".to_owned()];
    let kinds: Vec<Kind> = servers.kinds().collect();
    headers.extend(kinds.iter().map(|kind| match kind {
        Kind::Postgres => "PostgreSQL (1,000: ≥ 5,000)".to_owned(),
        _ => kind.name().to_owned(),
    }));
    let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
    let mut table = Table::new("Events a second from one source, by its largest batch", &headers);
    for (largest, seconds) in BATCHES {
        let speeds: Vec<(Kind, f64)> = kinds
            .iter()
            .map(|&kind| {
                let speed = |_| {
                    let place = servers.place(kind).expect("an installed server");
                    push(&place, 1, largest, seconds).last
                };
                (kind, median((0..rounds).map(speed).collect()))
            })
            .collect();
        let label = if largest == 1000 { "1,000, the default".into() } else { largest.to_string() };
        let mut row = table.row(&label);
        for (kind, speed) in speeds {
            let is_bounded = kind == Kind::Postgres && largest == 1000;
            row.figure(
                speed.round(),
                if is_bounded { Bound::AtLeast(5000.0) } else { Bound::None },
            );
        }
    }
    table
}

/// Compares replicas that push at the same time with one that pushes events that are already stored.
pub(crate) fn replicas(servers: &Servers, rounds: usize) -> Table {
    let headers = [
        "",
        "events",
        "one source, events a second",
        "three at once: the first is done, events a second",
        "the last is done, events a second",
        "one that comes later: µs for each duplicate",
    ];
    let mut table = Table::new("Replicas that push the same events", &headers);
    for kind in servers.kinds().filter(|kind| *kind != Kind::Memory) {
        let mut measured = [const { Vec::new() }; 4];
        let mut events = 0;
        for _ in 0..rounds {
            let place = || servers.place(kind).expect("an installed server");
            let shared = place();
            let one = push(&shared, 1, 1000, SECONDS);
            let late = push(&shared, 1, 1000, SECONDS);
            let three = push(&place(), 3, 1000, SECONDS);
            events = one.events;
            measured[0].push(one.last);
            measured[1].push(three.first);
            measured[2].push(three.last);
            measured[3].push(1e6 / late.last);
        }
        let [one, first, last, duplicate] = measured.map(median);
        table
            .row(kind.name())
            .text(&events.to_string())
            .figure(one.round(), Bound::None)
            .figure(first.round(), Bound::None)
            .figure(last.round(), Bound::None)
            .figure(duplicate, Bound::None);
    }
    table
}

struct Pushed {
    /// The number of events of each source.
    events: u64,
    /// Events a second, until the first source has pushed all events.
    first: f64,
    /// Events a second, until the last source has pushed all events.
    last: f64,
}

/// Pushes the events of some seconds from sources that start together.
fn push(place: &Place, sources: usize, largest: usize, seconds: u64) -> Pushed {
    runtime().block_on(async {
        let mut pushes = JoinSet::new();
        let mut prepared = Vec::new();
        for _ in 0..sources {
            prepared.push((source(largest, seconds).await, place.open().await));
        }
        let start = Instant::now();
        for (source, store) in prepared {
            pushes.spawn(async move {
                let is_complete =
                    with_storage!(&store, |storage| source.push_due(&mut storage).await.ok());
                assert_eq!(is_complete, Some(true), "the storage takes everything");
                let stats = source.stats();
                (stats.pushed + stats.duplicates, start.elapsed().as_secs_f64())
            });
        }
        let mut ends = pushes.join_all().await;
        ends.sort_by(|a, b| a.1.total_cmp(&b.1));
        let events = JOBS * seconds * 100;
        assert!(ends.iter().all(|(count, _)| *count == events), "all events");
        #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
        let events_a_second = |after: f64| events as f64 / after;
        let [first, last] = [ends.first(), ends.last()].map(|end| end.map_or(f64::NAN, |it| it.1));
        Pushed { events, first: events_a_second(first), last: events_a_second(last) }
    })
}

/// Returns a source for which some seconds of events have just become due.
async fn source(largest: usize, seconds: u64) -> Source<()> {
    // Just after an event, so that the first call has nothing to push.
    let start = Duration::from_secs(MIDNIGHT) + Duration::from_millis(1);
    let clock = ManualClock::new(UNIX_EPOCH + start);
    let mut builder = Source::builder()
        .clock(clock.clone())
        .catch_up(Duration::ZERO)
        // All events are on time, and therefore in one lane.
        .grace(Duration::from_hours(1))
        .largest_batch(largest);
    for job in 0..JOBS {
        builder = builder.add(format!("job {job}"), schedule!("*:*:*.*/10"), ());
    }
    let source = builder.build().expect("a source");
    let mut storage = apalis_core::backend::memory::MemoryStorage::new();
    source.push_due(&mut storage).await.expect("a storage");
    clock.advance(Duration::from_secs(seconds));
    source
}
