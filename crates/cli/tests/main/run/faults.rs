//! What happens while the machine lacks or breaks something, by the table "Faults" in the guide.
//!
//! A library in C, which is loaded before that of the system, makes calls fail while a test wants it.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio, id};
use std::sync::LazyLock;
use std::time::Duration;
use std::{iter, thread};

use millicron_test_support::directory::Directory;
use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process, prlimit};
use serde_json::Value;

use super::history::{graph, runs};
use super::pipelines::message;
use super::support::{Runner, command, of, wait_until};

/// A job that runs ten times a second.
const OFTEN: &str = "[jobs.often]\nschedule = '*:*:*.*/100'\ncommand = ['true']\n";

const HISTORY: [&str; 2] = ["--history", "runs.db"];

/// However slow the machine is, no run is ended, and the history is written.
const PATIENT: [&str; 2] = ["--grace", "1h"];

/// The path of the library.
static LIBRARY: LazyLock<String> = LazyLock::new(|| {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (new, library) =
        (directory.join(format!("faults-{}.so", id())), directory.join("faults.so"));
    let compiled = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .arg(&new)
        .args(["tests/files/faults.c", "-ldl"])
        .status();
    assert!(compiled.expect("a C compiler, which also builds SQLite").success());
    // Another process of the tests may use it.
    fs::rename(new, &library).expect("accessible directory");
    library.into_os_string().into_string().expect("UTF-8")
});

/// A runner whose calls can be made to fail.
struct Faulty(Runner);

impl Faulty {
    fn start(name: &str, text: &str, arguments: &[&str]) -> Self {
        let library = &*LIBRARY;
        let shell =
            format!("mkdir faults && export FAULTS=\"$PWD/faults\" LD_PRELOAD=\"{library}\"");
        Self(Runner::after(&format!("faults-{name}"), &shell, text, arguments))
    }

    /// Begins a fault, as the library describes it.
    fn begin(&self, fault: &str, content: &str) {
        set_fault(&self.0.directory, fault, content);
    }

    fn end(&self, fault: &str) {
        fs::remove_file(self.0.directory.join("faults").join(fault)).expect("it was begun");
    }

    /// Waits until a job has succeeded some more times.
    #[track_caller]
    fn wait_for_more(&self, job: &str, more: usize) {
        let count = || of(&self.0.records(), job, "succeeded").len();
        let before = count();
        wait_until("more runs", || count() >= before + more);
    }

    fn wait_for_history(&self, part: &str) -> Value {
        let is_it = |record: &Value| record["event"] == "history" && message(record).contains(part);
        self.0.wait_for(part, is_it)
    }

    /// Stops the runner, and returns how many runs of the job that runs often have succeeded, how many of them are in
    /// the history, and all records.
    fn recorded(self) -> (u64, u64, Vec<Value>) {
        self.0.signal(Signal::TERM);
        self.0.wait_for("the end", |record| record["event"] == "stopped");
        let records = self.0.records();
        let succeeded = of(&records, "often", "succeeded").len() as u64;
        (succeeded, runs(&graph(&self.0), "often", "succeeded"), records)
    }
}

fn set_fault(directory: &Directory, fault: &str, content: &str) {
    let faults = directory.join("faults");
    fs::write(faults.join("new"), content).expect("accessible directory");
    fs::rename(faults.join("new"), faults.join(fault)).expect("accessible directory");
}

fn ask(address: &str, path: &str) -> String {
    let mut connection = TcpStream::connect(address).expect("it listens");
    let mut response = String::new();
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n");
    // Fails if the connection is closed without a response.
    let _ = connection.write_all(request.as_bytes());
    let _ = connection.read_to_string(&mut response);
    response
}

fn address(message: &str) -> &str {
    let (_, rest) = message.split_once("http://").expect("an address");
    rest.split_once('/').expect("a path").0
}

#[test]
fn a_history_that_cannot_be_written_for_a_while_is_complete_in_the_end() {
    thread::scope(|scope| {
        // EIO, EFBIG, ENOSPC and EROFS.
        for error in ["5", "27", "28", "30"] {
            scope.spawn(move || {
                let arguments = [HISTORY, PATIENT].concat();
                let faulty = Faulty::start(&format!("history-{error}"), OFTEN, &arguments);
                faulty.wait_for_more("often", 1);
                faulty.begin("write", &format!("{error} runs.db"));
                faulty.wait_for_history("waiting to be written to the history: ");
                faulty.wait_for_more("often", 5);
                faulty.end("write");
                let (succeeded, recorded, records) = faulty.recorded();
                assert_eq!(recorded, succeeded, "{error}: {records:#?}");
            });
        }
    });
}

