//! Runs `millicron run` as a process, and collects its output.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use millicron_test_support::directory::Directory;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// How long tests wait for an expected event: far longer than it takes, even on a slow machine.
const LONGEST: Duration = Duration::from_mins(2);

/// Waits until a condition holds.
#[track_caller]
pub(super) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < LONGEST, "{what} does not happen");
        thread::sleep(Duration::from_millis(5));
    }
}

/// A running `millicron run --json`, in a directory with the file of its jobs.
pub(super) struct Runner {
    process: Child,
    pub(super) directory: Directory,
    file: PathBuf,
    records: Arc<Records>,
}

#[derive(Default)]
struct Records {
    state: Mutex<(Vec<Value>, bool)>,
    changed: Condvar,
}

/// Starts the process, and collects its output.
fn spawn(directory: &Directory, mut command: Command) -> (Child, Arc<Records>) {
    let mut process = command
        .arg("--json")
        .current_dir(directory.path())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let records = Arc::new(Records::default());
    let (stdout, sink) = (process.stdout.take().expect("a pipe"), Arc::clone(&records));
    thread::spawn(move || {
        for line in BufReader::new(stdout).lines() {
            let line = line.expect("UTF-8");
            // The last line of a flood may be torn.
            let record = serde_json::from_str(&line).unwrap_or(Value::String(line));
            sink.state.lock().expect("no panic").0.push(record);
            sink.changed.notify_all();
        }
        sink.state.lock().expect("no panic").1 = true;
        sink.changed.notify_all();
    });
    (process, records)
}

impl Runner {
    /// Runs a TOML file of jobs.
    pub(super) fn toml(name: &str, text: &str) -> Self {
        Self::start(name, "jobs.toml", text, &[])
    }

    /// Runs a file of jobs with further arguments.
    pub(super) fn start(name: &str, file: &str, text: &str, arguments: &[&str]) -> Self {
        let directory = Directory::new(&format!("run-{name}"));
        let file = directory.join(file);
        fs::write(&file, text).expect("accessible file");
        let (process, records) = spawn(&directory, command(&file, arguments));
        let runner = Self { process, directory, file, records };
        runner.wait_for("ready", |record| record["event"] == "ready");
        runner
    }

    /// Runs a TOML file of jobs in a shell that first executes a command, such as `ulimit`.
    pub(super) fn after(name: &str, shell: &str, text: &str, arguments: &[&str]) -> Self {
        let directory = Directory::new(&format!("run-{name}"));
        let file = directory.join("jobs.toml");
        fs::write(&file, text).expect("accessible file");
        let mut process = Command::new("sh");
        process.args(["-c", &format!("{shell} && exec \"$0\" \"$@\"")]);
        process.args([env!("CARGO_BIN_EXE_millicron"), "run"]).arg(&file).args(arguments);
        process.env("TZ", "UTC").stdin(Stdio::null());
        let (process, records) = spawn(&directory, process);
        let runner = Self { process, directory, file, records };
        runner.wait_for("ready", |record| record["event"] == "ready");
        runner
    }

    /// Rewrites the file.
    pub(super) fn write(&self, text: &str) {
        fs::write(&self.file, text).expect("accessible file");
    }

    pub(super) fn pid(&self) -> u32 {
        self.process.id()
    }

