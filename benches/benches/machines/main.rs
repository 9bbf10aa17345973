//! The cost of `millicron-apalis`: how fast a source pushes events, alone and with replicas; how late
//! tasks start, compared with apalis's own polling and with other schedulers; and the cost of ten
//! thousand schedules that are due once a day. An argument sets the number of rounds.

mod idle;
mod lateness;
mod starts;
mod storages;
mod throughput;

use millicron_benches::is_bench;
use tokio::runtime::{Builder, Runtime};

use crate::storages::Servers;

const ROUNDS: usize = 1;

fn main() {
    if !is_bench() {
        return;
    }
    let rounds = std::env::args().find_map(|argument| argument.parse().ok());
    let rounds = rounds.unwrap_or(ROUNDS).max(1);
    let servers = Servers::start();
    println!("{}", throughput::batches(&servers, rounds));
    println!("{}", throughput::replicas(&servers, rounds));
    println!("{}", lateness::table(&servers, rounds));
    println!("{}", idle::table(&servers));
}

/// Returns a runtime with two threads.
fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("the runtime starts")
}
