//! Who may read: tokens and sessions.

use axum::http::StatusCode;
use millicron_board::Board;

use crate::client::Client;
use crate::fake::Fake;

const READ: [&str; 6] = [
    "/api/jobs",
    "/api/feed",
    "/api/day?date=2026-11-26",
    "/api/jobs/load",
    "/api/jobs/load/runs",
    "/api/jobs/load/runs/1/output",
];

fn board() -> Board {
    Board::new(Fake::with(&["load"])).title("Secret title").link("Tasks", "/tasks/")
}

#[tokio::test]
async fn a_board_without_a_token_shows_nothing_unless_it_is_public() {
    let client = Client::page(board().router());
    for path in READ {
        assert_eq!(client.get(path).await.status, StatusCode::UNAUTHORIZED, "{path}");
    }
    // Not even an empty token is one.
    let client = Client::page(board().token("").router());
    let answer = client.send("POST", "/api/session", r#"{"token":""}"#).await;
    assert_eq!(answer.status, StatusCode::FORBIDDEN);
    let program = client.with("authorization", "Bearer ");
    assert_eq!(program.get("/api/jobs").await.status, StatusCode::UNAUTHORIZED);

    let client = Client::page(board().public().router());
    assert_eq!(client.get("/api/jobs").await.status, StatusCode::OK);
    assert_eq!(client.get("/api/board").await.json()["needsToken"], false);
}

#[tokio::test]
async fn reading_takes_the_token() {
    let client = Client::page(board().token("right").router());
    for path in READ {
        assert_eq!(client.get(path).await.status, StatusCode::UNAUTHORIZED, "{path}");
        let tried = client.get(&format!("{path}?token=right")).await;
        assert_eq!(tried.status, StatusCode::UNAUTHORIZED, "{path}");
    }
    assert_eq!(client.get("/").await.status, StatusCode::OK);
    let about = client.get("/api/board").await.json();
    assert_eq!((&about["needsToken"], &about["isSignedIn"]), (&true.into(), &false.into()));
    assert_eq!(about["links"].as_array().map(Vec::len), Some(0));

    let page = client.clone().signed_in("right").await;
    assert_eq!(page.get("/api/jobs").await.status, StatusCode::OK);
    let about = page.get("/api/board").await.json();
    assert_eq!(about["isSignedIn"], true);
    assert_eq!(about["links"][0]["href"], "/tasks/");

    let program = client.without("origin").without("sec-fetch-site");
    let program = program.with("authorization", "Bearer right");
    assert_eq!(program.get("/api/jobs").await.status, StatusCode::OK);
    let wrong = program.with("authorization", "Bearer wrong");
    assert_eq!(wrong.get("/api/jobs").await.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_session_ends_when_its_owner_signs_out() {
    let router = board().token("right").router();
    let page = Client::page(router.clone()).signed_in("right").await;
    let other = Client::page(router).signed_in("right").await;
    let answer = page.send("DELETE", "/api/session", "").await;
    assert!(answer.header("set-cookie").expect("a cookie").contains("Max-Age=0"));
    assert_eq!(page.get("/api/jobs").await.status, StatusCode::UNAUTHORIZED);
    assert_eq!(other.get("/api/jobs").await.status, StatusCode::OK);
}

#[tokio::test]
async fn the_cookie_is_for_this_page_only_and_no_token() {
    let client = Client::page(board().token("right").router());
    let answer = client.send("POST", "/api/session", r#"{"token":"right"}"#).await;
    let cookie = answer.header("set-cookie").expect("a cookie").to_owned();
    for attribute in ["; HttpOnly", "; SameSite=Strict", "; Path=/;"] {
        assert!(cookie.contains(attribute), "{cookie}");
    }
    assert!(!cookie.contains("right"));
    let (name, _) = cookie.split_once('=').expect("a name");
    let guessed = client.with("cookie", &format!("{name}=0123456789abcdef0123456789abcdef"));
    assert_eq!(guessed.get("/api/jobs").await.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn guessing_is_slow() {
    let client = Client::page(board().token("right").router());
    let mut refused = 0;
    for _ in 0..100 {
        let answer = client.send("POST", "/api/session", r#"{"token":"wrong"}"#).await;
        match answer.status {
            StatusCode::FORBIDDEN => {}
            StatusCode::TOO_MANY_REQUESTS => refused += 1,
            status => panic!("{status}"),
        }
    }
    // A hundred take less than ten seconds, even here.
    assert!(refused > 0);
}
