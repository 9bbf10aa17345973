//! A storage that records what it receives.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};

use apalis_core::backend::finalize::Ephemeral;
use apalis_core::backend::{Backend, BackendConfig};
use apalis_core::error::BoxDynError;
use apalis_core::task::Task;
use apalis_core::worker::context::WorkerContext;
use futures_util::Sink;
use millicron_apalis::Run;
use tower_layer::Identity;

/// How the storage handles a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Take,
    /// Refuses the batch, and stores nothing.
    Fail,
    /// Stores the batch, but loses the answer.
    TakeAndFail,
    /// Delays the answer.
    Wait,
    /// Does not answer until [`Recorder::end_hang`] is called.
    Hang,
}

#[derive(Debug)]
pub(crate) enum RecorderError {
    Duplicate,
    Failure,
    Other(BoxDynError),
}

/// Which tasks the storage hands out.
#[derive(Default)]
enum Fetch {
    #[default]
    Nothing,
    /// All tasks. Contains the number of tasks handed out so far.
    All(usize),
    /// The first task, once the query has been answered. Contains whether it has, and the waker to
    /// call.
    Query(bool, Waker),
}

type Refusal = dyn Fn() -> BoxDynError + Send + Sync;

/// A storage that refuses a whole batch if it contains a duplicate, with `PostgreSQL`'s message.
#[derive(Clone, Default)]
pub(crate) struct Recorder {
    tasks: Arc<Mutex<Tasks>>,
    /// How to handle the next batches. The storage takes all later ones.
    answers: Arc<Mutex<VecDeque<Answer>>>,
    /// Whom to wake when the storage no longer hangs.
    hanging: Arc<Mutex<Option<Waker>>>,
    buffer: Vec<Task<Run<u32>>>,
    /// The contents of the buffer when it was flushed. Until they are answered, the buffer waits.
    in_flight: Vec<Task<Run<u32>>>,
    fetch: Arc<Mutex<Fetch>>,
    /// The error with which all batches are refused.
    refusal: Option<Arc<Refusal>>,
    /// The jobs whose tasks are refused, with the batches that contain them.
    refused_jobs: Arc<Mutex<BTreeSet<String>>>,
}

#[derive(Default)]
struct Tasks {
    by_key: BTreeMap<String, Task<Run<u32>>>,
    statements: usize,
    /// How often the storage was polled for a task.
    asked: usize,
    /// Whether it has recorded which tasks have ended, since it was polled for a task.
    is_recorded: bool,
    /// Whom to wake for reasons other than queries.
    ready: Option<Waker>,
}

impl Recorder {
    pub(crate) fn answering(answers: impl IntoIterator<Item = Answer>) -> Self {
        let answers = Arc::new(Mutex::new(answers.into_iter().collect()));
        Self { answers, ..Self::default() }
    }

    /// Returns a storage that refuses all batches.
    pub(crate) fn refusing(error: impl Fn() -> BoxDynError + Send + Sync + 'static) -> Self {
        Self { refusal: Some(Arc::new(error)), ..Self::default() }
    }

    /// Returns a storage that refuses batches with tasks of some jobs.
    #[cfg(all(feature = "postgres", feature = "sqlite"))]
    pub(crate) fn refusing_jobs<const N: usize>(jobs: [&str; N]) -> Self {
        let storage = Self::default();
        storage.refuse_jobs(jobs);
        storage
    }

    /// Refuses the tasks of these jobs from now on, and of no others.
    #[cfg(all(feature = "postgres", feature = "sqlite"))]
    pub(crate) fn refuse_jobs<const N: usize>(&self, jobs: [&str; N]) {
        *self.refused_jobs.lock().expect("no panic") = jobs.map(str::to_owned).into();
    }

    /// Returns a storage that hands out its tasks at once, in the order of their keys.
    pub(crate) fn giving() -> Self {
        Self { fetch: Arc::new(Mutex::new(Fetch::All(0))), ..Self::default() }
    }

    /// Returns a storage that hands out its first task when [`answer`](Self::answer) is called.
    pub(crate) fn asking() -> Self {
        let fetch = Fetch::Query(false, Waker::noop().clone());
        Self { fetch: Arc::new(Mutex::new(fetch)), ..Self::default() }
    }

    pub(crate) fn answer(&self) {
        if let Fetch::Query(is_answered, waker) = &mut *self.fetch.lock().expect("no panic") {
            *is_answered = true;
            waker.wake_by_ref();
        }
    }

    /// Whether the storage does not answer.
    pub(crate) fn hangs(&self) -> bool {
        self.hanging.lock().expect("no panic").is_some()
    }

    /// Takes the batch that it has not answered.
    pub(crate) fn end_hang(&self) {
        self.answers.lock().expect("no panic").clear();
        let waker = self.hanging.lock().expect("no panic").take();
        waker.expect("it hangs").wake();
    }

    /// Wakes the worker for another reason than a query, such as a heartbeat.
    pub(crate) fn wake_for_heartbeat(&self) {
        let waker = self.lock().ready.clone();
        waker.expect("it was asked whether it is ready").wake();
    }

    /// Wakes whoever waits for the query: its next part begins.
    pub(crate) fn ring(&self) {
        if let Fetch::Query(_, waker) = &*self.fetch.lock().expect("no panic") {
            waker.wake_by_ref();
        }
    }

    /// Returns another connection to the same storage, with other answers.
    pub(crate) fn connection(&self, answers: impl IntoIterator<Item = Answer>) -> Self {
        Self { tasks: Arc::clone(&self.tasks), ..Self::answering(answers) }
    }

