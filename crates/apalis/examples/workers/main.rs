//! A worker that executes the tasks of schedules in `PostgreSQL`. Run as many as you like.
//!
//! `compose.yaml` beside this file starts a server and two workers in containers. With a server of your own, run
//! `DATABASE_URL=postgres://localhost/service cargo run -p millicron-apalis --example workers --features postgres`, and
//! `millicron schedules put hello '*:*:*/5' --payload '"Hello"'` with the same variable.

use std::env;
use std::error::Error;

use apalis_core::worker::builder::WorkerBuilder;
use apalis_postgres::PostgresStorage;
use millicron_apalis::stored::Schedules;
use millicron_apalis::{Run, Source};
use serde_json::Value;
use sqlx::PgPool;

type Failure = Box<dyn Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let pool = PgPool::connect(&env::var("DATABASE_URL")?).await?;
    PostgresStorage::setup(&pool).await?;
    let schedules = Schedules::open(&pool).await?;
    let source = Source::builder().stored(&schedules).build()?;
    // Each container has another host name, where all processes have the same number.
    let host = env::var("HOSTNAME").unwrap_or_default();
    let worker = WorkerBuilder::new(format!("{host}-{}", std::process::id()))
        .backend(source.pipe_to(PostgresStorage::new(&pool)))
        .build(|run: Run<Value>| async move { println!("{}: {}", run.key(), run.payload) });
    // The worker ends when its source is closed and its tasks have ended.
    tokio::spawn(async move {
        let _ = tokio::signal::ctrl_c().await;
        source.close();
    });
    println!("ready");
    Ok(worker.run().await?)
}
