//! What a visitor or a source may do without harm to others.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use millicron::Recurrence;
use millicron_board::{
    Action, ActionKind, Board, Changes, Job, Pattern, Runs, Source, SourceError,
};

use crate::client::Client;
use crate::fake::Fake;
use crate::feed::{Feed, epoch, serve};

/// Events at every millisecond, which are counted without visiting them.
#[derive(Clone, Default)]
struct Milliseconds(Arc<AtomicU64>);

impl Recurrence for Milliseconds {
    fn next_event(&self, instant: i64) -> Option<i64> {
        self.0.fetch_add(1, Ordering::Relaxed);
        instant.checked_add(1)
    }

    fn nearest_prev_event(&self, instant: i64) -> Option<i64> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Some(instant)
    }

    fn count(&self, range: std::ops::RangeInclusive<i64>) -> u64 {
        u64::try_from(range.end() - range.start() + 1).unwrap_or_default()
    }
}

/// A source that differs from [`Fake`] in what a test needs.
#[derive(Clone, Default)]
struct Odd {
    fake: Fake,
    milliseconds: Milliseconds,
    panics: bool,
    /// Whether complete lists wait once they are made, and how many do.
    held: Arc<(Mutex<(bool, u64)>, Condvar)>,
    /// How many questions are asked at once, and how many were at most.
    busy: Arc<(AtomicU64, AtomicU64)>,
}

/// Holds complete lists until it is dropped.
struct Held(Odd);

impl Held {
    fn new(odd: &Odd) -> Self {
        odd.held.0.lock().expect("no panic").0 = true;
        Self(odd.clone())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.held.0.lock().expect("no panic").0 = false;
        self.0.held.1.notify_all();
    }
}

impl Source for Odd {
    fn changes(&self, since: Option<u64>) -> Result<Changes, SourceError> {
        let changes = self.fake.changes(since)?;
        if since.is_none() {
            let mut held = self.held.0.lock().expect("no panic");
            held.1 += 1;
            let mut held = self.held.1.wait_while(held, |held| held.0).expect("no panic");
            held.1 -= 1;
        }
        Ok(changes)
    }

    fn job(&self, name: &str) -> Result<Option<Job>, SourceError> {
        self.fake.job(name)
    }

    fn pattern(&self, _: &str) -> Result<Option<Pattern>, SourceError> {
        Ok(Some(Pattern::Other(Arc::new(self.milliseconds.clone()))))
    }

    fn runs(&self, _: &str, _: Option<i64>, _: usize) -> Result<Runs, SourceError> {
        let (busy, most) = &*self.busy;
        most.fetch_max(busy.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(5));
        busy.fetch_sub(1, Ordering::SeqCst);
        Ok(Runs::default())
    }

    fn actions(&self) -> &[ActionKind] {
        assert!(!self.panics, "as the test wants it");
        &[ActionKind::Run]
    }

    fn act(&self, _: &str, _: Action) -> Result<bool, SourceError> {
        Ok(true)
    }
}

