//! [`OnceJob`]: a plain job that runs once, in a few bytes.

use std::num::NonZeroU64;

use crate::job::OnceCall;
use crate::run::RunKind;
use crate::time::Nanos;

/// The data of a plain one-shot job, without its closure. A million of them should stay small.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OnceHeader {
    /// When it is due.
    pub(crate) due: Nanos,
    /// The number of the job, with the state in the highest bits. Never zero: that niche marks a
    /// vacant slot of the table.
    bits: NonZeroU64,
}

/// What a job waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum JobState {
    /// In the queue.
    Waiting,
    /// Not waiting for an event: due, running, or without further events.
    #[default]
    Idle,
    Paused,
}

const STATE_SHIFT: u32 = 62;

/// The highest bits of an idle job that was triggered.
const TRIGGERED: u64 = 3;

impl OnceHeader {
    /// Creates the header of a job that is not waiting yet. Numbers begin with 1.
    const fn new(serial: u64) -> Self {
        let bits = NonZeroU64::MIN.saturating_add(serial.saturating_sub(1));
        let mut header = Self { due: Nanos(0), bits };
        header.set_state(JobState::Idle);
        header
    }

    pub(crate) const fn serial(&self) -> u64 {
        self.bits.get() & !(u64::MAX << STATE_SHIFT)
    }

    pub(crate) const fn state(&self) -> JobState {
        match self.bits.get() >> STATE_SHIFT {
            0 => JobState::Waiting,
            2 => JobState::Paused,
            _ => JobState::Idle,
        }
    }

    pub(crate) const fn set_state(&mut self, state: JobState) {
        self.set_bits(match state {
            JobState::Waiting => 0,
            JobState::Idle => 1,
            JobState::Paused => 2,
        });
    }

    /// Makes the job due at an instant, because it was triggered.
    pub(crate) const fn trigger(&mut self, due: Nanos) {
        self.due = due;
        self.set_bits(TRIGGERED);
    }

    /// Returns what the job's run is started for.
    pub(crate) const fn kind(&self) -> RunKind {
        match self.bits.get() >> STATE_SHIFT {
            TRIGGERED => RunKind::Triggered,
            _ => RunKind::Scheduled,
        }
    }

    const fn set_bits(&mut self, state: u64) {
        if let Some(bits) = NonZeroU64::new(self.serial() | state << STATE_SHIFT) {
            self.bits = bits;
        }
    }
}

/// A plain one-shot job with its closure, which the table stores inline, without an allocation.
pub(crate) struct OnceJob<F> {
    pub(super) header: OnceHeader,
    pub(super) call: F,
}

impl<F: OnceCall> OnceJob<F> {
    pub(crate) const fn new(serial: u64, call: F) -> Self {
        Self { header: OnceHeader::new(serial), call }
    }
}
