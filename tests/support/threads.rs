//! Helpers for tests with several threads: a shared list, and limits on how long to wait.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A list to which several threads append.
#[derive(Debug)]
pub struct Log<T>(Arc<Mutex<Vec<T>>>);

impl<T> Clone for Log<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Default for Log<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T> Log<T> {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn add(&self, item: T) {
        lock(&self.0).push(item);
    }

    pub fn len(&self) -> usize {
        lock(&self.0).len()
    }

    pub fn is_empty(&self) -> bool {
        lock(&self.0).is_empty()
    }

    /// Removes and returns all items.
    pub fn take(&self) -> Vec<T> {
        std::mem::take(&mut *lock(&self.0))
    }
}

/// How long a test waits for what happens at once unless the test fails.
const PATIENCE: Duration = Duration::from_mins(5);

/// Waits until a condition holds, and fails if it does not within five minutes, which is enough for a busy machine.
pub fn until(mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < PATIENCE, "the condition does not hold within {PATIENCE:?}");
        thread::sleep(Duration::from_millis(1));
    }
}

/// Calls a function, and fails if it takes more than ten minutes.
pub fn watched<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    watched_for(Duration::from_mins(10), work)
}

/// Calls a function, and fails if it takes longer than a time limit.
pub fn watched_for<T: Send + 'static>(
    most: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    let (done, watch) = channel();
    let thread = thread::spawn(move || drop(done.send(work())));
    match watch.recv_timeout(most) {
        Ok(result) => result,
        Err(RecvTimeoutError::Disconnected) => match thread.join() {
            Err(panic) => std::panic::resume_unwind(panic),
            Ok(()) => unreachable!("a thread that returns has sent its result"),
        },
        Err(RecvTimeoutError::Timeout) => panic!("the time limit has passed"),
    }
}

/// Receives a message, and fails if none comes within five minutes.
pub fn receive<T>(from: &Receiver<T>) -> T {
    from.recv_timeout(PATIENCE).expect("a message within five minutes")
}
