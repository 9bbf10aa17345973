//! Several servers that share nothing.

use std::time::Instant;

use millicron_apalis::stored::{Shards, StoredSchedule};
use millicron_benches::table::{Bound, Table};

use crate::database::Database;
use crate::replica::{Mode, Replica};
use crate::{TIME, TOGETHER, WARM_UP, number};

/// One server and two: with events that they push easily, with more than the machine can push, and with workers
/// that execute the tasks.
pub(crate) async fn shards() -> Table {
    let headers = [
        "schedules, servers",
        "created a second",
        "disk, bytes a schedule",
        "events a second",
        "of each server",
        "tasks started a second",
        "replicas, % of a core",
        "servers, % of a core",
        "WAL, bytes an event",
    ];
    let title = "Schedules that are due every second, on servers with one replica each";
    let mut table = Table::new(title, &headers);
    for (schedules, mode) in [(4_000, Mode::Push), (40_000, Mode::Push), (1_000, Mode::Work)] {
        for servers in [1, 2] {
            measure(schedules, servers, mode, &mut table).await;
        }
    }
    table
}

async fn measure(schedules: usize, servers: usize, mode: Mode, table: &mut Table) {
    let mut databases = Vec::new();
    for _ in 0..servers {
        databases.push(Database::new().await);
    }
    let created = Instant::now();
    create(schedules, &databases).await;
    let speed = number(schedules) / created.elapsed().as_secs_f64();
    let mut disk = 0.0;
    for database in &databases {
        disk += database.disk().await;
    }
    let mut replicas: Vec<_> = databases.iter().map(|it| Replica::start(it, mode)).collect();
    tokio::time::sleep(WARM_UP).await;
    starts(&mut replicas);
    let before = Reading::take(&databases, &replicas).await;
    tokio::time::sleep(TIME).await;
    let after = Reading::take(&databases, &replicas).await;
    let seconds = (after.instant - before.instant).as_secs_f64();
    let a_second = |count: f64| (count / seconds).round();
    let percent = |cpu: f64| cpu / seconds * 100.0;
    let tasks = after.tasks.iter().zip(&before.tasks).map(|(after, before)| after - before);
    let tasks: Vec<_> = tasks.collect();
    let all: f64 = tasks.iter().sum();
    let of_each: Vec<_> = tasks.iter().map(|count| a_second(*count).to_string()).collect();
    let (label, starts) = match mode {
        Mode::Push => ("", None),
        _ => (", with workers", Some(a_second(number(starts(&mut replicas))))),
    };
    table
        .row(&format!("{schedules}, {servers}{label}"))
        .figure(speed.round(), Bound::None)
        .figure((disk / number(schedules)).round(), Bound::None)
        .figure(a_second(all), Bound::None)
        .text(&of_each.join(" + "))
        .figure(starts, Bound::None)
        .figure(percent(after.replicas - before.replicas), Bound::None)
        .figure(percent(after.servers - before.servers), Bound::None)
        .figure(((after.wal - before.wal) / all).round(), Bound::None);
}

async fn create(schedules: usize, databases: &[Database]) {
    let tables = databases.iter().map(|it| it.schedules.clone());
    let shards = Shards::new(["a", "b"].into_iter().zip(tables)).expect("different names");
    for part in (0..schedules).map(often).collect::<Vec<_>>().chunks(TOGETHER) {
        shards.put_all(part).await.expect("valid schedules");
    }
}

/// Returns how many tasks have started since the last call.
fn starts(replicas: &mut [Replica]) -> usize {
    replicas.iter_mut().map(|it| it.starts_so_far().len()).sum()
}

/// What was used until an instant.
struct Reading {
    instant: Instant,
    /// CPU time, in seconds.
    servers: f64,
    replicas: f64,
    /// In bytes.
    wal: f64,
    /// The tasks of each server.
    tasks: Vec<f64>,
}

impl Reading {
    async fn take(databases: &[Database], replicas: &[Replica]) -> Self {
        let mut reading = Self {
            instant: Instant::now(),
            servers: databases.iter().map(Database::cpu).sum(),
            replicas: replicas.iter().map(Replica::cpu).sum(),
            wal: 0.0,
            tasks: Vec::new(),
        };
        for database in databases {
            reading.wal += database.wal().await;
            reading.tasks.push(database.tasks().await);
        }
        reading
    }
}

/// A schedule that is due every second.
pub(crate) fn often(index: usize) -> StoredSchedule {
    let text = format!("*:*:*.{:03}", index % 1000);
    StoredSchedule::new(format!("often/{index:05}"), text).payload(7)
}
