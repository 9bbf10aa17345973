//! What the tests have in common.

mod recorder;

use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use millicron::Recurrence;
use millicron_apalis::{ManualClock, Source};

pub(crate) use recorder::{Answer, Recorder};

/// 2026-11-21 00:00:00 UTC, in milliseconds since 1970.
pub(crate) const MIDNIGHT: i64 = 1_795_219_200_000;

/// A clock that shows an instant.
pub(crate) fn clock_at(millis: i64) -> ManualClock {
    ManualClock::new(time(millis))
}

/// An instant after 1970.
pub(crate) fn time(millis: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(u64::try_from(millis).expect("an instant after 1970"))
}

pub(crate) const fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Pushes what is due, and returns whether the storage took everything.
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
