//! The queue of timers of `tokio`, which one task owns.

use std::time::Instant;

use tokio::runtime::{Builder, Runtime};
use tokio_util::time::DelayQueue;
use tokio_util::time::delay_queue::Key;

use crate::JOBS;
use crate::counts::{instants, shuffle};

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_time().build().expect("a runtime")
}

fn added() -> (DelayQueue<fn()>, Vec<Key>) {
    let mut queue = DelayQueue::new();
    let add = |after| queue.insert((|| {}) as fn(), after);
    let keys = instants(JOBS).map(add).collect();
    (queue, keys)
}

/// Seconds to add them.
pub(crate) fn add() -> f64 {
    runtime().block_on(async {
        let start = Instant::now();
        let added = added();
        let taken = start.elapsed().as_secs_f64();
        drop(added);
        taken
    })
}

/// Seconds to cancel them.
pub(crate) fn cancel() -> f64 {
    runtime().block_on(async {
        let (mut queue, mut keys) = added();
        shuffle(&mut keys);
        let start = Instant::now();
        for key in &keys {
            queue.remove(key);
        }
        start.elapsed().as_secs_f64()
    })
}
