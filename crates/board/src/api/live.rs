//! Server-sent events.

use std::convert::Infallible;
use std::mem;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::{Query, State};
use axum::http::{HeaderMap, header};
use axum::response::IntoResponse;
use futures_util::future::Either;
use futures_util::stream::{self, StreamExt as _};
use serde::Deserialize;
use serde_json::json;
use tokio::time::sleep;

use super::guard::Visitor;
use crate::asked::now;
use crate::failure::Failure;
use crate::feed::{Message, News, Subscription, event, problem};
use crate::shared::Shared;

/// How often a page learns that the connection is alive.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// A comment, which pages ignore.
const COMMENT: Bytes = Bytes::from_static(b":\n\n");
/// How long a page waits before it asks a source again that has failed.
const PAUSE: Duration = Duration::from_secs(1);

#[derive(Deserialize)]
pub(super) struct FeedQuery {
    version: Option<u64>,
    #[serde(default)]
    epoch: String,
}

/// Sends changes of jobs, from the version on that the page has.
pub(super) async fn feed(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
    Query(query): Query<FeedQuery>,
    headers: HeaderMap,
) -> Result<impl IntoResponse, Failure> {
    // A browser that connects again sends the last version that it has received.
    let last = headers.get("Last-Event-ID").and_then(|id| id.to_str().ok()?.parse().ok());
    let version = last.or(query.version).filter(|_| query.epoch == shared.epoch);
    let hello = event("hello", None, &json!({ "epoch": shared.epoch, "now": now() }));
    let hello = hello.map_err(|error| Failure::internal(error.to_string()))?;
    let reader = Reader { shared, version, news: None, has_failed: false };
    let events =
        stream::unfold(reader, |mut reader| async { Some((reader.next().await?, reader)) });
    let events = stream::iter([hello]).chain(events).map(Ok::<_, Infallible>);
    let events = match visitor {
        Visitor::SignedIn(session) => Either::Left(events.take_until(Box::pin(session.ended()))),
        _ => Either::Right(events),
    };
    Ok(([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(events)))
}

/// A page that reads.
struct Reader {
    shared: Arc<Shared>,
    /// The version that it has.
    version: Option<u64>,
    /// `None` until it has caught up.
    news: Option<Subscription>,
    /// Whether it was told that the source has failed.
    has_failed: bool,
}

impl Reader {
    /// Returns the next event.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            let Some(news) = &mut self.news else {
                match self.shared.feed.changes(self.version).await {
                    Ok(message) => {
                        self.news = self.shared.feed.subscribe(message.version);
                        let is_news = self.version != Some(message.version) || !message.is_empty();
                        let event = self.changes(&message);
                        if mem::take(&mut self.has_failed) || is_news {
                            return Some(event);
                        }
                    }
                    Err(failure) => {
                        if mem::replace(&mut self.has_failed, true) {
                            sleep(PAUSE).await;
                        }
                        return problem(&failure);
                    }
                }
                continue;
            };
            let latest = match news.next(KEEP_ALIVE).await {
                Ok(latest) => latest?,
                Err(_) => return Some(COMMENT),
            };
            let version = self.version.unwrap_or_default();
            let is_behind = latest.version > version;
            match latest.news {
                Some(News::Changes(message))
                    if message.continues(version) && (is_behind || message.is_empty()) =>
                {
                    return Some(self.changes(&message));
                }
                news => {
                    if is_behind {
                        // The page has read too slowly, and the messages in between are gone.
                        self.news = None;
                    }
                    if let Some(News::Problem(event)) = news {
                        return Some(event);
                    }
                }
            }
        }
    }

    fn changes(&mut self, message: &Message) -> Bytes {
        self.version = Some(message.version);
        message.event.clone()
    }
}
