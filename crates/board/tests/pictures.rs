//! Pictures.

use axum::http::StatusCode;
use millicron_board::{Board, Job};

use crate::client::Client;
use crate::fake::{Fake, succeeded};

fn client(fake: &Fake) -> Client {
    Client::page(Board::new(fake.clone()).public().router())
}

fn fake() -> Fake {
    let fake = Fake::with(&["load"]);
    let mut report = Job::new("report");
    report.schedule = String::from("*.*.* 02:30:00");
    fake.change(report);
    fake
}

#[tokio::test]
async fn pictures_are_documents_without_scripts() {
    let client = client(&fake());
    for path in [
        "/api/jobs/report/year.svg?year=2026&zone=Europe/Berlin",
        "/api/jobs/report/year.svg?year=2026&zone=%2B02:00",
        "/api/jobs/report/clock-changes.svg?width=0",
        "/api/graph.svg?width=4000000000",
        "/api/day.svg?date=2026-11-26&zone=America/New_York&search=REP",
    ] {
        let answer = client.get(path).await;
        assert_eq!(answer.status, StatusCode::OK, "{path} {}", answer.text());
        assert_eq!(answer.header("content-type"), Some("image/svg+xml"));
        let policy = answer.header("content-security-policy").expect("a policy");
        assert!(policy.contains("sandbox") && !policy.contains("unsafe"), "{policy}");
        assert!(answer.text().starts_with("<svg"), "{path}");
    }
    for path in [
        "/api/jobs/missing/year.svg?year=2026",
        // It has no schedule.
        "/api/jobs/load/clock-changes.svg",
    ] {
        assert_eq!(client.get(path).await.status, StatusCode::NOT_FOUND, "{path}");
    }
    for path in [
        "/api/jobs/report/year.svg?year=2026&zone=Nowhere/Land",
        "/api/day.svg?date=1999-12-31",
        "/api/day.svg?date=today",
    ] {
        assert_eq!(client.get(path).await.status, StatusCode::BAD_REQUEST, "{path}");
    }
}

#[tokio::test]
async fn a_day_shows_recorded_starts_before_now_and_events_after_it() {
    let fake = fake();
    let client = client(&fake);
    // The schedule has one event on each day.
    let words = |date: &str| {
        let (client, path) =
            (client.clone(), format!("/api/day?date={date}&zone=Europe/Berlin&search=report"));
        async move { client.get(&path).await.json() }
    };
    let past = words("2020-05-01").await;
    assert_eq!((&past["shown"], &past["matching"]), (&1.into(), &1.into()));
    assert!(past["description"].as_str().is_some_and(|it| it.contains("no starts")), "{past}");
    let future = words("2090-05-01").await;
    assert!(future["description"].as_str().is_some_and(|it| it.contains("1 start")), "{future}");
    // 2020-05-01 10:00 to 10:20 UTC, three times.
    let start = 1_588_327_200_000;
    fake.state().runs =
        (0..3).map(|at| succeeded(at, start + at, start + at + 1_200_000)).collect();
    let past = words("2020-05-01").await;
    assert!(past["description"].as_str().is_some_and(|it| it.contains("3 starts")), "{past}");
}

/// In Havana, 2090-03-12 begins at 01:00.
#[tokio::test]
async fn a_day_that_begins_in_a_gap_ends_at_midnight() {
    let fake = fake();
    let mut report = Job::new("report");
    // 2090-03-13 00:30 in Havana.
    report.schedule = String::from("2090.03.13 05:30:00");
    fake.change(report);
    let client = client(&fake);
    for (date, starting) in [("2090-03-12", &[][..]), ("2090-03-13", &["report"][..])] {
        let words = client.get(&format!("/api/day?date={date}&zone=America/Havana")).await.json();
        assert_eq!(words["jobs"], serde_json::json!(starting), "{date}");
    }
}
