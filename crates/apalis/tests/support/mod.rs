//! Helpers shared by the tests.

#[cfg(feature = "pipeline")]
pub(crate) mod history;
mod recorder;

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use millicron::{Recurrence, every};
use millicron_apalis::{Clock, ManualClock, Missed, Source, Stats, Storage};

pub(crate) use recorder::{Answer, Recorder};

/// 2026-11-21 00:00:00 UTC, in milliseconds since 1970.
pub(crate) const MIDNIGHT: i64 = 1_795_219_200_000;

/// Returns a clock that shows an instant.
pub(crate) fn clock_at(millis: i64) -> ManualClock {
    ManualClock::new(time(millis))
}

/// A clock that stands still, lets its users sleep as long as they want, and counts how often it is read.
#[derive(Clone)]
pub(crate) struct CountingClock {
    pub(crate) clock: ManualClock,
    reads: Arc<AtomicUsize>,
}

impl CountingClock {
    pub(crate) fn at(millis: i64) -> Self {
        Self { clock: clock_at(millis), reads: Arc::default() }
    }

    /// Returns how often the clock is read in a while, once all who sleep up to half a second have woken.
    pub(crate) async fn reads(&self) -> usize {
        tokio::time::sleep(Duration::from_millis(500)).await;
        let before = self.reads.load(Ordering::Relaxed);
        tokio::time::sleep(Duration::from_millis(300)).await;
        self.reads.load(Ordering::Relaxed) - before
    }
}

impl Clock for CountingClock {
    fn now(&self) -> SystemTime {
        self.clock.now()
    }

    fn elapsed(&self) -> Duration {
        self.reads.fetch_add(1, Ordering::Relaxed);
        self.clock.elapsed()
    }

    fn max_sleep(&self, wait: Option<Duration>) -> Option<Duration> {
        wait
    }
}

/// Converts milliseconds since 1970 to a system time.
pub(crate) fn time(millis: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(u64::try_from(millis).expect("an instant after 1970"))
}

/// Converts a system time to milliseconds since 1970.
pub(crate) fn unix_millis(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).expect("an instant after 1970");
    i64::try_from(since.as_millis()).expect("a year before 292 million")
}

pub(crate) const fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Waits for something with a timeout, since it would never happen if the test failed.
#[cfg(any(feature = "pipeline", all(feature = "postgres", feature = "sqlite")))]
pub(crate) async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_mins(5), future).await.expect("it happens")
}

/// Pushes the tasks that are due, and returns whether the storage took all of them.
pub(crate) fn push_due(source: &Source<u32>, storage: &Recorder) -> bool {
    let mut storage = storage.clone();
    let mut push = pin!(source.push_due(&mut storage));
    let mut cx = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(result) = push.as_mut().poll(&mut cx) {
            return result.expect("a storage that remembers keys");
        }
    }
}

/// A list of events, in ascending order.
#[derive(Clone, Debug)]
pub(crate) struct Events(pub(crate) Vec<i64>);

impl Recurrence for Events {
    fn next_event(&self, instant: i64) -> Option<i64> {
        self.0.get(self.0.partition_point(|event| *event <= instant)).copied()
    }

    fn nearest_prev_event(&self, instant: i64) -> Option<i64> {
        self.0[..self.0.partition_point(|event| *event <= instant)].last().copied()
    }
}

/// Lets three replicas push the same events at the same time: job `a` every 50 ms and job `b` every
/// second, from midnight to four seconds after it. Returns the sum of their statistics.
pub(crate) async fn replicas<B>(storage: impl Fn() -> B) -> Stats
where
    B: Storage<u32> + Send + 'static,
{
    let clock = clock_at(MIDNIGHT);
    let replica = || {
        let builder = Source::builder().clock(clock.clone());
        let builder = builder.missed(Missed::All { max: usize::MAX });
        let builder = builder.add("a", every(50).milliseconds().from(MIDNIGHT), 1);
        builder.add("b", every(1).seconds().from(MIDNIGHT), 2).build().expect("a source")
    };
    let sources = [replica(), replica(), replica()];
    for step in [0, 0, 50, 500, 1450, 2000] {
        clock.advance(millis(step));
        let push = async |source: &Source<u32>| {
            assert!(source.push_due(&mut storage()).await.expect("a storage that remembers keys"));
        };
        tokio::join!(push(&sources[0]), push(&sources[1]), push(&sources[2]));
    }
    let mut sum = Stats::default();
    for stats in sources.iter().map(Source::stats) {
        sum.pushed += stats.pushed;
        sum.duplicates += stats.duplicates;
        sum.failures += stats.failures;
    }
    sum
}