fn router(source: &Odd) -> Router {
    Board::new(source.clone()).public().token("right").actions().router()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_opens_while_jobs_change_misses_none() {
    let odd = Odd::default();
    odd.fake.change(Job::new("one"));
    let router = router(&odd);
    let query = format!("version=1&epoch={}", epoch(&router).await);
    let address = serve(router).await;
    let mut first = Feed::open(address, &query, "").await;
    assert_eq!(first.next().await.expect("an event").name, "hello");
    // The first page must have its task before the second one asks.
    odd.fake.change(Job::new("two"));
    assert_eq!(first.changes().await.0, ["two"]);

    // Threads that wait would keep a test that fails from ending.
    let held = Held::new(&odd);
    let mut second = Feed::open(address, "", "").await;
    assert_eq!(second.next().await.expect("an event").name, "hello");
    while odd.held.0.lock().expect("no panic").1 == 0 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    odd.fake.change(Job::new("three"));
    assert_eq!(first.changes().await.0, ["three"]);
    drop(held);

    assert_eq!(second.changes().await.0, ["one", "two"]);
    assert_eq!(second.changes().await.0, ["three"]);
}

#[tokio::test]
async fn the_events_of_a_day_are_not_visited_one_by_one() {
    let odd = Odd::default();
    odd.fake.change(Job::new("often"));
    let day = Client::page(router(&odd)).get("/api/day?date=2099-01-01").await;
    assert_eq!(day.status, StatusCode::OK, "{day:?}");
    let visited = odd.milliseconds.0.load(Ordering::Relaxed);
    assert!(visited < 10_000, "{visited}");
}

#[tokio::test(flavor = "multi_thread")]
async fn many_visitors_do_not_take_all_threads() {
    let odd = Odd::default();
    let client = Client::page(router(&odd));
    let mut visits = tokio::task::JoinSet::new();
    for _ in 0..100 {
        let client = client.clone();
        visits.spawn(async move { client.get("/api/jobs/any/runs").await.status });
    }
    assert!(visits.join_all().await.into_iter().all(|status| status == StatusCode::OK));
    let most = odd.busy.1.load(Ordering::SeqCst);
    assert!(most <= 16, "{most}");
}

#[tokio::test]
async fn a_source_that_panics_anywhere_is_an_error_of_the_server() {
    let odd = Odd { panics: true, ..Odd::default() };
    let client = Client::page(router(&odd)).signed_in("right").await;
    assert_eq!(client.get("/api/board").await.status, StatusCode::INTERNAL_SERVER_ERROR);
    let answer = client.post("/api/jobs/any/run").await;
    assert_eq!(answer.status, StatusCode::INTERNAL_SERVER_ERROR);
}

#[tokio::test]
async fn what_a_source_does_not_offer_is_refused() {
    let client = Client::page(router(&Odd::default())).signed_in("right").await;
    let draft = r#"{"name":"any","schedule":"* * * * *"}"#;
    for (method, path, body) in [
        ("POST", "/api/jobs/any/pause", ""),
        ("POST", "/api/preview", draft),
        ("GET", "/api/jobs/any/draft", ""),
        ("PUT", "/api/jobs/any", draft),
        ("DELETE", "/api/jobs/any", ""),
    ] {
        let answer = client.send(method, path, body).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{method} {path} {answer:?}");
    }
}

#[tokio::test]
async fn all_errors_are_json() {
    let router = Board::new(Fake::with(&["load"])).public().token("right").actions().router();
    let client = Client::page(router).signed_in("right").await;
    let long = format!(r#"{{"name":"x","schedule":"{}"}}"#, "x".repeat(100_000));
    for (method, path, body, status) in [
        ("POST", "/api/preview", "{", 400),
        ("POST", "/api/preview", r#"{"name":"x"}"#, 422),
        ("POST", "/api/preview", "", 415),
        ("POST", "/api/preview", &*long, 413),
        ("GET", "/api/jobs/load/runs?limit=x", "", 400),
        ("GET", "/api/jobs/load/runs/x/output", "", 400),
        ("GET", "/api/jobs/%FF", "", 400),
        ("GET", "/api/jobs/load/run", "", 405),
        ("GET", "/api/nothing", "", 404),
    ] {
        let answer = client.send(method, path, body).await;
        assert_eq!(answer.status.as_u16(), status, "{method} {path} {answer:?}");
        assert_eq!(answer.header("content-type"), Some("application/json"), "{method} {path}");
        let error = answer.json()["error"].as_str().map(str::to_owned);
        assert!(error.is_some_and(|error| !error.is_empty()), "{method} {path}");
    }
    let refused = client.get("/api/jobs/load/run").await;
    assert_eq!(refused.header("allow"), Some("POST"));
}

#[tokio::test]
async fn the_page_is_found_however_it_is_mounted() {
    let board = || Board::new(Fake::with(&["load"])).public().router();
    let health = || Router::new().route("/health", axum::routing::get(async || "well"));
    let nested = Client::page(health().nest("/schedules/", board()));
    assert_eq!(nested.get("/schedules/").await.status, StatusCode::OK);
    assert_eq!(nested.get("/schedules/api/jobs/load").await.status, StatusCode::OK);
    assert_eq!(nested.get("/schedules/api/nothing").await.status, StatusCode::NOT_FOUND);

    let merged = Client::page(health().merge(board()));
    assert_eq!(merged.get("/").await.status, StatusCode::OK);
    assert_eq!(merged.get("/api/jobs/load").await.status, StatusCode::OK);
    assert_eq!(merged.with("host", "service.internal").get("/health").await.text(), "well");
}

#[tokio::test]
async fn a_page_of_another_scheme_may_not_act() {
    // Browsers leave the usual ports of both schemes out.
    let board = Board::new(Odd::default()).public().token("right").actions().host("a.example");
    let client = Client::page(board.router()).with("host", "a.example");
    let client = client.with("origin", "https://a.example").signed_in("right").await;
    assert_eq!(client.post("/api/jobs/any/run").await.status, StatusCode::NO_CONTENT);
    let other = client.with("origin", "http://a.example").with("sec-fetch-site", "cross-site");
    assert_eq!(other.post("/api/jobs/any/run").await.status, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn output_that_is_cut_begins_with_a_character() {
    let fake = Fake::with(&["load"]);
    fake.state().output = format!("x{}", "é".repeat(50_000)).into_bytes();
    let client = Client::page(Board::new(fake.clone()).public().router());
    for from in [0, 1] {
        let path = format!("/api/jobs/load/runs/1/output?from={from}");
        let answer = client.get(&path).await.json();
        let text = answer["text"].as_str().expect("a text");
        assert!(text.starts_with('é') && !text.contains('\u{fffd}'));
        let length =
            answer["end"].as_u64().expect("a number") - answer["start"].as_u64().expect("a number");
        assert_eq!(text.len() as u64, length);
        fake.state().output.push(b'x');
    }
}

#[tokio::test]
async fn pictures_of_any_year_or_zone_are_drawn_or_refused() {
    let fake = Fake::default();
    let mut job = Job::new("load");
    job.schedule = "0 5 * * *".to_owned();
    fake.change(job);
    let client = Client::page(Board::new(fake).public().router());
    for year in ["-2147483648", "2147483647", "-1", "0", "1969", "9999", "10000", "2026"] {
        let path = format!("/api/jobs/load/year.svg?year={year}&width=4294967295");
        let status = client.get(&path).await.status;
        assert!(matches!(status.as_u16(), 200 | 400 | 422), "{path}: {status}");
    }
    for date in ["-9999-01-01", "0000-01-01", "9999-12-31", "2026-02-30", "x"] {
        let path = format!("/api/day.svg?date={date}&zone=Pacific/Apia");
        let status = client.get(&path).await.status;
        assert!(matches!(status.as_u16(), 200 | 400 | 422), "{path}: {status}");
    }
    for zone in ["..%2F..%2Fetc%2Fpasswd", "%2Fetc%2Fpasswd", "%00", "Nowhere"] {
        let path = format!("/api/jobs/load/year.svg?year=2026&zone={zone}");
        assert_eq!(client.get(&path).await.status, StatusCode::BAD_REQUEST, "{path}");
    }
}
