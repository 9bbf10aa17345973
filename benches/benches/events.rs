//! The events of a range: iterating from both ends, filling a slice, counting, and finding the event in
//! the middle.

use std::hint::black_box;
use std::slice;

use criterion::{Criterion, Throughput};
use millicron_benches::cases::{CASES, Case};
use millicron_benches::criterion;
use millicron_benches::floors;
use millicron_benches::instants::{self, CENTURY, DAY, MINUTE, START};

/// The largest number of events that one pass visits.
const EVENTS: usize = 4_096;

fn main() {
    let mut criterion = criterion();
    for case in CASES {
        iterate(&mut criterion, case);
        count(&mut criterion, case);
    }
    let mut places = vec![0; EVENTS];
    let mut group = criterion.benchmark_group("floor");
    group.throughput(Throughput::Elements(EVENTS as u64));
    group.bench_function("fill", |bencher| {
        bencher.iter(|| floors::fill(black_box(&mut places), black_box(START), black_box(DAY)));
    });
    group.finish();
    criterion.final_summary();
}

fn iterate(criterion: &mut Criterion, case: &Case) {
    let (range, len) = case.first_events(EVENTS);
    let mut places = vec![0; len];
    for (source, subject) in [("compiled", &case.compiled), ("parsed", &case.parsed())] {
        let mut group = criterion.benchmark_group(format!("{} {source}", case.label));
        group.throughput(Throughput::Elements(len as u64));
        group.bench_function("forward", |bencher| {
            bencher.iter(|| black_box(subject).forward(black_box(slice::from_ref(&range))));
        });
        group.bench_function("backward", |bencher| {
            bencher.iter(|| black_box(subject).backward(black_box(slice::from_ref(&range))));
        });
        group.bench_function("fill", |bencher| {
            bencher.iter(|| black_box(subject).fill(black_box(&mut places)));
        });
    }
}

fn count(criterion: &mut Criterion, case: &Case) {
    for (length, name) in [(MINUTE, "minute"), (CENTURY, "century")] {
        let spans = instants::spans(case.compiled.schedule(), length);
        for (source, subject) in [("compiled", &case.compiled), ("parsed", &case.parsed())] {
            let mut group = criterion.benchmark_group(format!("{} {source}", case.label));
            group.throughput(Throughput::Elements(spans.len() as u64));
            group.bench_function(format!("count {name}"), |bencher| {
                bencher.iter(|| black_box(subject).count(black_box(&spans)));
            });
            group.bench_function(format!("nth {name}"), |bencher| {
                bencher.iter(|| black_box(subject).nth(black_box(&spans)));
            });
        }
    }
}
