//! Tests of the board's page in a browser.

mod access;
mod actions;
#[path = "../../../../crates/board/examples/page/demo.rs"]
mod demo;
mod edit;
mod hostile;
mod job;
mod live;
mod overview;

use std::env;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use demo::{Demo, now};
use millicron_board::{Board, JobState, RunState};
use millicron_browser_tests::Page;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::time::sleep;

/// A server of jobs in memory, which can be stopped and started again.
struct Server {
    demo: Arc<Demo>,
    address: SocketAddr,
    token: Option<&'static str>,
    /// Whether reading needs no token.
    is_public: bool,
    runtime: Option<Runtime>,
}

impl Server {
    /// Starts a server. With a token, it offers actions.
    fn new(demo: Demo, token: Option<&'static str>) -> Self {
        Self::started(demo, token, true)
    }

    /// Starts a server that needs a token to read, too.
    fn private(demo: Demo, token: &'static str) -> Self {
        Self::started(demo, Some(token), false)
    }

    fn started(demo: Demo, token: Option<&'static str>, is_public: bool) -> Self {
        let address = SocketAddr::from(([127, 0, 0, 1], 0));
        let mut server = Self { demo: Arc::new(demo), address, token, is_public, runtime: None };
        server.start();
        server
    }

    fn start(&mut self) {
        let runtime = Runtime::new().expect("threads");
        let mut board = Board::of(Arc::clone(&self.demo) as _).title("Shop");
        if self.is_public {
            board = board.public();
        }
        if let Some(token) = self.token {
            board = board.token(token).actions();
        }
        let listener = runtime.block_on(listener(self.address));
        self.address = listener.local_addr().expect("an address");
        let router = board.router().layer(from_fn(delay));
        runtime.spawn(async move { axum::serve(listener, router).await });
        self.runtime = Some(runtime);
    }

    fn stop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }

    /// Opens a view of the page, such as `#/day`, and waits until it shows data.
    fn open(&self, page: &Page, view: &str) {
        page.visit(&format!("http://{}/{view}", self.address));
        page.wait_for("document.querySelector('main h2') !== null");
    }
}

/// Listens at an address.
async fn listener(address: SocketAddr) -> TcpListener {
    for _ in 0..6000 {
        match TcpListener::bind(address).await {
            // The server that was stopped may not have closed it yet.
            Err(error) if error.kind() == ErrorKind::AddrInUse => {
                sleep(Duration::from_millis(10)).await;
            }
            listener => return listener.expect("a port"),
        }
    }
    panic!("{address} is in use");
}

/// Delays requests by up to 400 ms, each by a different time, so that answers come in another order. Does nothing unless
/// `MILLICRON_DELAYS` is set to a number, which determines the delays.
async fn delay(request: Request, next: Next) -> Response {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let first = env::var("MILLICRON_DELAYS").ok().and_then(|it| it.parse::<u64>().ok());
    if let Some(first) = first
        && request.uri().path().contains("/api/")
    {
        let number = first + COUNT.fetch_add(1, Relaxed);
        sleep(Duration::from_millis(number * 7919 % 401)).await;
    }
    next.run(request).await
}

/// Returns jobs in each state.
fn demo() -> Demo {
    let demo = Demo::default();
    for (name, schedule, zone, tags) in [
        ("backup", "30 2 * * *", "Europe/Berlin", &["nightly", "database"][..]),
        ("import", "*/5 * * * *", "", &["web"]),
        ("index", "0 * * * *", "", &["web"]),
        ("report", "0 9 * * MON-FRI", "America/New_York", &[]),
        ("vacuum", "0 3 * * SUN", "", &["database"]),
    ] {
        demo.add(name, schedule, zone, tags).expect("a schedule");
    }
    let start = now() - 3_600_000;
    for run in 0..60 {
        let state = if run == 50 { RunState::Failed } else { RunState::Succeeded };
        demo.start("backup", start + run * 1000, start + run * 1000 + 20);
        demo.write("backup", format!("\x1b[32mrun {run}\x1b[0m\n").as_bytes());
        demo.end("backup", start + run * 1000 + 520, state, None);
    }
    demo.start("import", now(), now());
    demo.write("import", b"first line\n");
    demo.start("index", start, start);
    demo.end("index", start + 90_000, RunState::Failed, Some("It ended with exit status 3."));
    demo.change("report", |job| job.state = JobState::Paused);
    demo.change("vacuum", |job| job.overdue_at = Some(now() - 60_000));
    demo.need("index", "report", "the last run");
    demo
}

/// Returns the texts of all elements that a CSS selector finds.
fn texts(page: &Page, selector: &str) -> Vec<String> {
    let selector = json!(selector);
    let all = page.evaluate(&format!(
        "[...document.querySelectorAll({selector})].map(it => it.innerText.trim().replace(/\\s+/g, ' '))"
    ));
    let all = all.as_array().cloned().unwrap_or_default();
    all.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Waits until an element that a CSS selector finds contains a text.
fn wait_for_text(page: &Page, selector: &str, text: &str) {
    let (selector, text) = (json!(selector), json!(text));
    page.wait_for(&format!(
        "[...document.querySelectorAll({selector})].some(it => it.innerText.includes({text}))"
    ));
}

/// Clicks on the visible button, or link, with a text, which a number may follow.
fn click_on(page: &Page, text: &str) {
    let found = format!(
        "[...document.querySelectorAll('button, a')].find(it => it.checkVisibility() \
         && it.innerText.replace(/\\s+\\d+$/, '') === {})",
        json!(text)
    );
    page.wait_for(&format!("{found} !== undefined"));
    page.evaluate(&format!("{found}.click()"));
}

/// Holds back the answers to requests for a path, or a part of it, until `release()` is evaluated.
fn hold_back(page: &Page, path: &str) {
    page.evaluate(&format!(
        "(fetch => {{
            const held = new Promise(it => {{ window.release = it; }});
            window.fetch = async (path, ...options) => {{
                const answer = await fetch(path, ...options);
                if (path.includes({})) await held;
                return answer;
            }};
        }})(window.fetch)",
        json!(path)
    ));
}

/// Stops the clock of pages opened later, and replaces their feed by one that sends nothing: a test sets the time with
/// [`set_server_time`], and sends messages with `feed.dispatchEvent`.
fn control_time(page: &Page) {
    page.set_now(now());
    page.run_first(
        "window.EventSource = class extends EventTarget { constructor() { super(); window.feed = this; } close() {} };",
    );
}

/// Sets the time that the page shows, such as `2026-11-26T23:59Z`.
fn set_server_time(page: &Page, time: &str) {
    page.evaluate(&format!(
        "import('/page/times.js').then(times => times.setServerTime(Date.parse({})))",
        json!(time)
    ));
}

/// Chooses in which time zone times are shown: `own` or `job`.
fn choose_times(page: &Page, zone: &str) {
    page.evaluate(&format!(
        "(it => {{ it.value = {}; it.dispatchEvent(new Event('change')); }})(document.getElementById('times'))",
        json!(zone)
    ));
}
