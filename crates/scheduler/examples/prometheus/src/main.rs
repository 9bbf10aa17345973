//! A service whose jobs are monitored with Prometheus.
//!
//! `cargo run -p millicron-prometheus-example`, and then `curl localhost:9000`.
//!
//! This is a separate package, so that the scheduler's tests do not build the exporter.

use std::error::Error;
use std::time::Duration;

use metrics::gauge;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use millicron::{every, schedule};
use millicron_scheduler::{Job, Retry, Scheduler, SchedulerHandle};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// The upper bounds of the buckets of both histograms, in seconds.
const BUCKETS: [f64; 8] = [0.000_1, 0.001, 0.01, 0.1, 1.0, 10.0, 60.0, 600.0];

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // Installed before the scheduler, which describes its metrics when it starts.
    let metrics = PrometheusBuilder::new().set_buckets(&BUCKETS)?.install_recorder()?;
    let scheduler = Scheduler::new()?;

    let tick = Job::new(async |_| tokio::time::sleep(Duration::from_millis(5)).await).name("tick");
    scheduler.add_job(every(250).milliseconds(), tick)?;

    let flaky = Job::new(|run| if run.attempt() < 2 { Err("busy") } else { Ok(()) })
        .name("flaky")
        .retry(Retry::constant(Duration::from_millis(100)).most(3));
    scheduler.add_job(schedule!("*:*:*"), flaky)?;

    // The exporter requires regular upkeep.
    let upkeep = metrics.clone();
    scheduler.add(every(5).seconds(), move |_| upkeep.run_upkeep())?;

    let listener = TcpListener::bind("127.0.0.1:9000").await?;
    let serving = serve(listener, metrics, scheduler.handle());
    let unfinished = scheduler.run_until(serving, Duration::from_secs(30)).await?;
    println!("{} runs did not end in time", unfinished.len());
    Ok(())
}

/// Answers every request with the metrics, until connections can no longer be accepted.
async fn serve(listener: TcpListener, metrics: PrometheusHandle, scheduler: SchedulerHandle) {
    while let Ok((connection, _)) = listener.accept().await {
        let ready = u32::try_from(scheduler.stats().ready).unwrap_or(u32::MAX);
        gauge!("millicron_ready").set(ready);
        let body = metrics.render();
        tokio::spawn(async move {
            if let Err(error) = answer(connection, &body).await {
                eprintln!("cannot answer: {error}");
            }
        });
    }
}

async fn answer(mut connection: TcpStream, body: &str) -> std::io::Result<()> {
    // Every request has the same answer.
    let _length = connection.read(&mut [0; 4096]).await?;
    let length = body.len();
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\n\
         Content-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    connection.write_all(head.as_bytes()).await?;
    connection.write_all(body.as_bytes()).await?;
    connection.shutdown().await
}
