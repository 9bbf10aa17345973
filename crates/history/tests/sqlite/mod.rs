//! Histories in files. Each test has its own directory.

mod answers;
mod claims;
mod damage;
mod files;
mod paths;
mod processes;

use std::fs;
use std::path::Path;

use millicron_history::{History as _, RunState, SqliteHistory};
pub(crate) use millicron_test_support::directory::Directory;

pub(crate) use crate::processes::{Process, receive, send};
pub(crate) use crate::reads::{all, first, successes};

/// The path of the history, relative to the test's directory, which is the current directory of
/// child processes.
pub(crate) const FILE: &str = "history";

pub(crate) fn open(path: impl AsRef<Path>) -> SqliteHistory {
    SqliteHistory::open(path).expect("valid history")
}

/// Records successes in one transaction.
pub(crate) fn record_all(
    history: &mut SqliteHistory,
    runs: impl IntoIterator<Item = (impl AsRef<str>, i64)>,
) {
    let runs = runs.into_iter().map(|(job, at)| (job, at, RunState::Succeeded));
    history.record_states(runs).expect("the records succeed");
}

/// The number of runs that a child records in one call.
pub(crate) const BATCH: i64 = 50;

/// Runs a child process.
pub(crate) fn run_child(role: &str) {
    match role {
        "record" => {
            let mut history = open(FILE);
            for success in 0.. {
                history.record("killed", success).expect("the record succeeds");
                send(success);
            }
        }
        "record in batches" => {
            let mut history = open(FILE);
            for batch in 0.. {
                let successes = (0..BATCH).map(|success| ("killed", batch * BATCH + success));
                record_all(&mut history, successes);
                send(batch);
            }
        }
        "open and record" => {
            for success in 0.. {
                open(FILE).record("killed", success).expect("the record succeeds");
                send(success);
            }
        }
        "begin" => {
            for number in 0.. {
                drop(open(format!("history {number}")));
                send(number);
            }
        }
        "hold" => {
            // Between these two, the first is written but not committed.
            let runs = [("first", 1), ("last", 2)].into_iter().inspect(|(job, _)| {
                if *job == "last" {
                    send("held");
                    assert_eq!(receive().as_deref(), Some("release"));
                }
            });
            record_all(&mut open(FILE), runs);
        }
        "share" => {
            let name = receive().expect("a line");
            let mut history = open(FILE);
            send("open");
            receive().expect("a line");
            for success in 0..100 {
                history.record(&name, success).expect("the record succeeds");
                history.record("shared", success).expect("the record succeeds");
            }
            send("recorded");
            while let Some(job) = receive() {
                send(all(&history, &job).len());
            }
        }
        "begin together" => {
            while let Some(line) = receive() {
                let (file, job) = line.split_once(' ').expect("two words");
                let recorded = SqliteHistory::open(file).and_then(|mut file| file.record(job, 1));
                send(format!("{recorded:?}"));
            }
        }
        "claim" => crate::claims::claim_runs(&mut open(FILE)),
        "odd names" => {
            for name in [":memory:", "file:name?mode=memory", "file::memory:"] {
                open(name).record("job", 1).expect("the record succeeds");
            }
        }
        #[cfg(target_os = "linux")]
        "read-only file system" => files::check_read_only_file_system(),
        _ => panic!("unknown role: {role}"),
    }
}

pub(crate) fn busy(path: &Path) -> String {
    format!("{}: another process has been writing for too long; try again later", path.display())
}

/// Kills a child after it has written a number of lines, and returns how many it wrote in total.
pub(crate) fn kill(role: &str, directory: &Directory, lines: usize) -> i64 {
    let mut process = Process::start(role, directory);
    for line in 0..lines {
        assert_eq!(process.receive(), line.to_string());
    }
    let rest = process.kill();
    for (line, rest) in (lines..).zip(&rest) {
        assert_eq!(*rest, line.to_string());
    }
    i64::try_from(lines + rest.len()).expect("few lines")
}

/// Returns a directory with a history and its log as a killed process left them, without the shared
/// memory file, which `SQLite` creates again.
pub(crate) fn crashed(name: &str, role: &str, lines: usize) -> Directory {
    let directory = Directory::new(name);
    kill(role, &directory, lines);
    fs::remove_file(directory.join("history-shm")).expect("accessible file");
    assert_eq!(directory.names(), ["history", "history-wal"]);
    directory
}
