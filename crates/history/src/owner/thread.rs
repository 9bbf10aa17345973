//! [`HistoryThread`]: a thread that owns a history.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};
use std::{fmt, io};

use super::panic::catch_panic;
use crate::error::CallError;

/// How long the thread waits after its own work has panicked.
const PAUSE_AFTER_PANIC: Duration = Duration::from_secs(1);

type Call<S> = Box<dyn FnOnce(&mut S) + Send>;

enum Message<S: ?Sized> {
    Call(Call<S>),
    /// Does the thread's own work, then drops the sender.
    Flush(Sender<()>),
}

/// A thread that owns a history, so that neither a timer nor an asynchronous runtime waits for a
/// disk or a server.
///
/// The thread owns a state, which contains the history and what its owner knows about it. It executes
/// closures with that state, in the order in which they are sent. In between, it does work of its
/// own, such as renewing [claims](crate::HeldClaims) or retrying what failed.
///
/// Clones reach the same thread. When the last one is dropped, the thread executes what has been
/// sent, drops the state and ends. A panic of a closure or of the work is caught, and the state
/// stays in use.
///
/// ```
/// use std::time::Duration;
///
/// use millicron_history::{History, HistoryThread, MemoryHistory};
///
/// let thread = HistoryThread::start("history", Box::new(MemoryHistory::new()), |_| None)?;
/// thread.send(|history| drop(history.record("load", 3_600_000)));
/// assert_eq!(thread.call(|history| history.len())?, 1);
/// assert!(thread.flush(Duration::MAX));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct HistoryThread<S: ?Sized> {
    messages: Sender<Message<S>>,
    id: ThreadId,
}

impl<S: ?Sized + 'static> HistoryThread<S> {
    /// Starts a thread that owns a state.
    ///
    /// `work` is called at first, whenever no closure is waiting, and at the instant that it has
    /// returned. `None` means that there is nothing to do until the next closure.
    ///
    /// # Errors
    ///
    /// Returns an error if the operating system cannot start the thread.
    pub fn start(
        name: &str,
        mut state: Box<S>,
        mut work: impl FnMut(&mut S) -> Option<Instant> + Send + 'static,
    ) -> io::Result<Self>
    where
        S: Send,
    {
        let (messages, receiver) = channel();
        let run = move || run(&mut *state, &receiver, &mut work);
        let thread = thread::Builder::new().name(name.to_string()).spawn(run)?;
        Ok(Self { messages, id: thread.thread().id() })
    }

    /// Sends a closure, and does not wait for it.
    pub fn send(&self, call: impl FnOnce(&mut S) + Send + 'static) {
        // The thread lives as long as its handles.
        drop(self.messages.send(Message::Call(Box::new(call))));
    }

    /// Executes a closure, and waits for its result.
    ///
    /// An asynchronous caller can [`send`](Self::send) a closure that completes a channel of its
    /// runtime instead.
    ///
    /// # Errors
    ///
    /// - The closure has panicked.
    /// - This is the thread itself, which would wait for itself.
    /// - The thread has ended.
    pub fn call<T: Send + 'static>(
        &self,
        call: impl FnOnce(&mut S) -> T + Send + 'static,
    ) -> Result<T, CallError> {
        if thread::current().id() == self.id {
            return Err(CallError::OwnThread);
        }
        let (reply, answer) = channel();
        self.send(move |state| {
            let result = catch_panic(|| call(state)).map_err(CallError::Panicked);
            drop(reply.send(result));
        });
        answer.recv().unwrap_or(Err(CallError::Ended))
    }

    /// Waits until everything that was sent before is executed, and the thread has done its own work
    /// after it. Returns whether that was the case within the time limit. Returns `false` at once on the
    /// thread itself, which would wait for itself.
    #[must_use]
    pub fn flush(&self, limit: Duration) -> bool {
        if thread::current().id() == self.id {
            return false;
        }
        let (done, is_done) = channel();
        drop(self.messages.send(Message::Flush(done)));
        is_done.recv_timeout(limit) == Err(RecvTimeoutError::Disconnected)
    }
}

impl<S: ?Sized> Clone for HistoryThread<S> {
    fn clone(&self) -> Self {
        Self { messages: self.messages.clone(), id: self.id }
    }
}

impl<S: ?Sized> fmt::Debug for HistoryThread<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HistoryThread").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Executes closures until all senders are dropped.
fn run<S: ?Sized>(
    state: &mut S,
    messages: &Receiver<Message<S>>,
    work: &mut dyn FnMut(&mut S) -> Option<Instant>,
) {
    let mut due = Some(Instant::now());
    loop {
        let message = match messages.try_recv() {
            Err(TryRecvError::Empty) => {
                due = do_work(state, work);
                receive(messages, due)
            }
            Err(TryRecvError::Disconnected) => return,
            // Many closures must not delay the work.
            Ok(message) => {
                if due.is_some_and(|due| due <= Instant::now()) {
                    due = do_work(state, work);
                }
                Some(message)
            }
        };
        match message {
            Some(Message::Call(call)) => drop(catch_panic(|| call(state))),
            Some(Message::Flush(_done)) => due = do_work(state, work),
            None => {}
        }
    }
}

/// Waits for a message until an instant. Returns `None` if there is none.
fn receive<S: ?Sized>(
    messages: &Receiver<Message<S>>,
    until: Option<Instant>,
) -> Option<Message<S>> {
    match until {
        Some(until) => messages.recv_timeout(until.saturating_duration_since(Instant::now())).ok(),
        None => messages.recv().ok(),
    }
}

fn do_work<S: ?Sized>(
    state: &mut S,
    work: &mut dyn FnMut(&mut S) -> Option<Instant>,
) -> Option<Instant> {
    catch_panic(|| work(state)).unwrap_or_else(|_| Instant::now().checked_add(PAUSE_AFTER_PANIC))
}
