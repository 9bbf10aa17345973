//! A service with jobs, and a page that shows them at <http://127.0.0.1:8080/jobs/>.
//!
//! `cargo run -p millicron-board --example axum --features scheduler`

use std::error::Error;

use axum::Router;
use millicron::schedule;
use millicron_board::{Board, RunLog};
use millicron_scheduler::{Job, Scheduler};
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let log = RunLog::new();
    let scheduler = Scheduler::builder().observer(log.clone()).start()?;
    let report = Job::new(|_| println!("reporting")).name("report");
    scheduler.add_job(schedule!("*:*:*/10"), report)?;

    // Everybody on this machine may read. To act, too, call `.token(…).actions()`.
    let board = Board::new(log.source(&scheduler)).title("My service").public();
    let service = Router::new().nest_service("/jobs", board.router());
    axum::serve(TcpListener::bind("127.0.0.1:8080").await?, service).await?;
    Ok(())
}
