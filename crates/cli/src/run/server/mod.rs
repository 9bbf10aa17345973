//! The HTTP server of `--metrics` and `--page`.
//!
//! All connections share one thread, with limited time and memory each. If there are too many, the oldest one is
//! dropped, so clients that send or read nothing never keep others waiting.

mod connection;
mod connections;

use std::future::pending;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use axum::Router;
use tokio::runtime::Builder;
use tokio::task::spawn_blocking;

use self::connections::Connections;
use super::metrics::{self, Metrics};
use super::page::{Page, PageOptions, PageSettings};
use crate::error::Error;

/// The most threads for what may block, such as reading a history.
const MOST_THREADS: usize = 16;
/// How long these threads wait for work.
const LONGEST_IDLE: Duration = Duration::from_hours(24 * 365);
/// The longest head of a request, in bytes.
const LONGEST_HEAD: usize = 8192;
/// The same for pages: browsers send the cookies of all servers of a machine.
const LONGEST_HEAD_OF_PAGE: usize = 32 * 1024;

/// The addresses that are listened on.
pub(super) struct Listeners {
    metrics: Option<TcpListener>,
    page: Option<(Option<TcpListener>, PageSettings)>,
}

impl Listeners {
    /// Listens on the addresses of the options. They may be the same.
    pub(super) fn open(metrics: Option<&str>, page: &PageOptions) -> Result<Self, Error> {
        let listener = metrics.map(|address| bind("--metrics", address, 9090)).transpose()?;
        let is_shared = page.address().is_some() && page.address() == metrics;
        let own = page.address().filter(|_| !is_shared);
        let own = own.map(|address| bind("--page", address, 8080)).transpose()?;
        let address = own.as_ref().or(listener.as_ref().filter(|_| is_shared));
        let address = address.map(TcpListener::local_addr).transpose().map_err(Error::of)?;
        let settings = page.settings(address)?;
        Ok(Self { metrics: listener, page: settings.map(|settings| (own, settings)) })
    }

    pub(super) const fn has_metrics(&self) -> bool {
        self.metrics.is_some()
    }

    pub(super) fn page(&self) -> Option<&PageSettings> {
        self.page.as_ref().map(|(_, settings)| settings)
    }

    /// Starts to serve. Returns messages that say where.
    pub(super) fn serve(
        self,
        metrics: Option<&Arc<Metrics>>,
        page: Option<&Page>,
    ) -> io::Result<Vec<String>> {
        let (mut sites, mut messages) = (Vec::new(), Vec::new());
        let metrics = self.metrics.zip(metrics.map(metrics::router));
        let page = self.page.and_then(|(own, _)| Some((own, page?.router())));
        let mut say = |what: &str, address: SocketAddr, path: &str| {
            messages.push(format!("{what} at http://{address}/{path}"));
        };
        match (metrics, page) {
            (Some((listener, router)), Some((None, page))) => {
                say("metrics", listener.local_addr()?, "metrics");
                say("page", listener.local_addr()?, "");
                sites.push((listener, router.fallback_service(page), LONGEST_HEAD_OF_PAGE));
            }
            (metrics, page) => {
                if let Some((listener, router)) = metrics {
                    say("metrics", listener.local_addr()?, "metrics");
                    let router = router.fallback(metrics::not_found);
                    sites.push((listener, router, LONGEST_HEAD));
                }
                if let Some((Some(listener), router)) = page {
                    say("page", listener.local_addr()?, "");
                    sites.push((listener, router, LONGEST_HEAD_OF_PAGE));
                }
            }
        }
        if !sites.is_empty() {
            start(sites)?;
        }
        Ok(messages)
    }
}

/// Listens on an address.
fn bind(option: &str, address: &str, example: u16) -> Result<TcpListener, Error> {
    let listener = TcpListener::bind(address)
        .and_then(|listener| listener.set_nonblocking(true).map(|()| listener));
    listener.map_err(|error| {
        Error::because(format_args!("cannot listen on `{address}`"), error).hint(format_args!(
            "write a free address and port, such as `{option} 127.0.0.1:{example}`"
        ))
    })
}

/// Serves what is listened on, on a thread.
fn start(sites: Vec<(TcpListener, Router, usize)>) -> io::Result<()> {
    let mut runtime = Builder::new_current_thread();
    runtime.max_blocking_threads(MOST_THREADS).thread_keep_alive(LONGEST_IDLE);
    let runtime = runtime.enable_io().enable_time().build()?;
    // Requests wait for this thread when no other one can be started.
    runtime.spawn(async { drop(spawn_blocking(|| ()).await) });
    let entered = runtime.enter();
    for (listener, router, longest_head) in sites {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        runtime.spawn(Connections::default().serve(listener, router, longest_head));
    }
    drop(entered);
    let run = move || runtime.block_on(pending::<()>());
    thread::Builder::new().name("server".to_owned()).spawn(run).map(drop)
}
