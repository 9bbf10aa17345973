//! Claims in a file.

use super::{Directory, FILE, Process, open};
use crate::claims::{check_dropped, check_forgotten, check_processes, check_started};

#[test]
fn forgotten_run_loses_its_claim() {
    let directory = Directory::new("forgotten claims");
    check_forgotten(&|now| open(directory.join(FILE)).with_clock(move || now));
}

#[test]
fn dropped_run_loses_its_claim_once_it_has_expired() {
    let directory = Directory::new("dropped claims");
    check_dropped(&|now| open(directory.join(FILE)).with_clock(move || now));
}

#[test]
fn run_has_started_when_it_was_first_claimed() {
    let directory = Directory::new("claims again");
    check_started(&|now| open(directory.join(FILE)).with_clock(move || now));
}

#[test]
fn killed_processes_execute_each_run_once() {
    let directory = Directory::new("claims");
    let history = open(directory.join(FILE));
    check_processes(&history, &|| Process::start("claim", &directory));
}
