//! Jobs, runs and output.

use axum::http::StatusCode;
use millicron_board::{Board, Job};

use crate::client::{Client, keys};
use crate::fake::{Fake, succeeded};

fn client(fake: &Fake) -> Client {
    Client::page(Board::new(fake.clone()).public().router())
}

#[tokio::test]
async fn jobs_have_any_names() {
    let names = [
        "load",
        "a/b",
        "100%",
        ".",
        "..",
        "%2F",
        "Größe 漢字 🦀",
        "<b>",
        "a?b=c#d",
        "\u{1b}[31m",
        "=",
        "=.",
    ];
    let client = client(&Fake::with(&names));
    for name in names {
        // Browsers resolve `.` and `..`, even if they are escaped.
        let is_marked = name.starts_with(['=', '.']);
        let segment = if is_marked { format!("={name}") } else { name.to_owned() };
        let escaped =
            segment.bytes().fold(String::new(), |text, byte| format!("{text}%{byte:02X}"));
        let answer = client.get(&format!("/api/jobs/{escaped}")).await;
        assert_eq!(answer.json()["job"]["name"], name);
        assert_eq!(client.get(&format!("/api/jobs/{escaped}/runs")).await.status, StatusCode::OK);
    }
    let answer = client.get("/api/jobs").await;
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let all = answer.json();
    assert_eq!(keys(&all), ["epoch", "jobs", "now", "unlisted", "version"]);
    assert_eq!(all["jobs"].as_array().map(Vec::len), Some(names.len()));
    assert_eq!(client.get("/api/jobs/missing").await.status, StatusCode::NOT_FOUND);
    assert_eq!(client.get("/api/jobs/%FF").await.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_job_comes_with_its_events_and_neighbors() {
    let fake = Fake::with(&["load"]);
    let mut report = Job::new("report");
    report.schedule = String::from("*:00:00");
    fake.change(report);
    let client = client(&fake);
    let report = client.get("/api/jobs/report").await.json();
    let upcoming: Vec<_> = report["upcoming"]
        .as_array()
        .expect("events")
        .iter()
        .map(|it| it.as_i64().expect("ms"))
        .collect();
    assert_eq!(upcoming.len(), 10);
    assert!(
        upcoming.iter().all(|at| at % 3_600_000 == 0)
            && upcoming.windows(2).all(|it| it[1] - it[0] == 3_600_000)
    );
    assert_eq!(report["waitsFor"][0], "load has not run");
    assert_eq!(report["upstream"][0]["upstream"], "load");
    assert_eq!(report["downstream"].as_array().map(Vec::len), Some(0));
    let load = client.get("/api/jobs/load").await.json();
    assert_eq!(load["downstream"][0]["label"], "the last 24 runs");
    assert_eq!(load["upcoming"].as_array().map(Vec::len), Some(0));
}

#[tokio::test]
async fn runs_come_in_pages() {
    let fake = Fake::with(&["load"]);
    fake.state().runs = (0..120).map(|id| succeeded(id, 1000 * id, 1000 * id + 5)).collect();
    let client = client(&fake);
    let (mut ids, mut path) = (Vec::new(), "/api/jobs/load/runs".to_owned());
    loop {
        let page = client.get(&path).await.json();
        ids.extend(
            page["runs"].as_array().expect("runs").iter().filter_map(|run| run["id"].as_i64()),
        );
        if page["hasMore"] == false {
            break;
        }
        path = format!("/api/jobs/load/runs?before={}", ids.last().expect("a run"));
    }
    assert_eq!(ids, (0..120).rev().collect::<Vec<_>>());
}

#[tokio::test]
async fn output_is_read_in_parts_without_cutting_characters() {
    let fake = Fake::with(&["load"]);
    let client = client(&fake);
    let text = "aä€🦀".repeat(50);
    let (mut read, mut from) = (String::new(), 0);
    for end in 1..=text.len() {
        fake.state().output = text.as_bytes()[..end].to_vec();
        fake.state().is_complete = end == text.len();
        let part = client.get(&format!("/api/jobs/load/runs/1/output?from={from}")).await.json();
        assert_eq!(part["start"], from);
        read += part["text"].as_str().expect("text");
        from = part["end"].as_u64().expect("a position");
    }
    assert_eq!((read, from), (text.clone(), text.len() as u64));
    assert_eq!(client.get("/api/jobs/load/runs/2/output").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn output_may_be_anything() {
    let fake = Fake::with(&["load"]);
    let client = client(&fake);
    let path = "/api/jobs/load/runs/1/output";
    for (bytes, text) in [
        (b"a\xff\xfeb".to_vec(), "a\u{fffd}\u{fffd}b"),
        // A character that will never end, and one that may.
        (b"\xf0\x9f\n".to_vec(), "\u{fffd}\n"),
        (b"a\xf0\x9f".to_vec(), "a"),
        (b"\x1b[31m<script>\0".to_vec(), "\u{1b}[31m<script>\0"),
    ] {
        fake.state().output = bytes;
        assert_eq!(client.get(path).await.json()["text"], text);
    }
    // Of much output, the end is read.
    fake.state().output = (0..10_000_000_u32).map(|at| b"0123456789"[at as usize % 10]).collect();
    let answer = client.get(path).await.json();
    assert_eq!(
        (&answer["start"], &answer["end"]),
        (&(10_000_000 - 65_536).into(), &10_000_000.into())
    );
    assert_eq!(answer["text"].as_str().map(str::len), Some(65_536));
}

#[tokio::test]
async fn a_source_that_fails_or_panics_is_an_error_of_the_server() {
    let fake = Fake::with(&["load"]);
    let client = client(&fake);
    fake.state().fails = true;
    let answer = client.get("/api/jobs").await;
    assert_eq!(answer.status, StatusCode::INTERNAL_SERVER_ERROR);
    assert_eq!(answer.json()["error"], "the database is gone");
    fake.state().panics = true;
    let answer = client.get("/api/jobs").await;
    assert_eq!(answer.status, StatusCode::INTERNAL_SERVER_ERROR);
    fake.state().panics = false;
    fake.state().fails = false;
    assert_eq!(client.get("/api/jobs").await.status, StatusCode::OK);
}
