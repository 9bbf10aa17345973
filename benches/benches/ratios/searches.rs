//! Single searches, compiled and parsed, compared with their floors.

use std::hint::black_box;

use millicron_benches::cases::{CASES, Case, Kind};
use millicron_benches::instants::{self, INSTANTS};
use millicron_benches::loops::Subject;
use millicron_benches::rounds::{Row, run};
use millicron_benches::table::{Bound, Table};

use crate::{bound, measure_floor, single};

/// A case, and the instants at which it is queried.
struct Question {
    case: &'static Case,
    label: String,
    parsed: Subject,
    instants: Vec<i64>,
}

pub(crate) fn tables(rounds: usize) -> Vec<Table> {
    let questions = questions();
    let mut rows: Vec<Row<'_>> = questions.iter().map(row).collect();
    run(&mut rows, rounds);
    let answered: Vec<_> = questions.iter().zip(&rows).collect();
    vec![compiled(&answered), spread(&questions, rounds), parsed(&answered)]
}

/// Returns every case at random instants, and some at their fixed instant too.
fn questions() -> Vec<Question> {
    let question = |case: &'static Case, label, instants| Question {
        case,
        label,
        parsed: case.parsed(),
        instants,
    };
    let mut questions = Vec::new();
    for case in CASES {
        questions.push(question(case, case.label.to_owned(), instants::random()));
        if let Some(from) = case.from_millis() {
            let label = format!("{} fixed", case.label);
            questions.push(question(case, label, vec![from; INSTANTS]));
        }
    }
    questions
}

fn row(question: &Question) -> Row<'_> {
    let Question { case, parsed, instants, .. } = question;
    let compiled = &case.compiled;
    let mut row = Row::default();
    measure_floor(&mut row, case.kind, instants);
    let mut ask = |name, subject: &'static str, search: fn(&Subject, &[i64]) -> i64| {
        let subject = if subject == "parsed" { parsed } else { compiled };
        row.measure(name, INSTANTS, move || {
            black_box(search(black_box(subject), black_box(instants)));
        });
    };
    ask("next", "compiled", Subject::next);
    ask("prev", "compiled", Subject::prev);
    ask("matches", "compiled", Subject::matches);
    ask("parsed next", "parsed", Subject::next);
    ask("parsed prev", "parsed", Subject::prev);
    ask("parsed matches", "parsed", Subject::matches);
    row.measure("chain", INSTANTS, move || {
        black_box(black_box(compiled).chain(INSTANTS));
    });
    row
}

fn compiled(answered: &[(&Question, &Row<'_>)]) -> Table {
    let mut table = Table::new(
        "Compiled: one search",
        &[
            "case",
            "floor, ns",
            "next, ns",
            "next / floor (strides ≤ 1.7, times ≤ 0.5, dates ≤ 0.7)",
            "prev, ns",
            "prev / floor (the same)",
            "matches / next (≤ 0.7)",
            "chain, ns",
        ],
    );
    for (question, row) in answered {
        let bound = Bound::AtMost(match question.case.kind {
            Kind::Stride => 1.7,
            Kind::Time => 0.5,
            Kind::Date | Kind::Steps => 0.7,
        });
        table
            .row(&question.label)
            .figure(row.ns("floor"), Bound::None)
            .figure(row.ns("next"), Bound::None)
            .figure(row.ratio("next", "floor"), bound)
            .figure(row.ns("prev"), Bound::None)
            .figure(row.ratio("prev", "floor"), bound)
            .figure(row.ratio("matches", "next"), Bound::AtMost(0.7))
            .figure(row.ns("chain"), Bound::None);
    }
    table
}

/// Compares the slowest date case with the fastest, at instants that have events on both sides:
/// elsewhere, there is nothing to search. It compares the ratios to the floor, since the machine may
/// have been faster for one case than for another.
fn spread(questions: &[Question], rounds: usize) -> Table {
    let dates = questions.iter().filter(|question| question.case.kind == Kind::Date);
    let asked: Vec<(&Subject, Vec<i64>)> = dates
        .map(|Question { case, instants, .. }| {
            let schedule = case.compiled.schedule();
            let is_between = |at| schedule.prev_event(at).and(schedule.next_event(at));
            (&case.compiled, instants::answered(instants, is_between))
        })
        .filter(|(_, instants)| !instants.is_empty())
        .collect();
    let mut rows: Vec<Row<'_>> = asked
        .iter()
        .map(|(subject, instants)| {
            let mut row = Row::default();
            measure_floor(&mut row, Kind::Date, instants);
            row.measure("next", instants.len(), move || {
                black_box(black_box(subject).next(black_box(instants)));
            });
            row.measure("prev", instants.len(), move || {
                black_box(black_box(subject).prev(black_box(instants)));
            });
            row
        })
        .collect();
    run(&mut rows, rounds);
    let spread = |name| {
        let ratios: Vec<f64> = rows.iter().filter_map(|row| row.ratio(name, "floor")).collect();
        let slowest = ratios.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        slowest / ratios.iter().copied().fold(f64::INFINITY, f64::min)
    };
    single(
        "Compiled: slowest / fastest date case, at instants between two events (≤ 2.5)",
        &["next", "prev"].map(|name| (name, spread(name))),
        Bound::AtMost(2.5),
    )
}

/// Returns whether a query ever has an answer.
fn has_answers(question: &Question, search: fn(&Subject, &[i64]) -> i64) -> bool {
    search(&question.case.compiled, &question.instants) != 0
}

fn parsed(answered: &[(&Question, &Row<'_>)]) -> Table {
    let mut table = Table::new(
        "Parsed: one search",
        &[
            "case",
            "next, ns",
            "next / compiled (strides ≤ 5, others ≤ 2.5)",
            "prev, ns",
            "prev / compiled (the same)",
            "matches / next (≤ 0.7)",
        ],
    );
    for (question, row) in answered {
        let bound = |search| {
            let is_search = has_answers(question, search);
            if is_search { bound(question.case.kind, 5.0, 2.5) } else { Bound::None }
        };
        table
            .row(&question.label)
            .figure(row.ns("parsed next"), Bound::None)
            .figure(row.ratio("parsed next", "next"), bound(Subject::next))
            .figure(row.ns("parsed prev"), Bound::None)
            .figure(row.ratio("parsed prev", "prev"), bound(Subject::prev))
            .figure(row.ratio("parsed matches", "parsed next"), Bound::AtMost(0.7));
    }
    table
}
