//! Many events at once: iterating, filling a slice, counting.

use std::hint::black_box;
use std::ops::RangeInclusive;

use millicron_benches::cases::{CASES, Case};
use millicron_benches::floors;
use millicron_benches::instants::{self, CENTURY, DAY, INSTANTS, MINUTE, START, Span};
use millicron_benches::rounds::{Row, run};
use millicron_benches::table::{Bound, Table};

use crate::bound;

/// The number of events in one iteration.
const EVENTS: usize = 4_096;

/// The number of events in a slice: half of the L1 cache.
const ROOM: usize = 2_048;

struct Question {
    case: &'static Case,
    /// The instants that have a next event.
    instants: Vec<i64>,
    /// For a case with few events, ranges that contain all of them, repeated.
    ranges: Vec<RangeInclusive<i64>>,
    /// The number of events of each range.
    events: usize,
    minutes: Vec<Span>,
    centuries: Vec<Span>,
}

pub(crate) fn tables(rounds: usize) -> Vec<Table> {
    let questions: Vec<Question> = CASES.iter().map(question).collect();
    let mut rows: Vec<Row<'_>> = questions.iter().map(row).collect();
    run(&mut rows, rounds);
    let answered: Vec<_> = questions.iter().zip(&rows).collect();
    vec![iterated(&answered), counted(&answered)]
}

fn question(case: &'static Case) -> Question {
    let (range, events) = case.first_events(EVENTS);
    let schedule = case.compiled.schedule();
    Question {
        case,
        instants: instants::answered(&instants::random(), |at| schedule.next_event(at)),
        ranges: vec![range; EVENTS.div_ceil(events)],
        events,
        minutes: instants::spans(schedule, MINUTE),
        centuries: instants::spans(schedule, CENTURY),
    }
}

fn row(question: &Question) -> Row<'_> {
    let Question { case, instants, ranges, events, minutes, centuries } = question;
    let subject = &case.compiled;
    let mut row = Row::default();
    row.measure("next", instants.len(), || {
        black_box(subject.next(black_box(instants)));
    });

    row.measure("forward", events * ranges.len(), move || {
        black_box(subject.forward(black_box(ranges)));
    });
    row.measure("backward", events * ranges.len(), move || {
        black_box(subject.backward(black_box(ranges)));
    });

    // The same length for both, so a slice of one element is compared with another of one.
    let room = ROOM.min(*events);
    let turns = ROOM.div_ceil(room);
    let mut places = vec![0; room];
    row.measure("fill floor", room * turns, move || {
        for _ in 0..turns {
            floors::fill(black_box(&mut places), black_box(START), black_box(DAY));
        }
    });
    let mut places = vec![0; room];
    row.measure("fill", room * turns, move || {
        for _ in 0..turns {
            black_box(subject.fill(black_box(&mut places)));
        }
    });

    row.measure("count a minute", INSTANTS, || {
        black_box(subject.count(black_box(minutes)));
    });
    row.measure("count a century", INSTANTS, || {
        black_box(subject.count(black_box(centuries)));
    });
    row.measure("nth of a minute", INSTANTS, || {
        black_box(subject.nth(black_box(minutes)));
    });
    row.measure("nth of a century", INSTANTS, || {
        black_box(subject.nth(black_box(centuries)));
    });
    row
}

fn iterated(answered: &[(&Question, &Row<'_>)]) -> Table {
    let mut table = Table::new(
        "Compiled: an event of many",
        &[
            "case",
            "events in a range",
            "forward, ns",
            "forward / next (strides ≤ 1, others ≤ 0.5)",
            "backward, ns",
            "backward / next (the same)",
            "fill, ns",
            "fill / loop (strides ≤ 2, others ≤ 4)",
        ],
    );
    for (question, row) in answered {
        let kind = question.case.kind;
        table
            .row(question.case.label)
            .text(&question.events.to_string())
            .figure(row.ns("forward"), Bound::None)
            .figure(row.ratio("forward", "next"), bound(kind, 1.0, 0.5))
            .figure(row.ns("backward"), Bound::None)
            .figure(row.ratio("backward", "next"), bound(kind, 1.0, 0.5))
            .figure(row.ns("fill"), Bound::None)
            .figure(row.ratio("fill", "fill floor"), bound(kind, 2.0, 4.0));
    }
    table
}

fn counted(answered: &[(&Question, &Row<'_>)]) -> Table {
    let mut table = Table::new(
        "Compiled: count and nth, / next (all ≤ 4)",
        &[
            "case",
            "next, ns",
            "count, a minute",
            "count, a century",
            "nth, a minute",
            "nth, a century",
        ],
    );
    for (question, row) in answered {
        let bound = Bound::AtMost(4.0);
        table
            .row(question.case.label)
            .figure(row.ns("next"), Bound::None)
            .figure(row.ratio("count a minute", "next"), bound)
            .figure(row.ratio("count a century", "next"), bound)
            .figure(row.ratio("nth of a minute", "next"), bound)
            .figure(row.ratio("nth of a century", "next"), bound);
    }
    table
}
