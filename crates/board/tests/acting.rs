//! Actions and drafts.

use axum::http::StatusCode;
use millicron_board::{Action, Board};

use crate::client::Client;
use crate::fake::Fake;

#[tokio::test]
async fn actions_are_off_unless_they_are_offered_and_a_token_is_set() {
    for board in [
        Board::new(Fake::with(&["load"])).token("right"),
        Board::new(Fake::with(&["load"])).token("right").public(),
        Board::new(Fake::with(&["load"])).public().actions(),
    ] {
        let client = Client::page(board.router());
        let has_token = client.get("/api/jobs").await.status == StatusCode::UNAUTHORIZED;
        let client = if has_token { client.signed_in("right").await } else { client };
        for (method, path) in [
            ("POST", "/api/jobs/load/run"),
            ("POST", "/api/jobs/load/runs/1/cancel"),
            ("POST", "/api/preview"),
            ("PUT", "/api/jobs/load"),
            ("DELETE", "/api/jobs/load"),
            ("GET", "/api/jobs/load/draft"),
        ] {
            let answer = client.send(method, path, "{}").await;
            assert_eq!(answer.status, StatusCode::FORBIDDEN, "{method} {path}");
        }
        let about = client.get("/api/board").await.json();
        assert_eq!(about["actions"].as_array().map(Vec::len), Some(0));
        assert_eq!(about["canEdit"], false);
    }
}

#[tokio::test]
async fn actions_take_the_token_even_if_reading_does_not() {
    let fake = Fake::with(&["load"]);
    let board = Board::new(fake.clone()).token("right").public().actions();
    let client = Client::page(board.router());
    assert_eq!(client.get("/api/jobs").await.status, StatusCode::OK);
    assert_eq!(client.post("/api/jobs/load/run").await.status, StatusCode::UNAUTHORIZED);
    assert!(fake.state().acts.is_empty());

    let page = client.clone().signed_in("right").await;
    assert_eq!(
        page.get("/api/board").await.json()["actions"],
        serde_json::json!(["run", "pause", "cancel"])
    );
    assert_eq!(page.post("/api/jobs/load/run").await.status, StatusCode::NO_CONTENT);
    assert_eq!(page.post("/api/jobs/load/pause").await.status, StatusCode::NO_CONTENT);
    assert_eq!(page.post("/api/jobs/load/runs/7/cancel").await.status, StatusCode::NO_CONTENT);
    // The source does not offer it.
    assert_eq!(page.post("/api/jobs/load/resume").await.status, StatusCode::FORBIDDEN);
    assert_eq!(page.post("/api/jobs/missing/run").await.status, StatusCode::NOT_FOUND);
    let acts = fake.state().acts.clone();
    let expected = [
        ("load", Action::Run),
        ("load", Action::Pause),
        ("load", Action::Cancel { run: 7 }),
        ("missing", Action::Run),
    ];
    assert_eq!(acts, expected.map(|(job, action)| (job.to_owned(), action)));

    let program = client.without("origin").without("sec-fetch-site");
    let program = program.with("authorization", "Bearer right");
    assert_eq!(program.post("/api/jobs/load/run").await.status, StatusCode::NO_CONTENT);
}

#[tokio::test]
async fn drafts_are_previewed_and_stored() {
    let fake = Fake::default();
    let board = Board::new(fake.clone()).token("right").actions();
    let page = Client::page(board.router()).signed_in("right").await;
    let preview = page
        .send("POST", "/api/preview", r#"{"name":"a/b","schedule":"*.*.* 02:30:00"}"#)
        .await
        .json();
    assert_eq!(preview["description"], "as in *.*.* 02:30:00");
    assert_eq!(preview["upcoming"].as_array().map(Vec::len), Some(5));
    // Two years have four changes, of which each affects half past two, when the clocks go forward or back.
    assert!(preview["clockChanges"].as_array().is_some_and(|it| it.len() >= 3), "{preview}");

    let invalid = page.send("POST", "/api/preview", r#"{"name":"a","schedule":"25:00:00"}"#).await;
    assert_eq!(invalid.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(invalid.json()["error"].as_str().is_some_and(|it| it.contains("25")), "{invalid:?}");

    let draft = r#"{"name":"a/b","schedule":"*:00:00"}"#;
    assert_eq!(
        page.send("PUT", "/api/jobs/other", draft).await.status,
        StatusCode::UNPROCESSABLE_ENTITY
    );
    assert_eq!(page.send("PUT", "/api/jobs/a%2Fb", draft).await.status, StatusCode::NO_CONTENT);
    assert_eq!(page.get("/api/jobs/a%2Fb/draft").await.json()["schedule"], "*:00:00");
    let old = r#"{"name":"a/b","schedule":"*:00:00","version":1}"#;
    let conflict = page.send("PUT", "/api/jobs/a%2Fb", old).await;
    assert_eq!(
        (conflict.status, &conflict.json()["error"]),
        (StatusCode::CONFLICT, &"somebody was faster".into())
    );
    assert_eq!(page.send("DELETE", "/api/jobs/a%2Fb", "").await.status, StatusCode::NO_CONTENT);
    assert_eq!(page.send("DELETE", "/api/jobs/a%2Fb", "").await.status, StatusCode::NOT_FOUND);
    // A field that is not known may be one that is misspelled.
    let unknown =
        page.send("PUT", "/api/jobs/a", r#"{"name":"a","schedule":"*:00:00","shell":"rm"}"#).await;
    assert_eq!(unknown.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(page.send("PUT", "/api/jobs/a", &"x".repeat(100_000)).await.status.is_client_error());
}
