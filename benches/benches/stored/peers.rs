//! A scheduler that keeps its jobs in `PostgreSQL` too: `peers/postgres`, a program of its own.

use std::process::Command;
use std::time::{Duration, Instant};

use millicron_apalis::stored::StoredSchedule;
use millicron_benches::lateness::percentiles;
use millicron_benches::table::{Bound, Table};

use crate::database::Database;
use crate::replica::{Mode, Replica, Start};
use crate::{TIME, WARM_UP, number};

/// The variable with the path of the program.
const PEER: &str = "MILLICRON_BENCH_PEER";

const SCHEDULES: usize = 1000;

const DAILY: &str = "0 0 3 * * *";
const EVERY_SECOND: &str = "* * * * * *";

/// Compares schedules that are due once a day, and as many that are due every second.
pub(crate) async fn compare() -> Table {
    let headers = [
        "1,000 schedules",
        "created a second",
        "once a day: process and server, % of a core",
        "every second: events a second",
        "late p50, ms",
        "p99, ms",
    ];
    let mut table = Table::new("Beside a scheduler with a store in PostgreSQL", &headers);
    let mut schedulers = vec![("millicron-apalis", None)];
    schedulers.extend(std::env::var(PEER).ok().map(|peer| ("tokio-cron-scheduler", Some(peer))));
    for (name, peer) in schedulers {
        let (created, cpu, _) = measure(peer.as_deref(), DAILY).await;
        let (.., starts) = measure(peer.as_deref(), EVERY_SECOND).await;
        let mut late: Vec<_> = starts.iter().map(Start::lateness).collect();
        let late = percentiles(&mut late);
        table
            .row(name)
            .figure(created.round(), Bound::None)
            .figure(cpu, Bound::None)
            .figure(number(starts.len()) / TIME.as_secs_f64(), Bound::None)
            .figure(late.p50 / 1e3, Bound::None)
            .figure(late.p99 / 1e3, Bound::None);
    }
    table
}

/// Returns how many schedules were created in a second, the CPU time in percent of a core, and what started.
async fn measure(peer: Option<&str>, text: &str) -> (f64, f64, Vec<Start>) {
    let database = Database::new().await;
    let start = Instant::now();
    let (mut replica, created) = if let Some(peer) = peer {
        let mut command = Command::new(peer);
        command.args([&database.url, &SCHEDULES.to_string(), text]);
        let mut replica = Replica::spawn(&mut command);
        // It says when it has created its jobs.
        while replica.starts_so_far().is_empty() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        (replica, start.elapsed())
    } else {
        let schedule = |index| StoredSchedule::new(format!("job/{index}"), text).payload(7);
        let schedules: Vec<_> = (0..SCHEDULES).map(schedule).collect();
        database.schedules.put_all(&database.pool, &schedules).await.expect("valid schedules");
        let created = start.elapsed();
        (Replica::start(&database, Mode::Work), created)
    };
    tokio::time::sleep(WARM_UP).await;
    drop(replica.starts_so_far());
    let (start, cpu) = (Instant::now(), database.cpu() + replica.cpu());
    tokio::time::sleep(TIME).await;
    let cpu = (database.cpu() + replica.cpu() - cpu) / start.elapsed().as_secs_f64() * 100.0;
    (number(SCHEDULES) / created.as_secs_f64(), cpu, replica.starts_so_far())
}
