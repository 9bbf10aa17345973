//! The cost of schedules in a database: how fast they are created, what replicas and the server use while
//! few of many are due, how late tasks start, how fast changes take effect, and how many events a second
//! replicas and several servers push. Arguments set the numbers of schedules, such as `1000000 3000000 10000000`.

mod database;
mod peers;
mod replica;
mod shards;

use std::time::{Duration, Instant};

use millicron_apalis::Missed;
use millicron_apalis::stored::{Selection, StoredSchedule};
use millicron_benches::is_bench;
use millicron_benches::lateness::percentiles;
use millicron_benches::table::{Bound, Table};
use tokio::runtime::{Builder, Runtime};

use crate::database::Database;
use crate::replica::{Mode, Replica};

/// How many schedules are created in one statement.
const TOGETHER: usize = 10_000;

const DAY: usize = 86_400_000;

/// How long replicas run before and while they are measured.
const WARM_UP: Duration = Duration::from_secs(4);
const TIME: Duration = Duration::from_secs(15);

const PROBES: usize = 200;

fn main() {
    if !is_bench() && std::env::var_os(replica::URL).is_none() {
        return;
    }
    if let Ok(url) = std::env::var(replica::URL) {
        return runtime().block_on(replica::run(&url));
    }
    let sizes = std::env::args().skip(1).filter_map(|argument| argument.parse().ok());
    let mut sizes: Vec<usize> = sizes.collect();
    sizes.sort_unstable();
    if sizes.is_empty() {
        sizes.push(100_000);
    }
    let runtime = runtime();
    println!("{}", runtime.block_on(throughput()));
    println!("{}", runtime.block_on(peers::compare()));
    println!("{}", runtime.block_on(shards::shards()));
    for table in runtime.block_on(days(&sizes)) {
        println!("{table}");
    }
}

fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("the runtime starts")
}

/// Replicas while each of many schedules is due once a day.
async fn days(sizes: &[usize]) -> [Table; 2] {
    let headers = [
        "schedules",
        "created a second (≥ 20,000)",
        "sequential scans",
        "change in effect, p50, ms",
        "p99, ms (≤ 100)",
    ];
    let mut creation = Table::new("Creating and changing schedules", &headers);
    let headers = [
        "schedules, replicas",
        "events a second",
        "a replica, MB (≤ 64)",
        "replicas, % of a core",
        "server, % of a core",
        "all (≤ 10)",
        "late p50, ms (≤ 2.97)",
        "p99, ms (≤ 5.76)",
    ];
    let mut day = Table::new("Schedules that are due once a day", &headers);
    let database = Database::new().await;
    let mut count = 0;
    for &size in sizes {
        let created = Instant::now();
        let added = size - count;
        while count < size {
            let end = (count + TOGETHER).min(size);
            let schedules: Vec<_> = (count..end).map(daily).collect();
            database.schedules.put_all(&database.pool, &schedules).await.expect("valid schedules");
            count = end;
        }
        let speed = number(added) / created.elapsed().as_secs_f64();
        database.skip_missed().await;
        database.query("VACUUM ANALYZE millicron.schedules").await;
        let scans = database.sequential_scans().await;
        for (replicas, mode) in [
            (1, Mode::Work),
            (2, Mode::Work),
            (3, Mode::Work),
            (4, Mode::Work),
            (3, Mode::WorkAhead),
            (3, Mode::Push),
            (3, Mode::PushAhead),
        ] {
            let ahead = if mode.is_ahead() { ", `ahead` of 2 s" } else { "" };
            let workers = if mode.works() { "" } else { ", without workers" };
            let label = format!("{size}, {replicas}{ahead}{workers}");
            measure_day(&database, mode, replicas, day.row(&label)).await;
        }
        // Tasks that no worker has started would delay those of the changes.
        database.query("DELETE FROM apalis.jobs WHERE status = 'Pending'").await;
        let mut changes = measure_changes(&database).await;
        let changes = percentiles(&mut changes);
        creation
            .row(&size.to_string())
            .figure(speed.round(), Bound::AtLeast(20_000.0))
            .figure(database.sequential_scans().await - scans, Bound::AtMost(0.0))
            .figure(changes.p50 / 1e3, Bound::None)
            .figure(changes.p99 / 1e3, Bound::AtMost(100.0));
    }
    [creation, day]
}

