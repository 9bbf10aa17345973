//! The next event and iteration, in the peers that can express the case and answer correctly.

use std::hint::black_box;
use std::slice;

use criterion::{BenchmarkGroup, Criterion, Throughput, measurement::WallTime};
use millicron_benches::cases::{CASES, Case, WHOLE_SECONDS};
use millicron_benches::criterion;
use millicron_benches::instants::{self, INSTANTS};
use millicron_benches::peers::{Answers, Rival, WINDOW, rivals};

/// The largest number of events that one pass visits.
const EVENTS: usize = 1_024;

fn main() {
    let mut criterion = criterion();
    for case in CASES.iter().chain(WHOLE_SECONDS) {
        next(&mut criterion, case, "", &instants::random());
        if let Some(from) = case.from_millis() {
            next(&mut criterion, case, " fixed", &vec![from; INSTANTS]);
        }
        forward(&mut criterion, case);
    }
    criterion.final_summary();
}

fn group<'a>(
    criterion: &'a mut Criterion,
    name: &str,
    elements: usize,
) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Elements(elements as u64));
    group
}

/// Returns the peers, after checking the answers of `millicron`.
fn check(case: &Case, answers: &Answers) -> Vec<Rival> {
    assert!(answers.are_given_by(case), "{} is answered wrongly", case.text);
    rivals(case, answers).into_iter().flatten().collect()
}

fn next(criterion: &mut Criterion, case: &Case, mode: &str, instants: &[i64]) {
    let rivals = check(case, &Answers::new(case, instants, 0));
    let mut group = group(criterion, &format!("next {}{mode}", case.label), WINDOW);
    let mut windows = instants.chunks(WINDOW).cycle();
    group.bench_function("millicron", |bencher| {
        bencher.iter(|| case.compiled.next(black_box(windows.next().unwrap_or_default())));
    });
    for rival in rivals.iter().filter(|rival| rival.wrong == 0) {
        let mut windows = (0..INSTANTS / WINDOW).cycle();
        group.bench_function(rival.name, |bencher| {
            bencher.iter(|| rival.next(windows.next().unwrap_or_default()));
        });
    }
}

fn forward(criterion: &mut Criterion, case: &Case) {
    let answers = Answers::new(case, &[], EVENTS);
    let rivals = check(case, &answers);
    let (range, len) = case.first_events(EVENTS);
    let mut group = group(criterion, &format!("events {}", case.label), len);
    group.bench_function("millicron", |bencher| {
        bencher.iter(|| case.compiled.forward(black_box(slice::from_ref(&range))));
    });
    for rival in rivals.iter().filter(|rival| rival.iterates) {
        group.bench_function(rival.name, |bencher| bencher.iter(|| rival.forward(len)));
    }
}
