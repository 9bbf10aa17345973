//! [`Shared`]: what all requests share.

use std::sync::Arc;

use serde::Serialize;

use crate::access::{Access, Sessions, random_text};
use crate::asked::{Asked, now};
use crate::feed::Feed;
use crate::source::Source;

/// A link in the heading of the page.
#[derive(Debug, Serialize)]
pub(crate) struct Link {
    pub(crate) text: String,
    pub(crate) href: String,
}

/// What all requests share.
pub(crate) struct Shared {
    pub(crate) source: Asked,
    pub(crate) title: String,
    pub(crate) links: Vec<Link>,
    pub(crate) access: Access,
    pub(crate) sessions: Sessions,
    pub(crate) feed: Arc<Feed>,
    /// Differs after each start, which the versions of the source do not survive.
    pub(crate) epoch: String,
}

impl Shared {
    pub(crate) fn new(
        source: Arc<dyn Source>,
        title: String,
        links: Vec<Link>,
        access: Access,
    ) -> Arc<Self> {
        let source = Asked::new(source);
        let (sessions, feed) = (Sessions::default(), Arc::new(Feed::new(source.clone())));
        // A system without random numbers has no sessions either, but a clock.
        let epoch = random_text().unwrap_or_else(|| now().to_string());
        Arc::new(Self { source, title, links, access, sessions, feed, epoch })
    }
}
