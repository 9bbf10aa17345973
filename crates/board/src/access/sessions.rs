//! [`Sessions`]: who has signed in.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;

/// How long a session lasts.
const LIFETIME: Duration = Duration::from_hours(12);
/// How many sessions there are at once. The oldest one ends if there are more.
const MOST: usize = 1000;

/// Those who have signed in.
#[derive(Debug, Default)]
pub(crate) struct Sessions(Mutex<HashMap<String, Open>>);

#[derive(Debug)]
struct Open {
    end: Instant,
    /// Dropped when the session ends.
    is_open: watch::Sender<()>,
}

/// A session, as a request sees it.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    end: Instant,
    is_open: watch::Receiver<()>,
}

impl Session {
    /// Waits until the session has ended.
    pub(crate) async fn ended(mut self) {
        let is_closed = async { while self.is_open.changed().await.is_ok() {} };
        let _ = tokio::time::timeout_at(self.end.into(), is_closed).await;
    }
}

impl Sessions {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Open>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a session, and returns its name, which is a secret. Returns `None` if the system has no random numbers.
    pub(crate) fn begin(&self) -> Option<String> {
        let (name, now) = (random_text()?, Instant::now());
        let mut sessions = self.lock();
        sessions.retain(|_, session| session.end > now);
        if sessions.len() >= MOST {
            let oldest = sessions.iter().min_by_key(|(_, session)| session.end);
            let oldest = oldest.map(|(name, _)| name.clone());
            oldest.and_then(|name| sessions.remove(&name));
        }
        let open = Open { end: now + LIFETIME, is_open: watch::Sender::new(()) };
        sessions.insert(name.clone(), open);
        Some(name)
    }

    /// Ends a session.
    pub(crate) fn end(&self, name: &str) {
        self.lock().remove(name);
    }

    /// Returns an open session.
    pub(crate) fn get(&self, name: &str) -> Option<Session> {
        let sessions = self.lock();
        let Open { end, is_open } = sessions.get(name)?;
        (*end > Instant::now()).then(|| Session { end: *end, is_open: is_open.subscribe() })
    }
}

/// Returns a text that cannot be guessed, or `None` if the system has no random numbers.
pub(crate) fn random_text() -> Option<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).ok()?;
    Some(format!("{:032x}", u128::from_ne_bytes(bytes)))
}
