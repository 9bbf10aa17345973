//! Prints a program with random literals: `write-literals SEED N`.
//!
//! Half of them are single schedules without a calendar, three eighths have a calendar, and an eighth are unions. Texts
//! that never fire, which the compiler refuses, are left out.

use std::iter::repeat_with;

use millicron_literal_tests::runner;
use millicron_test_support::generate::business_days::expression_with_calendar;
use millicron_test_support::generate::calendars::{NAMES, calendars};
use millicron_test_support::generate::expression;
use millicron_test_support::generate::unions::union;
use millicron_test_support::oracle::Oracle;
use proptest::prelude::*;
use proptest::strategy::ValueTree;

fn main() {
    let numbers: Vec<u64> = std::env::args().skip(1).map_while(|it| it.parse().ok()).collect();
    let [seed, count] = numbers[..] else { panic!("usage: write-literals SEED N") };
    let mut runner = runner(seed);
    let generated = calendars().new_tree(&mut runner).expect("calendars");
    let (calendars, days) = generated.current();

    println!("use millicron::{{Calendar, Schedule, calendar, schedule}};");
    for (name, text) in &calendars {
        let constant = constant(name);
        println!("const {constant}: Calendar = calendar!({text:?}{});", arguments(text));
    }
    println!("const CALENDARS: [(&str, &str, Calendar); {}] = [", calendars.len());
    for (name, text) in &calendars {
        println!("    ({name:?}, {text:?}, {}),", constant(name));
    }
    println!("];");
    println!("const LITERALS: [(&str, Schedule); {count}] = [");
    let texts = prop_oneof![4 => expression(), 3 => expression_with_calendar(), 1 => union()];
    let mut texts =
        repeat_with(|| texts.new_tree(&mut runner).expect("a text").current()).filter(|text| {
            let oracle = Oracle::with_calendars(text, &days);
            !oracle.members().iter().any(Oracle::never_fires)
        });
    for _ in 0..count {
        let text = texts.next().expect("texts without end");
        println!("    ({text:?}, schedule!({text:?}{})),", arguments(&text));
    }
    println!("];");
    println!("fn main() -> std::process::ExitCode {{");
    println!("    millicron_literal_tests::check({seed}, &CALENDARS, &LITERALS)");
    println!("}}");
}

/// Returns the arguments of a macro for the calendars that a text names.
fn arguments(text: &str) -> String {
    // Comments of random calendars contain names, too.
    let without_comment = |line| str::split_once(line, "\t#").map_or(line, |(line, _)| line);
    let is_named = |name: &&&str| {
        let reference = format!("@{name}");
        text.lines().any(|line| without_comment(line).contains(&reference))
    };
    let argument = |name: &&str| format!(", {name:?} = {}", constant(name));
    NAMES.iter().filter(is_named).map(argument).collect()
}

fn constant(name: &str) -> String {
    name.to_uppercase().replace('-', "_")
}
