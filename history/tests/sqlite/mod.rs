//! Histories in files. Each test has its own directory. Child processes run this test program, with
//! a role that an environment variable gives them.

mod answers;
mod claims;
mod damage;
mod files;
mod processes;
mod versions;

use std::io::{BufRead, BufReader, Read, Write};
use std::ops::{ControlFlow, RangeInclusive};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, Command, Stdio};
use std::{env, fs, io};

use millicron_history::{History, SqliteHistory};
pub(crate) use millicron_test_support::directory::Directory;

/// The path of the history, relative to the directory, which is the current one of child processes.
pub(crate) const FILE: &str = "history";

pub(crate) fn open(path: impl AsRef<Path>) -> SqliteHistory {
    SqliteHistory::open(path).expect("valid history")
}

pub(crate) fn successes<H: History<Error: std::fmt::Debug>>(
    history: &H,
    job: &str,
    range: RangeInclusive<i64>,
) -> Vec<i64> {
    let mut successes = Vec::new();
    let visited = history.successes(job, range, &mut |success| {
        successes.push(success);
        ControlFlow::Continue(())
    });
    visited.expect("the read succeeds");
    successes
}

pub(crate) fn all<H: History<Error: std::fmt::Debug>>(history: &H, job: &str) -> Vec<i64> {
    successes(history, job, i64::MIN..=i64::MAX)
}

/// Returns the numbers from 0 up to `count`, exclusive.
pub(crate) fn first(count: i64) -> Vec<i64> {
    (0..count).collect()
}

const ROLE: &str = "MILLICRON_TEST_ROLE";

/// Sends a line to the parent, in a single write.
fn send(line: impl std::fmt::Display) {
    io::stderr().write_all(format!("{line}\n").as_bytes()).expect("the parent reads");
}

/// Receives a line from the parent; `None` if it is gone.
fn receive() -> Option<String> {
    let mut line = String::new();
    let read = io::stdin().lock().read_line(&mut line).expect("UTF-8");
    (read > 0).then(|| line.trim_end_matches('\n').to_owned())
}

/// The number of runs that a child records at once.
pub(crate) const BATCH: i64 = 50;

/// The entry point of child processes. In the parent it does nothing.
#[test]
fn child() {
    let Ok(role) = env::var(ROLE) else {
        return;
    };
    match role.as_str() {
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
                history.record_all(successes).expect("the records succeed");
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
            open(FILE).record_all(runs).expect("the records succeed");
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
        "claim" => claims::claim_runs(),
        "odd names" => {
            for name in [":memory:", "file:name?mode=memory", "file::memory:"] {
                open(name).record("job", 1).expect("the record succeeds");
            }
        }
        _ => panic!("unknown role: {role}"),
    }
}

/// A child process, which is killed on drop.
pub(crate) struct Process {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStderr>,
}

impl Process {
    /// Starts a process with a role and a current directory.
    pub(crate) fn start(role: &str, directory: &Directory) -> Self {
        let mut child = Command::new(env::current_exe().expect("path of this program"))
            .args(["--exact", "sqlite::child", "--nocapture"])
            .env(ROLE, role)
            .current_dir(directory.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("child process");
        let input = child.stdin.take();
        let output = BufReader::new(child.stderr.take().expect("piped"));
        Self { child, input, output }
    }

    pub(crate) fn send(&mut self, line: &str) {
        let input = self.input.as_mut().expect("not ended");
        input.write_all(format!("{line}\n").as_bytes()).expect("the child reads");
    }

    pub(crate) fn receive(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("UTF-8");
        assert_eq!(line.pop(), Some('\n'), "the child wrote an incomplete line: {line:?}");
        line
    }

    /// Kills the process, like `kill -9`, and returns the lines that were not read yet.
    pub(crate) fn kill(mut self) -> Vec<String> {
        self.child.kill().expect("killed");
        self.child.wait().expect("ended");
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).expect("UTF-8");
        assert!(rest.is_empty() || rest.ends_with('\n'), "{rest:?}");
        rest.lines().map(str::to_owned).collect()
    }

    /// Closes the input, and waits for the end of the process.
    pub(crate) fn end(mut self) {
        self.input = None;
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).expect("UTF-8");
        assert_eq!(rest, "");
        assert!(self.child.wait().expect("ended").success());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn busy(path: &Path) -> String {
    format!("{}: another process has been writing for too long; try again later", path.display())
}

/// Kills a child after it has written a number of lines, and returns how many it wrote in all.
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
