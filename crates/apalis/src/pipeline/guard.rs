//! [`Guard`]: the claim of a task.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use futures_channel::oneshot;
use futures_timer::Delay;
use millicron_pipeline::Claim;

use super::link::{Command, Link};

/// The instant until which a claim is certainly valid if it is not renewed.
#[derive(Clone)]
pub(crate) struct Deadline(Arc<Mutex<Instant>>);

impl Deadline {
    pub(crate) fn new(instant: Instant) -> Self {
        Self(Arc::new(Mutex::new(instant)))
    }

    pub(crate) fn set(&self, instant: Instant) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = instant;
    }

    /// Returns the remaining time.
    fn left(&self) -> Duration {
        let instant = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        instant.saturating_duration_since(Instant::now())
    }
}

/// The claim of a task. Dropping it releases the claim: if the handler fails or panics, if the
/// worker is dropped, or if nobody waits for the claim any more when it is granted.
pub(crate) struct Guard {
    link: Arc<Link>,
    claim: Option<Claim>,
    lost: oneshot::Receiver<()>,
    deadline: Deadline,
}

impl Guard {
    pub(crate) const fn new(
        link: Arc<Link>,
        claim: Claim,
        lost: oneshot::Receiver<()>,
        deadline: Deadline,
    ) -> Self {
        Self { link, claim: Some(claim), lost, deadline }
    }

    pub(crate) fn claim(&self) -> Option<Claim> {
        self.claim.clone()
    }

    /// Drops the guard without releasing the claim.
    pub(crate) fn disarm(mut self) {
        self.claim = None;
    }

    /// Waits for a handler. If the claim is lost or was not renewed in time, another worker may
    /// have it, so this drops the handler and returns `None`.
    pub(crate) async fn unless_lost<T>(&mut self, handler: impl Future<Output = T>) -> Option<T> {
        let Self { lost, deadline, .. } = self;
        let mut handler = pin!(handler);
        let mut delay = Delay::new(deadline.left());
        poll_fn(|cx| {
            // If the sender is gone, so is the keeper's thread, and recording will fail.
            if matches!(Pin::new(&mut *lost).poll(cx), Poll::Ready(Ok(()))) {
                return Poll::Ready(None);
            }
            loop {
                // After the machine was suspended, the delay may not have noticed yet that it has
                // elapsed.
                let left = deadline.left();
                if left.is_zero() {
                    return Poll::Ready(None);
                }
                if Pin::new(&mut delay).poll(cx).is_pending() {
                    break;
                }
                delay.reset(left);
            }
            handler.as_mut().poll(cx).map(Some)
        })
        .await
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(claim) = self.claim.take() {
            self.link.send(Command::Release(claim));
        }
    }
}
