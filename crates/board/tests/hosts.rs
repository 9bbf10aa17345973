//! Names of the server, origins, and what protects all responses.

use axum::http::StatusCode;
use millicron_board::Board;

use crate::client::Client;
use crate::fake::Fake;

fn board() -> Board {
    Board::new(Fake::with(&["load"])).token("right").public().actions().host("Jobs.example.org")
}

#[tokio::test]
async fn foreign_names_of_the_server_are_refused() {
    let client = Client::new(board().router());
    for host in [
        "evil.example",
        "evil.example:8080",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "",
        "a b",
        "[evil]",
    ] {
        for path in ["/", "/api/jobs", "/page/icon.svg", "/api/feed", "/missing"] {
            let answer = client.clone().with("host", host).get(path).await;
            assert_eq!(answer.status, StatusCode::MISDIRECTED_REQUEST, "{host} {path}");
        }
    }
    let answer = client.clone().without("host").get("/api/jobs").await;
    assert_eq!(answer.status, StatusCode::MISDIRECTED_REQUEST);
    for host in [
        "localhost",
        "LOCALHOST:1",
        "localhost.",
        "127.0.0.1",
        "192.168.1.7:80",
        "[::1]:8080",
        "jobs.example.org",
        "JOBS.example.org:443",
    ] {
        let answer = client.clone().with("host", host).get("/api/jobs").await;
        assert_eq!(answer.status, StatusCode::OK, "{host}");
    }
    // As HTTP/2 names it.
    let client = client.without("host");
    assert_eq!(client.get("http://localhost/api/jobs").await.status, StatusCode::OK);
    let answer = client.get("http://evil.example/api/jobs").await;
    assert_eq!(answer.status, StatusCode::MISDIRECTED_REQUEST);
}

#[tokio::test]
async fn only_the_page_itself_may_act() {
    let fake = Fake::with(&["load"]);
    let board = Board::new(fake.clone()).token("right").public().actions();
    let page = Client::page(board.router()).signed_in("right").await;
    let others = [
        page.clone().with("origin", "http://evil.example"),
        page.clone().with("origin", "http://127.0.0.1:9090"),
        page.clone().with("origin", "http://127.0.0.1"),
        page.clone().with("origin", "null"),
        page.clone().without("origin").with("sec-fetch-site", "cross-site"),
        page.clone().without("origin").with("sec-fetch-site", "same-site"),
        page.clone().without("origin").with("sec-fetch-site", "none"),
        page.clone().without("origin").without("sec-fetch-site"),
    ];
    for client in others {
        for path in ["/api/jobs/load/run", "/api/session"] {
            assert_eq!(client.post(path).await.status, StatusCode::FORBIDDEN);
        }
        let answer = client.send("DELETE", "/api/session", "").await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN);
    }
    assert!(fake.state().acts.is_empty());
    for client in [page.clone(), page.clone().without("origin")] {
        assert_eq!(client.post("/api/jobs/load/run").await.status, StatusCode::NO_CONTENT);
    }
}

#[tokio::test]
async fn all_responses_are_protected() {
    let client = Client::page(board().router());
    let foreign = client.clone().with("host", "evil.example");
    let answers = [
        client.get("/").await,
        client.get("/page/icon.svg").await,
        client.get("/api/board").await,
        client.get("/api/jobs").await,
        client.get("/api/missing").await,
        client.get("/missing").await,
        client.post("/api/jobs/load/run").await,
        client.send("PUT", "/api/jobs", "").await,
        client.send("POST", "/api/session", "not JSON").await,
        foreign.get("/").await,
    ];
    for answer in answers {
        let policy = answer.header("content-security-policy").expect("a policy");
        assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
        assert!(answer.header("access-control-allow-origin").is_none());
    }
    // A page file may be kept, but is asked for again.
    let page = client.get("/page/icon.svg").await;
    assert_eq!(page.header("cache-control"), Some("no-cache"));
    let again = client.with("if-none-match", page.header("etag").expect("a tag"));
    assert_eq!(again.get("/page/icon.svg").await.status, StatusCode::NOT_MODIFIED);
    assert_eq!(again.get("/api/jobs").await.header("cache-control"), Some("no-store"));
}

#[tokio::test]
async fn the_page_is_found_under_its_mount() {
    let service = axum::Router::new().nest_service("/ops/schedules", board().router());
    let client = Client::page(service);
    let answer = client.get("/ops/schedules").await;
    assert!(answer.status.is_redirection());
    assert_eq!(answer.header("location"), Some("./schedules/"));
    let page = client.get("/ops/schedules/").await;
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    assert_eq!(client.get("/ops/schedules/api/jobs/load").await.json()["job"]["name"], "load");
    let answer = client.send("POST", "/ops/schedules/api/session", r#"{"token":"right"}"#).await;
    assert!(answer.header("set-cookie").expect("a cookie").contains("; Path=/ops/schedules/;"));
}

#[test]
fn the_page_is_small() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/page");
    let files = std::fs::read_dir(directory).expect("the page").map(|it| it.expect("a file"));
    let size: u64 = files.map(|it| it.metadata().expect("a file").len()).sum();
    assert!((10_000..150_000).contains(&size), "{size} bytes, uncompressed");
}
