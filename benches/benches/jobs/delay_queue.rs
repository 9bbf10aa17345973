//! Adding and cancelling a million entries of tokio's `DelayQueue`, which one task owns.

use std::time::Instant;

use tokio::runtime::{Builder, Runtime};
use tokio_util::time::DelayQueue;
use tokio_util::time::delay_queue::Key;

use crate::JOBS;
use crate::million::{delays, shuffle};

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_time().build().expect("the runtime starts")
}

fn added() -> (DelayQueue<fn()>, Vec<Key>) {
    let mut queue = DelayQueue::new();
    let add = |after| queue.insert((|| {}) as fn(), after);
    let keys = delays(JOBS).map(add).collect();
    (queue, keys)
}

/// Returns the seconds that adding the entries takes.
pub(crate) fn add() -> f64 {
    runtime().block_on(async {
        let start = Instant::now();
        let added = added();
        let taken = start.elapsed().as_secs_f64();
        drop(added);
        taken
    })
}

/// Returns the seconds that removing the entries in random order takes.
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