    pub(crate) fn keys(&self) -> Vec<String> {
        self.lock().by_key.keys().cloned().collect()
    }

    pub(crate) fn task(&self, key: &str) -> Task<Run<u32>> {
        self.lock().by_key[key].clone()
    }

    /// Returns the number of batches that were sent.
    pub(crate) fn statements(&self) -> usize {
        self.lock().statements
    }

    /// Returns how often the storage was polled for a task.
    pub(crate) fn asked(&self) -> usize {
        self.lock().asked
    }

    /// Whether the storage has recorded which tasks have ended, since it was polled for a task. Apalis's storages do so
    /// when they are asked whether they are ready.
    pub(crate) fn is_recorded(&self) -> bool {
        self.lock().is_recorded
    }

    fn lock(&self) -> MutexGuard<'_, Tasks> {
        self.tasks.lock().expect("no panic")
    }

    fn store(&mut self) -> Result<(), RecorderError> {
        let batch = std::mem::take(&mut self.in_flight);
        let refused = self.refused_jobs.lock().expect("no panic");
        if batch.iter().any(|task| refused.contains(&task.args.job)) {
            return Err(RecorderError::Failure);
        }
        drop(refused);
        let mut tasks = self.lock();
        tasks.statements += 1;
        let key = |task: &Task<Run<u32>>| task.idempotency_key().expect("a key").to_string();
        let mut keys: BTreeSet<_> = tasks.by_key.keys().cloned().collect();
        if !batch.iter().all(|task| keys.insert(key(task))) {
            return Err(RecorderError::Duplicate);
        }
        tasks.by_key.extend(batch.into_iter().map(|task| (key(&task), task)));
        Ok(())
    }
}

impl Sink<Task<Run<u32>>> for Recorder {
    type Error = RecorderError;

    fn poll_ready(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), RecorderError>> {
        Poll::Ready(Ok(()))
    }

    fn start_send(mut self: Pin<&mut Self>, task: Task<Run<u32>>) -> Result<(), RecorderError> {
        self.buffer.push(task);
        Ok(())
    }

    fn poll_flush(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), RecorderError>> {
        if self.in_flight.is_empty() {
            self.in_flight = std::mem::take(&mut self.buffer);
        }
        if self.in_flight.is_empty() {
            return Poll::Ready(Ok(()));
        }
        let mut answers = self.answers.lock().expect("no panic");
        let answer = answers.pop_front().unwrap_or(Answer::Take);
        if answer == Answer::Hang {
            answers.push_front(answer);
        }
        drop(answers);
        if let Some(refusal) = self.refusal.clone() {
            self.in_flight.clear();
            return Poll::Ready(Err(RecorderError::Other(refusal())));
        }
        match answer {
            Answer::Take => Poll::Ready(self.store()),
            Answer::Fail => {
                self.in_flight.clear();
                Poll::Ready(Err(RecorderError::Failure))
            }
            Answer::TakeAndFail => Poll::Ready(self.store().and(Err(RecorderError::Failure))),
            Answer::Wait => {
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            Answer::Hang => {
                *self.hanging.lock().expect("no panic") = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }

    fn poll_close(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), RecorderError>> {
        Sink::poll_flush(self, cx)
    }
}

impl Backend for Recorder {
    type Task = Task<Run<u32>>;
    type Error = RecorderError;

    fn poll_ready(
        &mut self,
        cx: &mut Context<'_>,
        _: &WorkerContext,
    ) -> Poll<Result<(), RecorderError>> {
        let mut tasks = self.lock();
        tasks.is_recorded = true;
        tasks.ready = Some(cx.waker().clone());
        Poll::Ready(Ok(()))
    }

    fn poll_next(
        &mut self,
        cx: &mut Context<'_>,
        _: &WorkerContext,
    ) -> Poll<Option<Result<Self::Task, RecorderError>>> {
        let mut tasks = self.lock();
        tasks.asked += 1;
        tasks.is_recorded = false;
        let mut fetch = self.fetch.lock().expect("no panic");
        let index = match &mut *fetch {
            Fetch::Query(false, waker) => {
                waker.clone_from(cx.waker());
                return Poll::Pending;
            }
            Fetch::Query(true, _) => {
                *fetch = Fetch::Nothing;
                0
            }
            Fetch::All(given) => {
                *given += 1;
                *given - 1
            }
            Fetch::Nothing => return Poll::Pending,
        };
        if let Some(task) = tasks.by_key.values().nth(index) {
            return Poll::Ready(Some(Ok(task.clone())));
        }
        *fetch = Fetch::All(index);
        Poll::Pending
    }

    fn poll_close(
        &mut self,
        _: &mut Context<'_>,
        _: &WorkerContext,
    ) -> Poll<Result<(), RecorderError>> {
        Poll::Ready(Ok(()))
    }
}

impl BackendConfig for Recorder {
    type Args = Run<u32>;
    type Id = u64;
    type Kind = Ephemeral;
    type Config = ();
    type Layer = Identity;

    fn config(&self) -> &() {
        &()
    }

    fn middleware(&mut self, _: &mut WorkerContext) -> Identity {
        Identity::new()
    }
}

impl fmt::Display for RecorderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Other(error) => return error.fmt(f),
            Self::Duplicate => {
                "error returned from database: duplicate key value violates unique constraint \
                 \"idx_jobs_idempotency_key\""
            }
            Self::Failure => "the connection is lost",
        })
    }
}

impl std::error::Error for RecorderError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Other(error) => error.source(),
            _ => None,
        }
    }
}