#[test]
fn runs_that_are_not_in_the_history_are_counted_at_the_end() {
    let faulty = Faulty::start("history-lost", OFTEN, &[HISTORY, PATIENT].concat());
    faulty.wait_for_more("often", 1);
    faulty.begin("write", "5 runs.db");
    faulty.wait_for_history("waiting to be written");
    faulty.wait_for_more("often", 5);
    let (succeeded, recorded, records) = faulty.recorded();
    let is_lost = |record: &&Value| message(record).contains(" not in the history: ");
    let lost = records.iter().find(is_lost).expect("a warning");
    assert_eq!(lost["count"].as_u64().map(|lost| lost + recorded), Some(succeeded), "{lost}");
}

#[test]
fn a_disk_that_hangs_delays_only_the_history() {
    let hang = |name: &str, arguments: &[&str], more: usize| {
        let faulty = Faulty::start(name, OFTEN, &[&HISTORY, arguments].concat());
        faulty.wait_for_more("often", 1);
        faulty.begin("write", "0 runs.db");
        faulty.wait_for_more("often", more);
        faulty
    };
    thread::scope(|scope| {
        scope.spawn(|| {
            let faulty = hang("hangs", &PATIENT, 15);
            faulty.end("write");
            let (succeeded, recorded, records) = faulty.recorded();
            assert_eq!(recorded, succeeded, "{records:#?}");
        });
        scope.spawn(|| {
            let arguments = ["--grace", "0s", "--kill-after", "1h"];
            let (status, records) = hang("hangs-at-the-end", &arguments, 5).0.stop();
            assert!(status.success());
            let is_late = |record: &Value| message(record).ends_with("writing it takes too long");
            assert!(records.iter().any(is_late), "{records:#?}");
        });
    });
}

#[test]
fn a_disk_that_hangs_while_the_file_is_read_again_delays_only_that() {
    let faulty = Faulty::start("hangs-at-reload", OFTEN, &[]);
    let hang = || {
        faulty.wait_for_more("often", 1);
        faulty.begin("read", "0 jobs.toml");
        faulty.0.signal(Signal::HUP);
        faulty.wait_for_more("often", 5);
    };
    hang();
    faulty.end("read");
    faulty.0.wait_for("a reload", |record| record["event"] == "reloaded");
    hang();
    let (status, records) = faulty.0.stop();
    assert!(status.success());
    assert_eq!(records.iter().filter(|record| record["event"] == "reloaded").count(), 1);
}

#[test]
fn a_limit_of_the_size_of_files_does_not_end_it() {
    let name = "faults-limit";
    let arguments = [HISTORY, PATIENT].concat();
    let runner = Runner::after(name, "ulimit -S -f 200", OFTEN, &arguments);
    let faulty = Faulty(runner);
    faulty.wait_for_history("waiting to be written to the history: ");
    faulty.wait_for_more("often", 5);
    let pid = i32::try_from(faulty.0.pid()).ok().and_then(Pid::from_raw);
    prlimit(pid, Resource::Fsize, Rlimit { current: None, maximum: None }).expect("our process");
    let (succeeded, recorded, records) = faulty.recorded();
    assert_eq!(recorded, succeeded, "{records:#?}");
}

