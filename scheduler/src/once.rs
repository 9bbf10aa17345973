//! [`OnceJob`]: a job that runs once, in one small allocation.

use crate::completion::Completion;
use crate::instant::Nanos;
use crate::outcome::Outcome;
use crate::run::RunContext;

/// The data of a plain job that runs once, without its closure. A million of them should stay small.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OnceHeader {
    /// When it is due.
    pub(crate) due: Nanos,
    /// The number of the job, with the state in the highest bits.
    bits: u64,
}

/// What a job waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JobState {
    /// In the queue.
    Waiting,
    /// Not waiting for an event: due, running, or without further events.
    Idle,
    Paused,
}

const STATE_SHIFT: u32 = 62;

impl OnceHeader {
    const NEW: Self = Self { due: Nanos(0), bits: 0 };

    pub(crate) const fn serial(&self) -> u64 {
        self.bits & !(u64::MAX << STATE_SHIFT)
    }

    pub(crate) const fn set_serial(&mut self, serial: u64) {
        self.bits = serial;
        self.set_state(JobState::Idle);
    }

    pub(crate) const fn state(&self) -> JobState {
        match self.bits >> STATE_SHIFT {
            0 => JobState::Waiting,
            1 => JobState::Idle,
            _ => JobState::Paused,
        }
    }

    pub(crate) const fn set_state(&mut self, state: JobState) {
        let state = match state {
            JobState::Waiting => 0,
            JobState::Idle => 1,
            JobState::Paused => 2,
        };
        self.bits = self.serial() | state << STATE_SHIFT;
    }
}

/// A job that runs once: its closure and its header.
pub(crate) trait OnceJob: Send {
    fn header(&self) -> &OnceHeader;

    fn header_mut(&mut self) -> &mut OnceHeader;

    /// Calls the closure. Returns the outcome, or `None` if a completion will report it.
    fn run(
        self: Box<Self>,
        run: RunContext,
        completion: &dyn Fn() -> Completion,
    ) -> Option<Outcome>;
}

pub(crate) struct OnceClosure<F> {
    header: OnceHeader,
    call: F,
}

impl<F> OnceClosure<F> {
    pub(crate) const fn new(call: F) -> Self {
        Self { header: OnceHeader::NEW, call }
    }
}

impl<F> OnceJob for OnceClosure<F>
where
    F: FnOnce(RunContext, &dyn Fn() -> Completion) -> Option<Outcome> + Send,
{
    fn header(&self) -> &OnceHeader {
        &self.header
    }

    fn header_mut(&mut self) -> &mut OnceHeader {
        &mut self.header
    }

    fn run(
        self: Box<Self>,
        run: RunContext,
        completion: &dyn Fn() -> Completion,
    ) -> Option<Outcome> {
        (self.call)(run, completion)
    }
}
