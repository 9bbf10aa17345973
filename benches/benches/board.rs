//! What open pages of a board cost the scheduler that it shows: how late runs start, a thousand a second, without and
//! with 200 pages, whose readers share the processors with it. An argument sets the number of rounds.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use millicron::Schedule;
use millicron_benches::cpu::Usage;
use millicron_benches::is_bench;
use millicron_benches::lateness::{Lateness, percentiles};
use millicron_benches::rounds::median;
use millicron_benches::table::{Bound, Table};
use millicron_board::{Board, RunLog};
use millicron_scheduler::{Job, Scheduler};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};

const ROUNDS: usize = 5;
/// Each job starts once a second, in a millisecond of its own.
const JOBS: usize = 1000;
const PAGES: usize = 200;
/// How long each measurement takes.
const LENGTH: Duration = Duration::from_secs(10);
/// How long the pages may take to open before it.
const WARM_UP: Duration = Duration::from_secs(2);

type Late = Arc<Mutex<Vec<Duration>>>;

fn main() {
    if !is_bench() {
        return;
    }
    let rounds = std::env::args().find_map(|argument| argument.parse().ok());
    let rounds = rounds.unwrap_or(ROUNDS).max(1);
    let (log, late) = (RunLog::new(), Late::default());
    let scheduler = Scheduler::builder().observer(log.clone()).start().expect("threads");
    for millisecond in 0..JOBS {
        let late = Arc::clone(&late);
        let job = Job::new(move |run| lock(&late).push(run.lateness()));
        let schedule: Schedule = format!("*:*:*.{millisecond}").parse().expect("a schedule");
        let job = job.name(format!("job {millisecond}"));
        scheduler.add_job(schedule, job).expect("a new name");
    }
    let server = runtime();
    let address = serve(&server, Board::new(log.source(&scheduler)).public());
    let mut measured = [Vec::new(), Vec::new()];
    for _ in 0..rounds {
        measured[0].push(measure(&late));
        let readers = runtime();
        for _ in 0..PAGES {
            readers.spawn(read(address));
        }
        measured[1].push(measure(&late));
        readers.shutdown_background();
    }
    println!("{}", table(&measured));
}

fn lock(late: &Late) -> std::sync::MutexGuard<'_, Vec<Duration>> {
    late.lock().unwrap_or_else(PoisonError::into_inner)
}

fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("threads")
}

fn serve(runtime: &Runtime, board: Board) -> SocketAddr {
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a port");
    let address = listener.local_addr().expect("an address");
    runtime.spawn(async move { axum::serve(listener, board.router()).await });
    address
}

/// Reads what a page reads.
async fn read(address: SocketAddr) {
    let mut page = TcpStream::connect(address).await.expect("a connection");
    let request = format!("GET /api/feed HTTP/1.1\r\nHost: {address}\r\n\r\n");
    page.write_all(request.as_bytes()).await.expect("a request");
    let mut buffer = vec![0; 64 * 1024];
    while page.read(&mut buffer).await.is_ok_and(|read| read > 0) {}
}

/// Returns how late runs start, and the CPU time in percent of a core.
fn measure(late: &Late) -> (Lateness, f64) {
    thread::sleep(WARM_UP);
    lock(late).clear();
    let usage = Usage::start();
    thread::sleep(LENGTH);
    let mut late = std::mem::take(&mut *lock(late));
    (percentiles(&mut late), usage.percent())
}

fn table(measured: &[Vec<(Lateness, f64)>; 2]) -> Table {
    let of = |measured: &[(Lateness, f64)], value: fn(&(Lateness, f64)) -> f64| {
        median(measured.iter().map(value).collect())
    };
    let headers = [
        "a thousand starts a second",
        "p50, µs",
        "p99, µs",
        "p99 / without (≤ 1.1)",
        "CPU, % of a core",
    ];
    let mut table = Table::new("Lateness of jobs while pages are open", &headers);
    let [without, with] = measured;
    let ratios = with.iter().zip(without).map(|(with, without)| with.0.p99 / without.0.p99);
    let ratio = median(ratios.collect());
    for (label, measured, ratio) in [("no page", without, None), ("200 pages", with, Some(ratio))] {
        table
            .row(label)
            .figure(of(measured, |it| it.0.p50), Bound::None)
            .figure(of(measured, |it| it.0.p99), Bound::None)
            .figure(ratio.unwrap_or(1.0), Bound::AtMost(1.1))
            .figure(of(measured, |it| it.1), Bound::None);
    }
    table
}
