//! [`Feed`]: the changes of a source, for any number of pages.

use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::Bytes;
use serde::Serialize;
use serde_json::json;
use tokio::sync::{Notify, watch};
use tokio::time::error::Elapsed;
use tokio::time::{sleep, timeout};

use crate::asked::{Asked, now};
use crate::failure::Failure;
use crate::source::Changes;

/// How long changes are gathered.
const PERIOD: Duration = Duration::from_millis(500);
/// News are sent to one page after another, this long apart. Written to hundreds of pages at once, they would take all
/// processors for some milliseconds, and jobs would start late.
const PACE: Duration = Duration::from_millis(1);
/// After this many pages, the turns begin again, so that each page has its news within half of [`PERIOD`].
const TURNS: u32 = 250;

/// What pages are sent.
#[derive(Clone, Debug)]
pub(crate) enum News {
    Changes(Message),
    /// The event that says that the source has failed. It is asked again.
    Problem(Bytes),
}

/// Changes of jobs.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    /// The version from which a page gets to the next one.
    since: Option<u64>,
    pub(crate) version: u64,
    /// The event, which is written once for all pages.
    pub(crate) event: Bytes,
    is_empty: bool,
    /// How many jobs are not listed.
    unlisted: u64,
}

/// The data of the event of changes.
#[derive(Serialize)]
struct Data {
    now: i64,
    #[serde(flatten)]
    changes: Changes,
}

/// The last news, and the version that a page has which has read all of them.
#[derive(Clone, Debug)]
pub(crate) struct Latest {
    pub(crate) version: u64,
    pub(crate) news: Option<News>,
}

/// Asks a source for changes while pages are open.
pub(crate) struct Feed {
    source: Asked,
    /// The last news, while a task asks for them.
    latest: Mutex<Option<Arc<watch::Sender<Latest>>>>,
    hurry: Notify,
}

/// The news for one page.
pub(crate) struct Subscription {
    latest: watch::Receiver<Latest>,
    /// How long this page waits, while others are sent theirs.
    delay: Duration,
}

impl Feed {
    pub(crate) fn new(source: Asked) -> Self {
        Self { source, latest: Mutex::default(), hurry: Notify::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<watch::Sender<Latest>>>> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what has changed since a version, or all jobs if it is `None` or not known any more.
    pub(crate) async fn changes(&self, since: Option<u64>) -> Result<Message, Failure> {
        // Making the text may take a while, too.
        self.source
            .ask(move |source| {
                let changes = source.changes(since)?;
                let is_empty =
                    !changes.is_complete && changes.jobs.is_empty() && changes.removed.is_empty();
                let Changes { version, unlisted, .. } = changes;
                let event = event("changes", Some(version), &Data { now: now(), changes })?;
                Ok(Message { since, version, event, is_empty, unlisted })
            })
            .await
    }

    /// Returns the news after a version. `None` if some have been sent since it was read: it must be read again.
    pub(crate) fn subscribe(self: &Arc<Self>, version: u64) -> Option<Subscription> {
        let mut latest = self.lock();
        if let Some(sender) = &*latest {
            let turn = u32::try_from(sender.receiver_count()).unwrap_or_default() % TURNS;
            let receiver = sender.subscribe();
            let is_current = receiver.borrow().version <= version;
            return is_current.then_some(Subscription { latest: receiver, delay: PACE * turn });
        }
        let (sender, receiver) = watch::channel(Latest { version, news: None });
        let sender = Arc::new(sender);
        *latest = Some(Arc::clone(&sender));
        tokio::spawn(Arc::clone(self).run(sender, version));
        Some(Subscription { latest: receiver, delay: Duration::ZERO })
    }

    /// Asks for changes at once, after an action whose effect somebody waits for.
    pub(crate) fn hurry(&self) {
        self.hurry.notify_one();
    }

    /// Asks for changes until no page is open.
    async fn run(self: Arc<Self>, sender: Arc<watch::Sender<Latest>>, mut version: u64) {
        // The version that pages have. Nothing has changed between it and `version`.
        let mut sent = version;
        let (mut has_failed, mut unlisted) = (false, 0);
        loop {
            let _ = timeout(PERIOD, self.hurry.notified()).await;
            {
                // No page can subscribe meanwhile.
                let mut latest = self.lock();
                if sender.receiver_count() == 0 {
                    *latest = None;
                    return;
                }
            }
            let news = match self.changes(Some(version)).await {
                Ok(mut message) => {
                    version = message.version;
                    // After a problem, pages learn that nothing has changed.
                    let before = mem::replace(&mut unlisted, message.unlisted);
                    message.is_empty &= message.unlisted == before;
                    if message.is_empty && !mem::take(&mut has_failed) {
                        continue;
                    }
                    message.since = Some(sent);
                    sent = version;
                    Some(News::Changes(message))
                }
                Err(failure) => {
                    has_failed = true;
                    problem(&failure).map(News::Problem)
                }
            };
            sender.send_replace(Latest { version: sent, news });
        }
    }
}

impl Subscription {
    /// Waits for news. Returns `None` when the feed has ended.
    ///
    /// # Errors
    ///
    /// If there is no news within `patience`.
    pub(crate) async fn next(&mut self, patience: Duration) -> Result<Option<Latest>, Elapsed> {
        if timeout(patience, self.latest.changed()).await?.is_err() {
            return Ok(None);
        }
        let latest = self.latest.borrow_and_update().clone();
        sleep(self.delay).await;
        Ok(Some(latest))
    }
}

impl Message {
    /// Whether a page with a version gets to the next one by this message.
    pub(crate) fn continues(&self, version: u64) -> bool {
        self.since.is_some_and(|since| since <= version)
    }

    /// Whether nothing has changed.
    pub(crate) const fn is_empty(&self) -> bool {
        self.is_empty
    }
}

/// Writes an event. Its data has no line breaks, as JSON escapes those in texts.
pub(crate) fn event(
    name: &str,
    version: Option<u64>,
    data: &impl Serialize,
) -> serde_json::Result<Bytes> {
    let id = version.map_or_else(String::new, |version| format!("id: {version}\n"));
    let mut event = format!("event: {name}\n{id}data: ").into_bytes();
    serde_json::to_writer(&mut event, data)?;
    event.extend_from_slice(b"\n\n");
    Ok(event.into())
}

/// Writes the event that says why the source has failed.
pub(crate) fn problem(failure: &Failure) -> Option<Bytes> {
    event("problem", None, &json!({ "error": failure.message() })).ok()
}
