//! Single searches, compiled and parsed: at random instants, at the case's fixed instant, and each from
//! the previous answer.

use std::hint::black_box;

use criterion::{BenchmarkGroup, Criterion, Throughput, measurement::WallTime};
use millicron_benches::cases::{CASES, Case};
use millicron_benches::instants::{self, INSTANTS};
use millicron_benches::loops::Subject;
use millicron_benches::{criterion, floors};

type Search = fn(&Subject, &[i64]) -> i64;

const SEARCHES: [(&str, Search); 5] = [
    ("next", Subject::next),
    ("nearest", Subject::nearest),
    ("prev", Subject::prev),
    ("nearest_prev", Subject::nearest_prev),
    ("matches", Subject::matches),
];

fn main() {
    let mut criterion = criterion();
    yardsticks(&mut criterion);
    for (name, search) in SEARCHES {
        let mut group = group(&mut criterion, name);
        for case in CASES {
            ask(&mut group, case, search);
        }
    }
    let mut group = group(&mut criterion, "chain");
    for case in CASES {
        for (source, subject) in subjects(case) {
            group.bench_function(format!("{} {source}", case.label), |bencher| {
                bencher.iter(|| black_box(&subject).chain(INSTANTS));
            });
        }
    }
    group.finish();
    criterion.final_summary();
}

fn group<'a>(criterion: &'a mut Criterion, name: &str) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Elements(INSTANTS as u64));
    group
}

fn subjects(case: &Case) -> [(&'static str, Subject); 2] {
    [("compiled", case.compiled.clone()), ("parsed", case.parsed())]
}

fn yardsticks(criterion: &mut Criterion) {
    let instants = instants::random();
    let mut group = group(criterion, "floor");
    group.bench_function("stride", |bencher| {
        bencher.iter(|| floors::strides(black_box(&instants)));
    });
    group.bench_function("date", |bencher| {
        bencher.iter(|| floors::dates(black_box(&instants)));
    });
}

fn ask(group: &mut BenchmarkGroup<'_, WallTime>, case: &Case, search: Search) {
    let random = instants::random();
    let fixed = case.from_millis().map(|from| vec![from; INSTANTS]);
    for (source, subject) in subjects(case) {
        group.bench_function(format!("{} {source}", case.label), |bencher| {
            bencher.iter(|| search(black_box(&subject), black_box(&random)));
        });
        if let Some(fixed) = &fixed {
            group.bench_function(format!("{} {source} fixed", case.label), |bencher| {
                bencher.iter(|| search(black_box(&subject), black_box(fixed)));
            });
        }
    }
}