/// A schedule that is due once a day. A prime number spreads the schedules over the day. Events that pass while
/// others are created do not become tasks, since a queue of them would slow down the workers.
fn daily(index: usize) -> StoredSchedule {
    let time = index * 7_919 * 97 % DAY;
    let (seconds, millis) = (time / 1000, time % 1000);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let text = format!("{hour:02}:{minute:02}:{second:02}.{millis:03}");
    StoredSchedule::new(format!("customer/{index:08}"), text).payload(7).missed(Missed::Skip)
}

async fn measure_day(
    database: &Database,
    mode: Mode,
    replicas: usize,
    mut row: millicron_benches::table::Cells<'_>,
) {
    let mut replicas: Vec<_> = (0..replicas).map(|_| Replica::start(database, mode)).collect();
    tokio::time::sleep(WARM_UP).await;
    let before = database.tasks().await;
    let start = (Instant::now(), database.cpu(), replicas.iter().map(Replica::cpu).sum::<f64>());
    for replica in &mut replicas {
        drop(replica.starts_so_far());
    }
    tokio::time::sleep(TIME).await;
    let seconds = start.0.elapsed().as_secs_f64();
    let percent = |cpu: f64| cpu / seconds * 100.0;
    let server = percent(database.cpu() - start.1);
    let own = percent(replicas.iter().map(Replica::cpu).sum::<f64>() - start.2);
    let memory = replicas.iter().map(Replica::memory).fold(0.0, f64::max);
    let events = database.tasks().await - before;
    row.figure(events / seconds, Bound::None)
        .figure(memory, Bound::AtMost(64.0))
        .figure(own, Bound::None)
        .figure(server, Bound::None)
        .figure(own + server, Bound::AtMost(10.0));
    if mode.works() {
        let starts = replicas.iter_mut().flat_map(Replica::starts_so_far);
        let mut late: Vec<_> = starts.map(|start| start.lateness()).collect();
        let late = percentiles(&mut late);
        row.figure(late.p50 / 1e3, Bound::AtMost(2.97)).figure(late.p99 / 1e3, Bound::AtMost(5.76));
    }
}

/// Returns the times from the commit of a trigger to the start of its task.
async fn measure_changes(database: &Database) -> Vec<Duration> {
    let mut replicas: Vec<_> = (0..3).map(|_| Replica::start(database, Mode::Work)).collect();
    let schedules = &database.schedules;
    let probe = StoredSchedule::new("probe", "2099.01.01 00:00:00").payload(7);
    schedules.put(&database.pool, &probe).await.expect("a valid schedule");
    tokio::time::sleep(WARM_UP).await;
    let mut commits = Vec::new();
    for _ in 0..PROBES {
        schedules.trigger(&database.pool, Selection::Name("probe")).await.expect("a trigger");
        commits.push(replica::now());
        tokio::time::sleep(Duration::from_millis(37)).await;
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    let starts = replicas.iter_mut().flat_map(Replica::starts_so_far);
    let mut starts: Vec<_> =
        starts.filter(|start| start.is_probe).map(|start| start.started).collect();
    starts.sort_unstable();
    assert_eq!(starts.len(), PROBES, "each trigger is one task");
    starts.iter().zip(commits).map(|(start, commit)| start.saturating_sub(commit)).collect()
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
const fn number(count: usize) -> f64 {
    count as f64
}

/// How many events a second replicas push that together have more than that.
async fn throughput() -> Table {
    const SCHEDULES: usize = 40_000;
    let headers = ["replicas", "events a second (≥ 10,000)"];
    let mut table =
        Table::new("Events a second of 40,000 schedules that are due every second", &headers);
    for count in [1, 2, 3, 4] {
        let database = Database::new().await;
        for part in (0..SCHEDULES).map(shards::often).collect::<Vec<_>>().chunks(TOGETHER) {
            database.schedules.put_all(&database.pool, part).await.expect("valid schedules");
        }
        let replicas: Vec<_> = (0..count).map(|_| Replica::start(&database, Mode::Push)).collect();
        tokio::time::sleep(WARM_UP).await;
        let start = (Instant::now(), database.tasks().await);
        tokio::time::sleep(TIME).await;
        let pushed = database.tasks().await - start.1;
        let speed = pushed / start.0.elapsed().as_secs_f64();
        drop(replicas);
        table.row(&count.to_string()).figure(speed.round(), Bound::AtLeast(10_000.0));
    }
    table
}
