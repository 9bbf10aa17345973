//! Searches, iteration and parsing, as ratios within one run, with their bounds. An argument sets the
//! number of rounds.

mod events;
mod peers;
mod searches;

use millicron_benches::cases::Kind;
use millicron_benches::rounds::Row;
use millicron_benches::table::{Bound, Table};
use millicron_benches::{floors, is_bench};

const ROUNDS: usize = 15;

fn main() {
    peers::check();
    if !is_bench() {
        return;
    }
    let rounds = std::env::args().find_map(|argument| argument.parse().ok());
    let rounds = rounds.unwrap_or(ROUNDS).max(1);
    let mut tables = searches::tables(rounds);
    tables.extend(events::tables(rounds));
    // The peers are slow, and far from their bounds.
    tables.extend(peers::tables(rounds.div_ceil(3)));

    let (mut bounded, mut missed) = (0, 0);
    for table in &tables {
        println!("{table}");
        let of_table = table.missed();
        bounded += of_table.0;
        missed += of_table.1;
    }
    println!("In all, {missed} of {bounded} figures miss their bounds.");
}

/// Adds the floor of a kind to a row.
fn measure_floor<'a>(row: &mut Row<'a>, kind: Kind, instants: &'a [i64]) {
    let floor = match kind {
        Kind::Stride => floors::strides,
        Kind::Time | Kind::Date | Kind::Steps => floors::dates,
    };
    row.measure("floor", instants.len(), move || {
        std::hint::black_box(floor(std::hint::black_box(instants)));
    });
}

/// Returns the bound of a kind: `stride` for strides, and `other` for all others.
fn bound(kind: Kind, stride: f64, other: f64) -> Bound {
    Bound::AtMost(if kind == Kind::Stride { stride } else { other })
}

/// Returns a table with one value in each row.
fn single(title: &str, figures: &[(&str, f64)], bound: Bound) -> Table {
    let mut table = Table::new(title, &["", "ratio"]);
    for (label, figure) in figures {
        table.row(label).figure(*figure, bound);
    }
    table
}
