//! Comparisons with programs, whose answers `scripts/record-dialects` records.

use millicron::Dialect;
use millicron_compare::corpus::{SIZE, corpus};

use crate::answer::Answer;
use crate::differences;

/// Parses a line: a text, and either a word or the events after each start and a checksum.
fn parse(line: &str) -> (&str, Answer) {
    let (text, answer) = line.split_once('\t').expect("a text and an answer");
    match answer {
        "refused" | "never" | "random" | "crashes" | "hangs" => {
            (text, Answer::Without(answer.to_owned()))
        }
        _ => (text, Answer::With(answer.split('\t').map(str::to_owned).collect())),
    }
}

#[track_caller]
fn check(dialect: Dialect, name: &str, recorded: &str, list: &str) {
    let recorded: Vec<_> = recorded.lines().skip(1).map(parse).collect();
    let texts: Vec<_> = recorded.iter().map(|(text, _)| *text).collect();
    assert_eq!(texts, corpus(name), "record these again");
    let answers =
        recorded.into_iter().map(|(text, theirs)| (text, theirs, Answer::ours(dialect, text)));
    assert_eq!(differences::check(list, answers), SIZE);
}

#[test]
fn crontab_has_the_events_of_cronie() {
    check(
        Dialect::Crontab,
        "crontab",
        include_str!("../../dialects/crontab.txt"),
        include_str!("../../dialects/differences/crontab.txt"),
    );
}

#[test]
fn quartz_has_the_events_of_quartz() {
    check(
        Dialect::Quartz,
        "quartz",
        include_str!("../../dialects/quartz.txt"),
        include_str!("../../dialects/differences/quartz.txt"),
    );
}

#[test]
fn systemd_has_the_events_of_systemd() {
    check(
        Dialect::Systemd,
        "systemd",
        include_str!("../../dialects/systemd.txt"),
        include_str!("../../dialects/differences/systemd.txt"),
    );
}
