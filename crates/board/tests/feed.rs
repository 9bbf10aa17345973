//! Server-sent events, over a connection.

use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use millicron_board::{Board, Job};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use crate::client::{Client, keys};
use crate::fake::Fake;

/// Only a test that fails waits so long.
const LONG: Duration = Duration::from_mins(5);

pub(crate) struct Feed(BufReader<TcpStream>);

#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) name: String,
    id: String,
    data: Value,
}

pub(crate) async fn serve(router: Router) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

impl Feed {
    pub(crate) async fn open(address: SocketAddr, query: &str, headers: &str) -> Self {
        let mut stream = TcpStream::connect(address).await.expect("a connection");
        let request = format!(
            "GET /api/feed?{query} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{headers}\r\n"
        );
        stream.write_all(request.as_bytes()).await.expect("a request");
        Self(BufReader::new(stream))
    }

    /// Returns the next event, or `None` at the end.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        // Comments that keep the connection alive are lines, too.
        timeout(LONG, self.read()).await.expect("in time")
    }

    async fn read(&mut self) -> Option<Event> {
        let mut event = Event { name: String::new(), id: String::new(), data: Value::Null };
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line).await.expect("a line") == 0 {
                return None;
            }
            // Lines between are the head, and the lengths of chunks.
            match line.trim_end().split_once(": ") {
                Some(("event", name)) => event.name = name.to_owned(),
                Some(("id", id)) => event.id = id.to_owned(),
                Some(("data", data)) => {
                    event.data = serde_json::from_str(data).expect("JSON");
                    return Some(event);
                }
                _ => {}
            }
        }
    }

    pub(crate) async fn changes(&mut self) -> (Vec<String>, Value) {
        let event = self.next().await.expect("an event");
        assert_eq!(event.name, "changes");
        let jobs = event.data["jobs"].as_array().expect("jobs").iter();
        (jobs.filter_map(|job| job["name"].as_str().map(str::to_owned)).collect(), event.data)
    }
}

pub(crate) async fn epoch(router: &Router) -> String {
    let about = Client::page(router.clone()).get("/api/board").await.json();
    about["epoch"].as_str().expect("an epoch").to_owned()
}

#[tokio::test]
async fn a_page_catches_up_and_is_told_of_changes() {
    let fake = Fake::with(&["a", "b", "c"]);
    let router = Board::new(fake.clone()).public().router();
    let (epoch, address) = (epoch(&router).await, serve(router).await);
    let mut feed = Feed::open(address, &format!("version=2&epoch={epoch}"), "").await;
    let hello = feed.next().await.expect("an event");
    assert_eq!((hello.name.as_str(), &hello.data["epoch"]), ("hello", &epoch.as_str().into()));
    let (jobs, changes) = feed.changes().await;
    assert_eq!(keys(&changes), ["isComplete", "jobs", "now", "removed", "unlisted", "version"]);
    assert_eq!(
        (jobs, &changes["isComplete"], &changes["version"]),
        (vec!["c".to_owned()], &false.into(), &3.into())
    );
    fake.change(Job::new("b"));
    assert_eq!(feed.changes().await.0, ["b"]);

    // A browser that connects again sends the last version.
    fake.change(Job::new("d"));
    let again = format!("version=0&epoch={epoch}");
    let mut feed = Feed::open(address, &again, "Last-Event-ID: 4\r\n").await;
    assert_eq!(feed.next().await.map(|event| event.name).as_deref(), Some("hello"));
    assert_eq!(feed.changes().await.0, ["d"]);
}

#[tokio::test]
async fn a_page_is_told_how_many_jobs_are_not_listed() {
    let fake = Fake::with(&["a"]);
    let router = Board::new(fake.clone()).public().router();
    let (epoch, address) = (epoch(&router).await, serve(router).await);
    let mut feed = Feed::open(address, &format!("version=1&epoch={epoch}"), "").await;
    assert_eq!(feed.next().await.map(|event| event.name).as_deref(), Some("hello"));
    {
        let mut state = fake.state();
        (state.version, state.unlisted) = (2, 3);
    }
    let (jobs, changes) = feed.changes().await;
    assert_eq!((jobs.len(), &changes["unlisted"]), (0, &3.into()));
}

