//! Parsing a case, here and in the peers that can express it.

use std::hint::black_box;

use criterion::Throughput;
use millicron::Schedule;
use millicron_benches::cases::{CASES, WHOLE_SECONDS};
use millicron_benches::criterion;
use millicron_benches::peers::{Answers, rivals};

/// The number of times an expression is parsed in one pass.
const TIMES: usize = 64;

fn main() {
    let mut criterion = criterion();
    for case in CASES.iter().chain(WHOLE_SECONDS) {
        let mut group = criterion.benchmark_group(format!("parse {}", case.label));
        group.throughput(Throughput::Elements(TIMES as u64));
        group.bench_function("millicron", |bencher| {
            bencher.iter(|| {
                for _ in 0..TIMES {
                    black_box(black_box(case.text).parse::<Schedule>().ok());
                }
            });
        });
        for rival in rivals(case, &Answers::new(case, &[], 0)).into_iter().flatten() {
            group.bench_function(rival.name, |bencher| bencher.iter(|| rival.parse(TIMES)));
        }
    }
    criterion.final_summary();
}
