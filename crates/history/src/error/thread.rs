//! [`CallError`] and [`Panic`].

use core::fmt;
use std::error::Error;

/// An error of [`HistoryThread::call`](crate::HistoryThread::call).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallError {
    /// The closure has panicked.
    Panicked(Panic),
    /// The thread would wait for itself.
    OwnThread,
    /// The thread has ended.
    Ended,
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Panicked(_) => "a call of the history has panicked",
            Self::OwnThread => "the thread of the history would wait for itself",
            Self::Ended => "the thread of the history has ended",
        })
    }
}

impl Error for CallError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Panicked(panic) => Some(panic),
            Self::OwnThread | Self::Ended => None,
        }
    }
}

/// A panic that [`catch_panic`](crate::catch_panic) caught. It displays as its message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panic {
    pub(crate) message: String,
}

impl fmt::Display for Panic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for Panic {}