    pub(super) fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.pid()).ok().and_then(Pid::from_raw).expect("a number");
        kill_process(pid, signal).expect("it runs");
    }

    /// Waits until a command has suspended the runner, and has ended.
    #[track_caller]
    pub(super) fn wait_until_suspended_with_zombie(&self) {
        let pid = i32::try_from(self.pid()).expect("a number");
        wait_until("the suspension", || {
            processes().iter().any(|process| process.pid == pid && process.state == 'T')
        });
        wait_until("an end of a command", || {
            processes().iter().any(|process| process.parent == pid && process.state == 'Z')
        });
    }

    /// Returns the records so far.
    pub(super) fn records(&self) -> Vec<Value> {
        self.records.state.lock().expect("no panic").0.clone()
    }

    /// Waits for a record, and returns it.
    #[track_caller]
    pub(super) fn wait_for(&self, what: &str, is_it: impl Fn(&Value) -> bool) -> Value {
        let mut state = self.records.state.lock().expect("no panic");
        let mut seen = 0;
        let start = Instant::now();
        loop {
            if let Some(record) = state.0[seen..].iter().find(|record| is_it(record)) {
                return record.clone();
            }
            seen = state.0.len();
            let is_over = state.1 || start.elapsed() > LONGEST;
            assert!(
                !is_over,
                "{what} does not come; the last are {:#?}",
                state.0.last_chunk::<5>()
            );
            state = self.records.changed.wait_timeout(state, LONGEST).expect("no panic").0;
        }
    }

    /// Waits for an event of a job.
    #[track_caller]
    pub(super) fn wait_for_event(&self, job: &str, event: &str) -> Value {
        self.wait_for(event, |record| record["job"] == job && record["event"] == event)
    }

    /// Waits for a line that a job writes.
    #[track_caller]
    pub(super) fn wait_for_line(&self, job: &str, line: &str) -> Value {
        let is_it = |record: &Value| {
            record["event"] == "output" && record["job"] == job && record["message"] == line
        };
        self.wait_for(line, is_it)
    }

    /// Waits until the process ends, and returns its status and all records.
    pub(super) fn wait(mut self) -> (ExitStatus, Vec<Value>) {
        let status = self.process.wait().expect("it was started");
        let mut state = self.records.state.lock().expect("no panic");
        while !state.1 {
            let (next, waited) =
                self.records.changed.wait_timeout(state, LONGEST).expect("no panic");
            assert!(!waited.timed_out(), "something still has the output");
            state = next;
        }
        (status, std::mem::take(&mut state.0))
    }

    /// Sends SIGTERM, and waits until the process ends.
    pub(super) fn stop(self) -> (ExitStatus, Vec<Value>) {
        self.signal(Signal::TERM);
        self.wait()
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        // Clean up after a failed test: the runner ends its commands, which hold its output pipe open.
        for wait in (0..120).cycle().take(100 * 120) {
            if self.process.try_wait().is_ok_and(|status| status.is_some()) {
                return;
            }
            // A signal within a second of the last one does not count. If the runner is slow, several may count as one.
            if wait == 0 {
                self.signal(Signal::TERM);
                // It may be suspended.
                self.signal(Signal::CONT);
            }
            thread::sleep(Duration::from_millis(10));
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Starts a runner whose jobs have a single event, soon. `start` receives its schedule. If the file was read too late, as
/// on a busy machine, the jobs never run, and another runner starts with more time.
pub(super) fn start_before_event(start: impl Fn(&str) -> Runner) -> Runner {
    let start_within = |seconds: i64| {
        let event = Timestamp::from_second(Timestamp::now().as_second() + seconds);
        let event = event.expect("within this century").strftime("%Y.%m.%d %H:%M:%S");
        start(&event.to_string())
    };
    let runner = start_within(2);
    if runner.records().iter().all(|record| record["event"] != "exhausted") {
        return runner;
    }
    drop(runner);
    start_within(30)
}

/// Returns `millicron run` with a file, in UTC.
pub(super) fn command(file: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_millicron"));
    command.arg("run").arg(file).args(arguments).env("TZ", "UTC").stdin(Stdio::null());
    command
}

/// Runs `millicron run` with a file until it ends by itself. Returns its exit status, its output and its
/// errors.
pub(super) fn fails(file: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = command(file, arguments).output().expect("it starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// Returns the records of an event of a job.
pub(super) fn of<'r>(records: &'r [Value], job: &str, event: &str) -> Vec<&'r Value> {
    records.iter().filter(|record| record["job"] == job && record["event"] == event).collect()
}

/// Returns the lines that a job has written to a stream.
pub(super) fn lines(records: &[Value], job: &str, stream: &str) -> Vec<String> {
    let lines = of(records, job, "output").into_iter().filter(|record| record["stream"] == stream);
    lines.map(|record| record["message"].as_str().expect("a text").to_owned()).collect()
}

/// A process as `/proc` shows it.
#[derive(Debug)]
pub(super) struct Process {
    pub(super) pid: i32,
    pub(super) state: char,
    pub(super) parent: i32,
    pub(super) group: i32,
}

/// Returns all processes.
pub(super) fn processes() -> Vec<Process> {
    let entries = fs::read_dir("/proc").expect("mounted").filter_map(Result::ok);
    entries.filter_map(|entry| read_process(&entry.path())).collect()
}

fn read_process(path: &Path) -> Option<Process> {
    let pid = path.file_name()?.to_str()?.parse().ok()?;
    let mut stat = String::new();
    fs::File::open(path.join("stat")).ok()?.read_to_string(&mut stat).ok()?;
    // The process name before it may contain any characters.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?.chars().next()?;
    let parent = fields.next()?.parse().ok()?;
    let group = fields.next()?.parse().ok()?;
    Some(Process { pid, state, parent, group })
}

/// Returns the processes of a group.
pub(super) fn group(group: i64) -> Vec<Process> {
    processes().into_iter().filter(|process| i64::from(process.group) == group).collect()
}
