//! The scheduler: what a million jobs cost, and how late they run, beside a bare
//! condition variable that waits for the same instants, and beside the queue of
//! timers of `tokio`, where that can do it. An argument tells how many rounds there
//! are to be.

mod counts;
mod lateness;
mod peer;

use millicron_benches::is_bench;
use millicron_benches::rounds::median;
use millicron_benches::table::{Bound, Table};

/// How many jobs.
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
    println!("{}", lateness::table(rounds));
    println!("{}", idle());
}

fn waiting(rounds: usize) -> Table {
    let headers = ["a million jobs", "seconds", "tokio `DelayQueue`, seconds"];
    let mut table = Table::new("Waiting", &headers);
    let of = |measure: fn() -> f64| median((0..rounds).map(|_| measure()).collect());
    let one = of(|| counts::add(1));
    let pairs = (0..rounds).map(|_| counts::add(4) / counts::add(1));
    let four = median(pairs.collect());
    table
        .row("added from one thread (≤ 0.4)")
        .figure(one, Bound::AtMost(0.4))
        .figure(of(peer::add), Bound::None);
    table.row("added from four threads, / from one (≤ 1.2)").figure(four, Bound::AtMost(1.2));
    table
        .row("cancelled in random order (≤ 1)")
        .figure(of(counts::cancel), Bound::AtMost(1.0))
        .figure(of(peer::cancel), Bound::None);
    table
}

fn memory() -> Table {
    let mut table = Table::new("Memory", &["of a waiting job", "bytes"]);
    let (waiting, cancelled) = counts::memory();
    table.row("beside its closure (≤ 120)").figure(waiting, Bound::AtMost(120.0));
    table.row("left when all are cancelled (≤ 1)").figure(cancelled, Bound::AtMost(1.0));
    table
}

fn running(rounds: usize) -> Table {
    let mut table = Table::new("A million jobs, 1 µs apart", &["", "seconds"]);
    let spans = (0..rounds).map(|_| counts::run());
    table
        .row("from the first instant to the last run (≤ 1.3)")
        .figure(median(spans.collect()), Bound::AtMost(1.3));
    table
}

fn idle() -> Table {
    let mut table = Table::new("A million jobs that wait", &["", "percent of a core"]);
    table.row("idle (≤ 0.1)").figure(counts::idle(), Bound::AtMost(0.1));
    table
}
