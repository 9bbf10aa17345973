//! Directories of their own for the tests of histories in files, and processes that
//! share them: this same program, told by its environment what to do.

mod answers;
mod files;
mod processes;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader, Read, Write};
use std::ops::{ControlFlow, RangeInclusive};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdin, Command, Stdio};
use std::{env, fs, io};

use millicron_pipeline::{History, SqliteHistory};

/// As the children know it, which are in its directory.
pub(crate) const FILE: &str = "history";

/// A directory that is removed at the end.
pub(crate) struct Directory(PathBuf);

impl Directory {
    /// An empty one. The name is for this test alone.
    pub(crate) fn new(name: &str) -> Self {
        let name = format!("{name}-{}", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a directory");
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn join(&self, name: impl AsRef<OsStr>) -> PathBuf {
        self.0.join(name.as_ref())
    }

    pub(crate) fn names(&self) -> Vec<OsString> {
        self.content().into_keys().collect()
    }

    /// The names and the contents of all files.
    pub(crate) fn content(&self) -> BTreeMap<OsString, Vec<u8>> {
        let files = fs::read_dir(&self.0).expect("a directory").map(|file| {
            let file = file.expect("a file");
            (file.file_name(), fs::read(file.path()).expect("a file"))
        });
        files.collect()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn open(path: impl AsRef<Path>) -> SqliteHistory {
    SqliteHistory::open(path).expect("a history")
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
    visited.expect("it can be read");
    successes
}

pub(crate) fn all<H: History<Error: std::fmt::Debug>>(history: &H, job: &str) -> Vec<i64> {
    successes(history, job, i64::MIN..=i64::MAX)
}

/// So many numbers.
pub(crate) fn first(numbers: i64) -> Vec<i64> {
    (0..numbers).collect()
}

const ROLE: &str = "MILLICRON_TEST_ROLE";

/// Tells the parent, at once and as a whole.
fn say(line: impl std::fmt::Display) {
    io::stderr().write_all(format!("{line}\n").as_bytes()).expect("the parent listens");
}

/// What the parent says, if it is still there.
fn hear() -> Option<String> {
    let mut line = String::new();
    let read = io::stdin().lock().read_line(&mut line).expect("a text");
    (read > 0).then(|| line.trim_end_matches('\n').to_owned())
}

/// So many runs a child records at once.
pub(crate) const BATCH: i64 = 50;

/// What a child does; it runs nothing but this. In the parent it does nothing.
#[test]
fn child() {
    let Ok(role) = env::var(ROLE) else {
        return;
    };
    match role.as_str() {
        "record" => {
            let mut history = open(FILE);
            for success in 0.. {
                history.record("killed", success).expect("it can be recorded");
                say(success);
            }
        }
        "record in batches" => {
            let mut history = open(FILE);
            for batch in 0.. {
                let successes = (0..BATCH).map(|success| ("killed", batch * BATCH + success));
                history.record_all(successes).expect("they can be recorded");
                say(batch);
            }
        }
        "open and record" => {
            for success in 0.. {
                open(FILE).record("killed", success).expect("it can be recorded");
                say(success);
            }
        }
        "begin" => {
            for number in 0.. {
                drop(open(format!("history {number}")));
                say(number);
            }
        }
        "hold" => {
            // Between these two it has recorded, but the others do not see it.
            let runs = [("first", 1), ("last", 2)].into_iter().inspect(|(job, _)| {
                if *job == "last" {
                    say("held");
                    assert_eq!(hear().as_deref(), Some("release"));
                }
            });
            open(FILE).record_all(runs).expect("they can be recorded");
        }
        "share" => {
            let name = hear().expect("a name");
            let mut history = open(FILE);
            say("open");
            hear().expect("a start");
            for success in 0..100 {
                history.record(&name, success).expect("it can be recorded");
                history.record("shared", success).expect("it can be recorded");
            }
            say("recorded");
            while let Some(job) = hear() {
                say(all(&history, &job).len());
            }
        }
        "begin together" => {
            while let Some(line) = hear() {
                let (file, job) = line.split_once(' ').expect("a file and a job");
                let begun = SqliteHistory::open(file).and_then(|mut file| file.record(job, 1));
                say(format!("{begun:?}"));
            }
        }
        "odd names" => {
            for name in [":memory:", "file:name?mode=memory", "file::memory:"] {
                open(name).record("job", 1).expect("it can be recorded");
            }
        }
        _ => panic!("no role: {role}"),
    }
}

/// A process, which is killed at the end.
pub(crate) struct Process {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStderr>,
}

impl Process {
    /// Starts one that runs the test `child` in a role, in a directory.
    pub(crate) fn start(role: &str, directory: &Directory) -> Self {
        let mut child = Command::new(env::current_exe().expect("a program"))
            .args(["--exact", "sqlite::child", "--nocapture"])
            .env(ROLE, role)
            .current_dir(directory.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a process");
        let input = child.stdin.take();
        let output = BufReader::new(child.stderr.take().expect("an output"));
        Self { child, input, output }
    }

    pub(crate) fn say(&mut self, line: &str) {
        let input = self.input.as_mut().expect("it has not ended");
        input.write_all(format!("{line}\n").as_bytes()).expect("the child listens");
    }

    pub(crate) fn hear(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("a text");
        assert_eq!(line.pop(), Some('\n'), "the child says no more after {line:?}");
        line
    }

    /// As `kill -9` does, and returns the lines that it has yet said.
    pub(crate) fn kill(mut self) -> Vec<String> {
        self.child.kill().expect("it can be killed");
        self.child.wait().expect("it ends");
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).expect("a text");
        assert!(rest.is_empty() || rest.ends_with('\n'), "{rest:?}");
        rest.lines().map(str::to_owned).collect()
    }

    /// Says no more, and waits for its end.
    pub(crate) fn end(mut self) {
        self.input = None;
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).expect("a text");
        assert_eq!(rest, "");
        assert!(self.child.wait().expect("it ends").success());
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

/// Kills a child in its role after it has said so many lines, and returns how many it
/// has said in all.
pub(crate) fn kill(role: &str, directory: &Directory, lines: usize) -> i64 {
    let mut process = Process::start(role, directory);
    for line in 0..lines {
        assert_eq!(process.hear(), line.to_string());
    }
    let rest = process.kill();
    for (line, rest) in (lines..).zip(&rest) {
        assert_eq!(*rest, line.to_string());
    }
    i64::try_from(lines + rest.len()).expect("it is killed soon")
}

/// A directory with a history and its log, as a killed process has left them, without
/// the third file, which can be made anew from these.
pub(crate) fn crashed(name: &str, role: &str, lines: usize) -> Directory {
    let directory = Directory::new(name);
    kill(role, &directory, lines);
    fs::remove_file(directory.join("history-shm")).expect("a file");
    assert_eq!(directory.names(), ["history", "history-wal"]);
    directory
}
