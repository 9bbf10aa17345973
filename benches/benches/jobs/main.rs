//! Benchmarks of the scheduler: the cost of a million jobs, compared with tokio's `DelayQueue` where it
//! can do the same; the lateness of jobs, compared with a bare condition variable and with goroutines;
//! many jobs at one instant, in this and in other schedulers; and how long threads wait for a busy
//! scheduler. An argument sets the number of rounds.

mod burst;
mod delay_queue;
mod goroutines;
mod lateness;
mod million;
mod schedulers;
mod wakes;

use millicron_benches::is_bench;
use millicron_benches::rounds::median;
use millicron_benches::table::{Bound, Table};
use millicron_scheduler::{Scheduler, Workers};

/// The number of jobs.
const JOBS: usize = 1_000_000;

const ROUNDS: usize = 5;

fn main() {
    if !is_bench() {
        return;
    }
    let rounds = std::env::args().find_map(|argument| argument.parse().ok());
    let rounds = rounds.unwrap_or(ROUNDS).max(1);
    println!("{}", waiting(rounds));
    println!("{}", memory());
    println!("{}", running(rounds));
    println!("{}", lateness::pool(rounds));
    println!("{}", lateness::per_run(rounds));
    println!("{}", burst::table(rounds.div_ceil(2)));
    println!("{}", wakes::workers(rounds));
    println!("{}", wakes::cancel(rounds));
    println!("{}", wakes::waits(rounds));
    println!("{}", idle());
}

fn start(workers: Workers) -> Scheduler {
    Scheduler::builder().workers(workers).start().expect("the scheduler starts")
}

fn waiting(rounds: usize) -> Table {
    let headers = ["a million jobs", "seconds", "tokio `DelayQueue`, seconds"];
    let mut table = Table::new("Waiting", &headers);
    let median_of = |measure: fn() -> f64| median((0..rounds).map(|_| measure()).collect());
    let one_thread = median_of(|| million::add(1));
    let ratios = (0..rounds).map(|_| million::add(4) / million::add(1));
    let four_threads = median(ratios.collect());
    table
        .row("added from one thread (≤ 0.4)")
        .figure(one_thread, Bound::AtMost(0.4))
        .figure(median_of(delay_queue::add), Bound::None);
    table
        .row("added from four threads / from one (≤ 1.2)")
        .figure(four_threads, Bound::AtMost(1.2));
    table
        .row("cancelled in random order (≤ 0.15)")
        .figure(median_of(million::cancel), Bound::AtMost(0.15))
        .figure(median_of(delay_queue::cancel), Bound::None);
    table
}

fn memory() -> Table {
    let mut table = Table::new("Memory", &["for each job", "bytes"]);
    let million::Memory { waiting, with_closure, recurring, cancelled, cancelled_by_name } =
        million::memory();
    table.row("while it waits, without its closure (≤ 120)").figure(waiting, Bound::AtMost(120.0));
    table
        .row("while it waits, with a closure that holds an `Arc` (≤ 65)")
        .figure(with_closure, Bound::AtMost(65.0));
    table.row("while it waits, with a schedule").figure(recurring, Bound::None);
    table.row("after all jobs are cancelled (≤ 1)").figure(cancelled, Bound::AtMost(1.0));
    table
        .row("after all jobs with names are cancelled (≤ 1)")
        .figure(cancelled_by_name, Bound::AtMost(1.0));
    table
}

fn running(rounds: usize) -> Table {
    let mut table = Table::new("A million jobs, 1 µs apart", &["", "seconds"]);
    let spans = (0..rounds).map(|_| million::run());
    table
        .row("from the first instant to the last run (≤ 1.3)")
        .figure(median(spans.collect()), Bound::AtMost(1.3));
    table
}

fn idle() -> Table {
    let mut table = Table::new("A million waiting jobs", &["", "percent of a core"]);
    table.row("idle (≤ 0.1)").figure(million::idle(), Bound::AtMost(0.1));
    table
}
