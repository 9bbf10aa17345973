//! Build times of schedules.

use std::collections::HashSet;
use std::fmt::Write;
use std::fs;
use std::io;
use std::time::Instant;

use millicron::Schedule;
use millicron_benches::rounds::median;
use millicron_benches::table::{Bound, Table};

use crate::crates::{Crates, Source};
use crate::schedules;

/// How often each build is repeated.
const ROUNDS: usize = 3;

const MILLICRON: &str = "millicron = { workspace = true }";

/// A calendar that has all days of the schedules with one date, which would not compile otherwise.
const EARLY: &str = "const EARLY: millicron::Calendar = millicron::calendar!(\"*.*.1-28\");\n";

/// The names of the crates: without a schedule, with a thousand, and with the peers.
const EMPTY: &str = "millicron-alone";
const FUNCTIONS: &str = "schedules-functions";
const STATICS: &str = "schedules-statics";
const ON_CALENDAR: &str = "schedules-on-calendar";
const CRON: &str = "cron-alone";
const CRONER: &str = "croner-alone";

const CHECK: &[&str] = &["check"];
const RELEASE: &[&str] = &["build", "--release"];

pub(crate) fn tables() -> io::Result<[Table; 2]> {
    let texts = schedules::texts();
    let different: HashSet<Schedule> = texts.iter().filter_map(|text| text.parse().ok()).collect();
    assert_eq!(different.len(), texts.len(), "schedules, all different");

    let source = |name, dependencies, lib| Source { name, dependencies, lib };
    let crates = Crates::new(
        "builds",
        &[
            source(EMPTY, MILLICRON, String::new()),
            source(FUNCTIONS, MILLICRON, functions(&texts, "")),
            source(ON_CALENDAR, MILLICRON, EARLY.to_owned() + &functions(&texts, "EARLY")),
            source(STATICS, MILLICRON, statics(&texts)),
            source(CRON, "cron = \"0.17\"", String::new()),
            source(CRONER, "croner = \"4\"", String::new()),
        ],
    )?;
    Ok([clean(&crates)?, schedules(&crates, texts.len())?])
}

/// Returns code with a function for each schedule that finds its next event, as programs do. The
/// schedules are on a calendar if one is named.
fn functions(texts: &[String], calendar: &str) -> String {
    let mut lib = String::from("use millicron::{Schedule, schedule};\n");
    for (number, text) in texts.iter().enumerate() {
        let literal = match calendar {
            "" => format!("{text:?}"),
            name => format!("\"{text} @{name}\", {name}"),
        };
        let _ = write!(
            lib,
            "pub fn next_{number}(t: i64) -> Option<i64> {{\n    \
             const SCHEDULE: Schedule = schedule!({literal});\n    \
             SCHEDULE.next_event(t)\n}}\n",
        );
    }
    lib
}

/// Returns code with a public static for each schedule. The compiler keeps all its searches, which is
/// the most that a program can need.
fn statics(texts: &[String]) -> String {
    let mut lib = String::from("use millicron::{Schedule, schedule};\n");
    for (number, text) in texts.iter().enumerate() {
        let _ = writeln!(lib, "pub static S{number}: Schedule = schedule!({text:?});");
    }
    lib
}

/// Measures the seconds to build the crates and all their dependencies.
fn clean(crates: &Crates) -> io::Result<Table> {
    let mut table =
        Table::new("Build: release, with all dependencies, from nothing", &["crate", "s"]);
    for (label, name) in [("millicron", EMPTY), ("cron", CRON), ("croner", CRONER)] {
        let mut seconds = Vec::new();
        for _ in 0..ROUNDS {
            if crates.target().exists() {
                fs::remove_dir_all(crates.target())?;
            }
            seconds.push(timed(crates, RELEASE, name)?);
        }
        table.row(label).figure(median(seconds), Bound::None);
    }
    Ok(table)
}

/// Measures the milliseconds per schedule: the crates with schedules, minus the crate without.
fn schedules(crates: &Crates, len: usize) -> io::Result<Table> {
    let mut table = Table::new(
        "Build: milliseconds for a schedule, of a thousand different ones",
        &["the crate", "cargo check (≤ 3)", "cargo build --release (≤ 12)"],
    );
    let check = added(crates, CHECK, len)?;
    let release = added(crates, RELEASE, len)?;
    for (index, label) in
        ["asks each for the next event", "keeps each as a static"].into_iter().enumerate()
    {
        table
            .row(label)
            .figure(check[index], Bound::AtMost(3.0))
            .figure(release[index], Bound::AtMost(12.0));
    }
    let label = "asks each for the next event, on a calendar (≤ 3 times the first)";
    table
        .row(label)
        .figure(check[2], Bound::AtMost(3.0 * check[0]))
        .figure(release[2], Bound::AtMost(3.0 * release[0]));
    Ok(table)
}

/// Returns the milliseconds that the schedules add to a build, for each crate with schedules.
fn added(crates: &Crates, command: &[&str], len: usize) -> io::Result<[f64; 3]> {
    // Compile the dependencies first.
    timed(crates, command, EMPTY)?;
    let mut seconds = [const { Vec::new() }; 4];
    for _ in 0..ROUNDS {
        for (name, seconds) in
            [EMPTY, FUNCTIONS, STATICS, ON_CALENDAR].into_iter().zip(&mut seconds)
        {
            crates.cargo(&["clean", "--package", name])?;
            crates.cargo(&["clean", "--release", "--package", name])?;
            seconds.push(timed(crates, command, name)?);
        }
    }
    let [empty, with_schedules @ ..] = seconds.map(median);
    #[allow(clippy::cast_precision_loss, reason = "a thousand")]
    let len = len as f64;
    Ok(with_schedules.map(|seconds| (seconds - empty) * 1e3 / len))
}

fn timed(crates: &Crates, command: &[&str], name: &str) -> io::Result<f64> {
    let start = Instant::now();
    crates.cargo(&[command, &["--package", name]].concat())?;
    Ok(start.elapsed().as_secs_f64())
}
