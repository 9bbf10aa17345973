//! The peers, each on the cases that it can express and answers correctly.

use std::hint::black_box;

use millicron::Schedule;
use millicron_benches::cases::{CASES, Case, WHOLE_SECONDS};
use millicron_benches::instants::{self, INSTANTS};
use millicron_benches::loops::Subject;
use millicron_benches::peers::{Answers, NAMES, Rival, WINDOW, rivals};
use millicron_benches::rounds::{Row, run};
use millicron_benches::table::{Bound, Cells, Table};

/// The largest number of events that one pass visits.
const EVENTS: usize = 1_024;

/// The number of times an expression is parsed in one pass.
const TIMES: usize = 64;

/// A case, and the peers that can express it.
struct Question {
    case: &'static Case,
    label: String,
    /// Whether it is queried at its fixed instant only.
    is_fixed: bool,
    parsed: Subject,
    instants: Vec<i64>,
    answers: Answers,
    rivals: [Result<Rival, &'static str>; 4],
}

fn questions() -> impl Iterator<Item = Question> {
    CASES.iter().chain(WHOLE_SECONDS).flat_map(|case| {
        let random = question(case, case.label.to_owned(), instants::random());
        let fixed = case.from_millis().map(|from| Question {
            is_fixed: true,
            ..question(case, format!("{} fixed", case.label), vec![from; INSTANTS])
        });
        std::iter::once(random).chain(fixed)
    })
}

fn question(case: &'static Case, label: String, instants: Vec<i64>) -> Question {
    let answers = Answers::new(case, &instants, EVENTS);
    Question {
        case,
        label,
        is_fixed: false,
        parsed: case.parsed(),
        rivals: rivals(case, &answers),
        instants,
        answers,
    }
}

/// Compares all measured answers with the oracle.
///
/// # Panics
///
/// Panics if an answer of `millicron` is wrong.
pub(crate) fn check() {
    for question in questions() {
        let case = question.case;
        assert!(question.answers.are_given_by(case), "{}", case.text);
    }
}

pub(crate) fn tables(rounds: usize) -> Vec<Table> {
    let questions: Vec<Question> = questions().collect();
    let mut rows: Vec<Row<'_>> = questions.iter().map(row).collect();
    run(&mut rows, rounds);
    let answered: Vec<_> = questions
        .iter()
        .zip(&rows)
        .filter(|(question, _)| question.rivals.iter().any(Result::is_ok))
        .collect();
    vec![next(&answered), forward(&answered), parse(&answered)]
}

fn row(question: &Question) -> Row<'_> {
    let Question { case, is_fixed, parsed, instants, rivals, .. } = question;
    let mut row = Row::default();
    row.measure("next compiled", INSTANTS, || {
        black_box(case.compiled.next(black_box(instants)));
    });
    row.measure("next parsed", INSTANTS, move || {
        black_box(black_box(parsed).next(black_box(instants)));
    });
    for rival in right(rivals, |rival| rival.wrong == 0) {
        let mut windows = (0..INSTANTS / WINDOW).cycle();
        row.measure(format!("next {}", rival.name), WINDOW, move || {
            rival.next(windows.next().unwrap_or_default());
        });
    }
    if *is_fixed {
        return row;
    }
    let (range, events) = case.first_events(EVENTS);
    let ranges = vec![range; EVENTS.div_ceil(events)];
    row.measure("forward compiled", events * ranges.len(), move || {
        black_box(case.compiled.forward(black_box(&ranges)));
    });
    for rival in right(rivals, |rival| rival.iterates) {
        row.measure(format!("forward {}", rival.name), events, move || {
            rival.forward(events);
        });
    }
    row.measure("parse millicron", TIMES, || {
        for _ in 0..TIMES {
            black_box(black_box(case.text).parse::<Schedule>().ok());
        }
    });
    for rival in right(rivals, |_| true) {
        row.measure(format!("parse {}", rival.name), TIMES, || {
            rival.parse(TIMES);
        });
    }
    row
}

/// Returns the peers that can express the case and answer correctly.
fn right<'a>(
    rivals: &'a [Result<Rival, &'static str>],
    is_right: impl Fn(&Rival) -> bool,
) -> impl Iterator<Item = &'a Rival> {
    let rivals = rivals.iter().filter_map(|rival| rival.as_ref().ok());
    rivals.filter(move |rival| is_right(rival))
}

/// Returns the ratio of the fastest peer to `what`.
fn fastest(row: &Row<'_>, question: &str, what: &str) -> Option<f64> {
    NAMES
        .iter()
        .filter_map(|name| row.ratio(&format!("{question} {name}"), what))
        .min_by(f64::total_cmp)
}

/// Adds the ratio of each peer to `what`, or why it is missing.
fn each(
    cells: &mut Cells<'_>,
    (question, row): (&Question, &Row<'_>),
    [asked, what]: [&str; 2],
    bounds: [Bound; 4],
) {
    for ((name, rival), bound) in NAMES.iter().zip(&question.rivals).zip(bounds) {
        match (rival, row.ratio(&format!("{asked} {name}"), what)) {
            (_, Some(ratio)) => cells.figure(ratio, bound),
            (Ok(_), None) => cells.text("wrong"),
            (Err(why), None) => cells.text(why),
        };
    }
}

fn next(answered: &[(&Question, &Row<'_>)]) -> Table {
    let mut table = Table::new(
        "Peers: next event",
        &[
            "case",
            "compiled, ns",
            "cron / compiled (≥ 40)",
            "croner / compiled (≥ 40)",
            "saffron / compiled",
            "crontime / compiled",
            "fastest / compiled (≥ 8)",
            "fastest / parsed (≥ 1)",
        ],
    );
    let (far, any) = (Bound::AtLeast(40.0), Bound::None);
    for &(question, row) in answered {
        let mut cells = table.row(&question.label);
        cells.figure(row.ns("next compiled"), any);
        each(&mut cells, (question, row), ["next", "next compiled"], [far, far, any, any]);
        let compiled = fastest(row, "next", "next compiled");
        let parsed = fastest(row, "next", "next parsed");
        cells.figure(compiled, Bound::AtLeast(8.0)).figure(parsed, Bound::AtLeast(1.0));
    }
    table
}

fn forward(answered: &[(&Question, &Row<'_>)]) -> Table {
    let mut table = Table::new(
        "Peers: an event of an iteration",
        &[
            "case",
            "compiled, ns",
            "cron / compiled",
            "croner / compiled",
            "saffron / compiled",
            "crontime / compiled",
        ],
    );
    for &(question, row) in answered.iter().filter(|(question, _)| !question.is_fixed) {
        let mut cells = table.row(&question.label);
        cells.figure(row.ns("forward compiled"), Bound::None);
        each(&mut cells, (question, row), ["forward", "forward compiled"], [Bound::None; 4]);
    }
    table
}

fn parse(answered: &[(&Question, &Row<'_>)]) -> Table {
    let mut table = Table::new(
        "Peers: parse",
        &[
            "case",
            "millicron, ns",
            "millicron / cron (≤ 0.5)",
            "cron / millicron",
            "croner / millicron",
            "saffron / millicron",
            "crontime / millicron",
        ],
    );
    for &(question, row) in answered.iter().filter(|(question, _)| !question.is_fixed) {
        let to_cron = row.ratio("parse millicron", "parse cron");
        let mut cells = table.row(&question.label);
        cells.figure(row.ns("parse millicron"), Bound::None).figure(to_cron, Bound::AtMost(0.5));
        each(&mut cells, (question, row), ["parse", "parse millicron"], [Bound::None; 4]);
    }
    table
}