#[test]
fn output_to_a_disk_that_fails_is_lost_but_not_the_end() {
    let directory = Directory::new("run-faults-output");
    fs::create_dir(directory.join("faults")).expect("accessible directory");
    let file = directory.join("jobs.toml");
    fs::write(&file, OFTEN).expect("accessible directory");
    let output = directory.join("output");
    let stdout = File::create(&output).expect("accessible directory");
    let mut process = command(&file, &["--metrics", "127.0.0.1:0"])
        .env("LD_PRELOAD", &*LIBRARY)
        .env("FAULTS", directory.join("faults"))
        .current_dir(directory.path())
        .stdout(stdout)
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let text = || fs::read_to_string(&output).expect("UTF-8");
    wait_until("a run", || text().contains("succeeded"));
    let text_before = text();
    let address = address(&text_before);
    set_fault(&directory, "write", &format!("5 {}", output.display()));
    let mut line = String::new();
    let mut stderr = BufReader::new(process.stderr.take().expect("a pipe"));
    stderr.read_line(&mut line).expect("UTF-8");
    assert!(line.contains("error: output is lost: "), "{line}");
    assert!(ask(address, "/health").contains("output is lost: it cannot be written"));
    let before = text().len();
    fs::remove_file(directory.join("faults/write")).expect("it was begun");
    wait_until("output", || text().len() > before);
    wait_until("good health", || ask(address, "/health").ends_with("\r\n\r\nok\n"));
    let pid = i32::try_from(process.id()).ok().and_then(Pid::from_raw).expect("a number");
    kill_process(pid, Signal::TERM).expect("it runs");
    assert!(process.wait().expect("it ends").success());
}

#[test]
fn jobs_continue_while_their_file_cannot_be_read() {
    let faulty = Faulty::start("read", OFTEN, &[]);
    faulty.begin("read", "5 jobs.toml");
    faulty.0.signal(Signal::HUP);
    let failed = faulty.0.wait_for("the error", |record| record["event"] == "reload_failed");
    assert!(message(&failed).contains("Input/output error"), "{failed}");
    faulty.wait_for_more("often", 5);
    faulty.end("read");
    faulty.0.signal(Signal::HUP);
    faulty.0.wait_for("the reload", |record| record["event"] == "reloaded");
    assert!(faulty.0.stop().0.success());
}

/// A job that prints its input.
const WITH_INPUT: &str =
    "[jobs.input]\nschedule = '*:*:*'\ncommand = ['cat']\ninput = 'given'\nmissed = 'skip'\n";

#[test]
fn runs_wait_while_no_process_or_thread_can_be_started() {
    thread::scope(|scope| {
        // EAGAIN, ENOMEM and EMFILE.
        for (fault, error) in
            [("process", "11"), ("process", "12"), ("process", "24"), ("thread", "11")]
        {
            scope.spawn(move || {
                let faulty = Faulty::start(&format!("{fault}-{error}"), WITH_INPUT, &[]);
                faulty.begin(fault, error);
                let waiting = faulty.0.wait_for_event("input", "waiting");
                // The wait for the next attempt does not depend on the clock.
                faulty.begin("clock", "-3600");
                faulty.end(fault);
                let is_it = |record: &Value| {
                    record["event"] == "succeeded" && record["run"] == waiting["run"]
                };
                faulty.0.wait_for("the run", is_it);
                let (status, records) = faulty.0.stop();
                assert!(status.success());
                let output = of(&records, "input", "output");
                assert!(output.iter().all(|line| line["message"] == "given"), "{output:#?}");
                let succeeded = of(&records, "input", "succeeded").len();
                assert_eq!(of(&records, "input", "started").len(), succeeded);
                assert_eq!(output.len(), succeeded);
            });
        }
    });
}

#[test]
fn the_page_responds_again_after_no_thread_could_be_started() {
    let faulty = Faulty::start("page", OFTEN, &["--page", "127.0.0.1:0"]);
    let listening = faulty.0.wait_for("the address", |record| record["event"] == "listening");
    let address = address(message(&listening));
    // There is one thread, then.
    assert!(ask(address, "/api/jobs").starts_with("HTTP/1.1 200 "));
    faulty.begin("thread", "11");
    for _ in 0..3 {
        let response = ask(address, "/api/jobs");
        assert!(response.starts_with("HTTP/1.1 200 "), "{response}");
    }
    faulty.wait_for_more("often", 5);
    assert!(faulty.0.stop().0.success());
}

