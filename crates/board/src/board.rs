//! [`Board`]: the page, and who may see it and act.

use std::fmt;
use std::sync::Arc;

use axum::Router;

use crate::access::Access;
use crate::api;
use crate::shared::{Link, Shared};
use crate::source::Source;

/// A page that shows the jobs of a [`Source`], as an axum router.
///
/// Without a [`token`](Self::token), and unless it is [`public`](Self::public), it shows nothing.
///
/// ```
/// use millicron_board::{Board, Source};
///
/// fn service(source: impl Source) -> axum::Router {
///     let board = Board::new(source).title("Backups").token("not this one").actions();
///     axum::Router::new().nest_service("/schedules", board.router())
/// }
/// ```
#[must_use]
pub struct Board {
    source: Arc<dyn Source>,
    title: String,
    links: Vec<Link>,
    access: Access,
}

impl Board {
    /// Returns a board that shows nothing yet, because nobody may see it.
    pub fn new(source: impl Source) -> Self {
        Self::of(Arc::new(source))
    }

    /// Returns a board of a source that others share; see [`new`](Self::new).
    pub fn of(source: Arc<dyn Source>) -> Self {
        let title = "Schedules".to_owned();
        Self { source, title, links: Vec::new(), access: Access::default() }
    }

    /// Sets the heading. The default is "Schedules".
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// Links to a further page of the service, such as one that lists tasks.
    pub fn link(mut self, text: impl Into<String>, href: impl Into<String>) -> Self {
        self.links.push(Link { text: text.into(), href: href.into() });
        self
    }

    /// Accepts a further name of the server, such as `jobs.example.org`.
    ///
    /// IP addresses and `localhost` are always accepted. Requests for any other name are refused: somebody else's
    /// name can be made to resolve to this server, and the pages of that name could then read this one.
    pub fn host(mut self, name: impl Into<String>) -> Self {
        self.access.hosts.push(name.into().to_ascii_lowercase());
        self
    }

    /// Sets the token with which visitors sign in. An empty one is none.
    ///
    /// Programs send it as `Authorization: Bearer …`.
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.access.token = Some(token.into()).filter(|token| !token.is_empty());
        self
    }

    /// Lets everybody read who can reach the page: on a loopback address, or where something else guards it.
    pub const fn public(mut self) -> Self {
        self.access.is_public = true;
        self
    }

    /// Offers the actions of the source to those who have signed in with the token.
    pub const fn actions(mut self) -> Self {
        self.access.has_actions = true;
        self
    }

    /// Returns the router. Mount it with [`nest_service`](Router::nest_service), or serve it alone.
    ///
    /// With [`nest`](Router::nest), the path must end with a slash: axum does not answer `/schedules/` for a router that
    /// is nested at `/schedules`.
    ///
    /// It must run on a tokio runtime with a timer. What asks the source runs on threads that may block.
    ///
    /// An open page stays connected, so a graceful shutdown of axum waits for it: limit the time of the shutdown.
    pub fn router(self) -> Router {
        let Self { source, title, links, access } = self;
        api::router(Shared::new(source, title, links, access))
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Board").field("title", &self.title).finish_non_exhaustive()
    }
}
