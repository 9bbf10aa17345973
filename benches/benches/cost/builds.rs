//! What schedules add to the build of a program.

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

/// Each build is made this many times.
const ROUNDS: usize = 3;

const MILLICRON: &str = "millicron = { workspace = true }";

/// The crates: with no schedule, with a thousand of them, and with the peers.
const EMPTY: &str = "millicron-alone";
const ASKED: &str = "schedules-asked";
const KEPT: &str = "schedules-kept";
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
            source(ASKED, MILLICRON, asked(&texts)),
            source(KEPT, MILLICRON, kept(&texts)),
            source(CRON, "cron = \"0.17\"", String::new()),
            source(CRONER, "croner = \"4\"", String::new()),
        ],
    )?;
    Ok([clean(&crates)?, schedules(&crates, texts.len())?])
}

/// A function for each schedule that asks for the next event: what programs do.
fn asked(texts: &[String]) -> String {
    let mut lib = String::from("use millicron::{Schedule, schedule};\n");
    for (number, text) in texts.iter().enumerate() {
        let _ = write!(
            lib,
            "pub fn next_{number}(t: i64) -> Option<i64> {{\n    \
             const SCHEDULE: Schedule = schedule!({text:?});\n    \
             SCHEDULE.next_event(t)\n}}\n",
        );
    }
    lib
}

/// A static for each schedule, of which every search has to be kept: the most
/// that a program could ask for.
fn kept(texts: &[String]) -> String {
    let mut lib = String::from("use millicron::{Schedule, schedule};\n");
    for (number, text) in texts.iter().enumerate() {
        let _ = writeln!(lib, "pub static S{number}: Schedule = schedule!({text:?});");
    }
    lib
}

/// Seconds for the crates and everything that they depend on.
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

/// Milliseconds for a schedule: the crates with them, less the one without.
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
    Ok(table)
}

/// What the schedules add, asked and kept.
fn added(crates: &Crates, command: &[&str], len: usize) -> io::Result<[f64; 2]> {
    // What they depend on is compiled before.
    timed(crates, command, EMPTY)?;
    let mut seconds = [const { Vec::new() }; 3];
    for _ in 0..ROUNDS {
        for (name, seconds) in [EMPTY, ASKED, KEPT].into_iter().zip(&mut seconds) {
            crates.cargo(&["clean", "--package", name])?;
            crates.cargo(&["clean", "--release", "--package", name])?;
            seconds.push(timed(crates, command, name)?);
        }
    }
    let [empty, asked, kept] = seconds.map(median);
    #[allow(clippy::cast_precision_loss, reason = "a thousand")]
    let len = len as f64;
    Ok([asked, kept].map(|seconds| (seconds - empty) * 1e3 / len))
}

fn timed(crates: &Crates, command: &[&str], name: &str) -> io::Result<f64> {
    let start = Instant::now();
    crates.cargo(&[command, &["--package", name]].concat())?;
    Ok(start.elapsed().as_secs_f64())
}