#[tokio::test]
async fn a_page_of_before_a_restart_gets_all_jobs() {
    let fake = Fake::with(&["a", "b"]);
    let address = serve(Board::new(fake.clone()).public().router()).await;
    for query in ["version=2&epoch=before", "version=2", ""] {
        let mut feed = Feed::open(address, query, "Last-Event-ID: 2\r\n").await;
        assert_eq!(feed.next().await.map(|event| event.name).as_deref(), Some("hello"));
        let (jobs, changes) = feed.changes().await;
        assert_eq!((jobs.len(), &changes["isComplete"]), (2, &true.into()), "{query}");
    }
}

#[tokio::test]
async fn the_source_is_asked_once_for_all_pages_and_not_without_any() {
    let fake = Fake::with(&["a"]);
    let router = Board::new(fake.clone()).public().router();
    let (epoch, address) = (epoch(&router).await, serve(router).await);
    let mut feeds = Vec::new();
    for _ in 0..50 {
        let mut feed = Feed::open(address, &format!("version=1&epoch={epoch}"), "").await;
        assert!(feed.next().await.is_some());
        feeds.push(feed);
    }
    for round in 0..3 {
        let asked = fake.state().asked;
        fake.change(Job::new(format!("{round}")));
        for feed in &mut feeds {
            assert_eq!(feed.changes().await.0, [round.to_string()]);
        }
        // Fifty pages would have asked fifty times, unless this took half a minute.
        assert!(fake.state().asked - asked < 50);
    }
    drop(feeds);
    // It is noticed when something is to be sent, or at the next question.
    let mut asked = fake.state().asked;
    let is_quiet = async {
        loop {
            fake.change(Job::new("a"));
            tokio::time::sleep(Duration::from_millis(1200)).await;
            let now = fake.state().asked;
            if now == asked {
                return;
            }
            asked = now;
        }
    };
    timeout(LONG, is_quiet).await.expect("nobody reads any more");
}

#[tokio::test]
async fn a_feed_ends_with_its_session() {
    let fake = Fake::with(&["a"]);
    let router = Board::new(fake).token("right").router();
    let page = Client::page(router.clone()).signed_in("right").await;
    let answer = page.send("POST", "/api/session", r#"{"token":"right"}"#).await;
    let cookie =
        answer.header("set-cookie").expect("a cookie").split(';').next().map(str::to_owned);
    let cookie = cookie.expect("a cookie");
    let address = serve(router).await;
    let mut feed = Feed::open(address, "", &format!("Cookie: {cookie}\r\n")).await;
    assert_eq!(feed.next().await.map(|event| event.name).as_deref(), Some("hello"));
    assert_eq!(feed.changes().await.0, ["a"]);
    let answer = page.with("cookie", &cookie).send("DELETE", "/api/session", "").await;
    assert!(answer.status.is_success());
    assert!(feed.next().await.is_none());
}

#[tokio::test]
async fn a_source_that_fails_is_reported_and_asked_again() {
    let fake = Fake::with(&["a"]);
    let router = Board::new(fake.clone()).public().router();
    let (epoch, address) = (epoch(&router).await, serve(router).await);
    let mut feed = Feed::open(address, &format!("version=1&epoch={epoch}"), "").await;
    assert!(feed.next().await.is_some());
    fake.state().fails = true;
    let problem = feed.next().await.expect("an event");
    assert_eq!(
        (problem.name.as_str(), &problem.data["error"]),
        ("problem", &"the database is gone".into())
    );
    fake.state().fails = false;
    // Nothing has changed, but the page learns that the source works again.
    let recovered = loop {
        let event = feed.next().await.expect("an event");
        if event.name != "problem" {
            break event;
        }
    };
    assert_eq!(
        (recovered.name.as_str(), recovered.data["jobs"].as_array().map(Vec::len)),
        ("changes", Some(0))
    );
    fake.change(Job::new("b"));
    assert_eq!(feed.changes().await.0, ["b"]);
}