#[test]
fn it_does_not_start_without_threads_memory_or_a_disk_for_the_history() {
    let directory = Directory::new("run-faults-start");
    fs::create_dir(directory.join("faults")).expect("accessible directory");
    let file = directory.join("jobs.toml");
    fs::write(&file, OFTEN).expect("accessible directory");
    for (fault, content, expected) in [
        ("thread", "11", "error: cannot start: "),
        ("write", "28 runs.db", "runs.db: the disk is full"),
        ("write", "5 runs.db", "runs.db: SQLite failed: "),
        ("read", "5 jobs.toml", "cannot read "),
        ("read", "5 runs.db", "runs.db: SQLite failed: disk I/O error"),
    ] {
        if fault == "read" {
            fs::write(directory.join("runs.db"), [0; 8192]).expect("accessible directory");
        }
        set_fault(&directory, fault, content);
        let output = command(&file, &HISTORY)
            .env("LD_PRELOAD", &*LIBRARY)
            .env("FAULTS", directory.join("faults"))
            .current_dir(directory.path())
            .output()
            .expect("it starts");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{content}: {stderr}");
        assert!(stderr.starts_with("error: ") && stderr.contains(expected), "{content}: {stderr}");
        fs::remove_file(directory.join("faults").join(fault)).expect("it was begun");
    }
    for kibibytes in ["1000", "20000"] {
        let run = command(&file, &[]);
        let output = Command::new("sh")
            .args(["-c", &format!("ulimit -v {kibibytes}; exec \"$0\" \"$@\"")])
            .arg(run.get_program())
            .args(run.get_args())
            .output()
            .expect("it starts");
        assert!(!output.status.success() && output.stdout.is_empty(), "{output:?}");
    }
}

/// A job every second, and one whose command takes until there is a file.
const CLOCK: &str = "
    zone = 'Europe/Berlin'
    [jobs.tick]
    schedule = '*:*:*'
    command = ['true']
    [jobs.long]
    schedule = '*:*:*'
    command = 'echo up; while [ ! -e go ]; do sleep 0.02; done'
    timeout = '20m'
";

#[test]
fn no_event_runs_twice_or_is_forgotten_when_the_clock_is_set_or_time_stands_still() {
    thread::scope(|scope| {
        scope.spawn(suspend);
        // Half a year has a clock change.
        for seconds in [1, 3600, 86_400, 15_552_000, -2, -3600, -86_400, -15_552_000] {
            scope.spawn(move || set_clock(seconds));
        }
    });
}

fn set_clock(seconds: i64) {
    let faulty = Faulty::start(&format!("clock{seconds}"), CLOCK, &PATIENT);
    let Faulty(runner) = &faulty;
    runner.wait_for_line("long", "up");
    faulty.wait_for_more("tick", 1);
    faulty.begin("clock", &seconds.to_string());
    if seconds < -1000 {
        // Nothing runs until the clock has caught up.
        let is_it = |record: &Value| record["event"] == "clock";
        let warning = runner.wait_for("the warning", is_it);
        assert_eq!(warning["level"], "warning");
        faulty.begin("clock", "0");
    }
    faulty.wait_for_more("tick", 2);
    // Neither has it timed out, nor has it ended.
    fs::write(runner.directory.join("go"), "").expect("accessible directory");
    runner.wait_for_event("long", "succeeded");
    let (status, records) = faulty.0.stop();
    assert!(status.success());
    let started = of(&records, "tick", "started");
    let scheduled = started.iter().map(|record| record["scheduled"].to_string());
    assert_eq!(scheduled.collect::<BTreeSet<_>>().len(), started.len(), "{seconds}: {records:#?}");
    let is_missed = |record: &Value| message(record).contains(" missed since ");
    // On a slow machine, an event may be missed in any case.
    assert!(seconds <= 1 || records.iter().any(is_missed), "{seconds}: {records:#?}");
}

fn suspend() {
    let tick = "[jobs.tick]\nschedule = '*:*:*'\ncommand = ['true']\n";
    let faulty = Faulty(Runner::start("faults-stopped", "jobs.toml", tick, &PATIENT));
    faulty.wait_for_more("tick", 1);
    let is_missed = || {
        faulty
            .0
            .records()
            .iter()
            .any(|record| record["job"] == "tick" && message(record).contains(" missed since "))
    };
    let ended = || of(&faulty.0.records(), "tick", "succeeded").len();
    let has_missed = iter::repeat_with(|| {
        faulty.0.signal(Signal::STOP);
        // An event is missed if it is more than a second late.
        thread::sleep(Duration::from_millis(2500));
        faulty.0.signal(Signal::CONT);
        let before = ended();
        wait_until("the missed events", || is_missed() || ended() > before + 2);
        is_missed()
    });
    // On a slow machine, they may be skipped, since the run before has not ended.
    assert!(has_missed.take(10).any(|has_missed| has_missed));
    faulty.wait_for_more("tick", 1);
    assert!(faulty.0.stop().0.success());
}
