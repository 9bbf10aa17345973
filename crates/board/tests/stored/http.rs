//! The sources behind a board.

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use http_body_util::BodyExt as _;
use millicron_apalis::stored::StoredSchedule;
use millicron_board::{Board, StoredSource};
use serde_json::{Value, json};
use tower::ServiceExt as _;

use crate::database::{TestTable, on_both};

on_both! {
    schedules_are_listed_and_edited
}

/// Returns the status and the content of an answer.
async fn ask(board: &Router, method: &str, path: &str, body: Value) -> (StatusCode, Value) {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("Host", "localhost")
        .header("Origin", "http://localhost")
        .header("Authorization", "Bearer token")
        .header("Content-Type", "application/json")
        .body(Body::from(body.to_string()))
        .expect("a request");
    let response = board.clone().oneshot(request).await.expect("a response");
    let status = response.status();
    let content = response.into_body().collect().await.expect("the content").to_bytes();
    (status, serde_json::from_slice(&content).unwrap_or_default())
}

async fn schedules_are_listed_and_edited<DB: TestTable>() {
    let Some(database) = DB::database("a board").await else { return };
    let report = StoredSchedule::new("report/7", "0 9 * * MON-FRI").zone("Europe/Berlin");
    database.put(report.payload("hunter2")).await;
    let board = Board::new(StoredSource::new(&database.schedules)).token("token").actions();
    let board = board.router();
    let ask = async |method, path, body| ask(&board, method, path, body).await;

    let (status, jobs) = ask("GET", "/api/jobs", Value::Null).await;
    assert_eq!((status, &jobs["jobs"][0]["name"]), (StatusCode::OK, &json!("report/7")));
    let (_, job) = ask("GET", "/api/jobs/report%2F7", Value::Null).await;
    assert_eq!(job["upcoming"].as_array().map(Vec::len), Some(10));
    let (_, draft) = ask("GET", "/api/jobs/report%2F7/draft", Value::Null).await;
    assert_eq!(draft["version"], 1);
    for shown in [jobs, job, draft.clone()] {
        assert!(!shown.to_string().contains("hunter2"), "{shown}");
    }

    let mut changed = draft.clone();
    changed["schedule"] = json!("0 10 * * MON-FRI");
    let (status, preview) = ask("POST", "/api/preview", changed.clone()).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(preview["description"], "At 10:00 on Monday to Friday");
    let (status, _) = ask("PUT", "/api/jobs/report%2F7", changed.clone()).await;
    assert_eq!(status, StatusCode::NO_CONTENT);
    let row = database.get("report/7").await.expect("a row");
    assert_eq!((&*row.schedule, &row.payload), ("0 10 * * MON-FRI", &json!("hunter2")));

    let (status, _) = ask("PUT", "/api/jobs/report%2F7", changed.clone()).await;
    assert_eq!(status, StatusCode::CONFLICT);
    changed["schedule"] = json!("25:00:00");
    let (status, error) = ask("POST", "/api/preview", changed).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(error["error"].is_string());
    for status in [StatusCode::NO_CONTENT, StatusCode::NOT_FOUND] {
        assert_eq!(ask("DELETE", "/api/jobs/report%2F7", Value::Null).await.0, status);
    }
    assert_eq!(ask("POST", "/api/jobs/report%2F7/run", Value::Null).await.0, StatusCode::NOT_FOUND);
}
