//! `--metrics`.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};

use millicron_test_support::directory::Directory;
use rustix::process::{Pid, Signal, kill_process};

use super::support::{Runner, command, fails, wait_until};

const JOBS: &str = "
    [jobs.works]
    schedule = \"*:*:*.*/100\"
    command = [\"true\"]
    [jobs.fails]
    schedule = \"*:*:*.*/100\"
    command = [\"false\"]
    [jobs.retried]
    schedule = \"*:*:*\"
    retries = { most = 1, wait = \"10ms\" }
    command = [\"false\"]
    [jobs.long]
    schedule = \"*:*:*\"
    command = \"echo up; while [ ! -e go ]; do sleep 0.02; done\"
";

/// Starts a runner, and returns it with the address of its metrics.
fn start(name: &str) -> (Runner, String) {
    start_with(name, JOBS)
}

/// Like [`start`], but with other jobs.
fn start_with(name: &str, jobs: &str) -> (Runner, String) {
    let runner =
        Runner::start(name, "jobs.toml", jobs, &["--metrics", "127.0.0.1:0", "--grace", "1h"]);
    let listening = runner.wait_for("the address", |record| record["event"] == "listening");
    let message = listening["message"].as_str().expect("a text");
    let address =
        message.strip_prefix("metrics at http://").and_then(|it| it.strip_suffix("/metrics"));
    let address = address.expect("an address").to_owned();
    (runner, address)
}

/// Sends a request, and returns the status and the body of the answer.
fn ask(address: &str, request: &str) -> (String, String) {
    let mut connection = TcpStream::connect(address).expect("it listens");
    connection.write_all(request.as_bytes()).expect("it reads");
    let mut answer = String::new();
    connection.read_to_string(&mut answer).expect("it answers");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    let status = head.lines().next().expect("a status").to_owned();
    let length = format!("Content-Length: {}", body.len());
    assert!(request.starts_with("HEAD") || head.contains(&length), "{head}");
    (status, body.to_owned())
}

fn get(address: &str, path: &str) -> (String, String) {
    ask(address, &format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n"))
}

/// Returns the value of a metric, or 0 if it is missing.
fn value(text: &str, name: &str) -> f64 {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.map_or(0.0, |value| value.parse().expect("a number"))
}

#[test]
fn runs_are_counted_by_job_and_outcome() {
    let (runner, address) = start("metrics");
    let runs = |text: &str, job: &str, outcome: &str| {
        value(text, &format!("millicron_runs_total{{job=\"{job}\",outcome=\"{outcome}\"}}"))
    };
    wait_until("some runs", || {
        let (status, text) = get(&address, "/metrics");
        assert_eq!(status, "HTTP/1.1 200 OK");
        runs(&text, "works", "succeeded") >= 3.0
            && runs(&text, "fails", "failed") >= 3.0
            && runs(&text, "retried", "failed") >= 1.0
            && runs(&text, "retried", "retried") >= 1.0
            && value(&text, "millicron_running{job=\"long\"}") >= 1.0
            && value(&text, "millicron_skipped_total{job=\"long\",reason=\"overlap\"}") >= 1.0
    });
    runner.signal(Signal::HUP);
    runner.wait_for("the reload", |record| record["event"] == "reloaded");
    let (_, text) = get(&address, "/metrics");
    for line in ["millicron_jobs 4", "millicron_reloads_total{result=\"succeeded\"} 1"] {
        assert!(text.lines().any(|other| other == line), "{line} in {text}");
    }
    for name in [
        "millicron_next_run_timestamp_seconds{job=\"works\"}",
        "millicron_last_success_timestamp_seconds{job=\"works\"}",
        "millicron_duration_seconds_bucket{job=\"works\",le=\"+Inf\"}",
        "millicron_lateness_seconds_count{job=\"works\"}",
        "process_start_time_seconds",
    ] {
        assert!(value(&text, name) > 0.0, "{name} in {text}");
    }
    // Until a job first succeeds, the metric is the time at which it was added.
    let success =
        |job| value(&text, &format!("millicron_last_success_timestamp_seconds{{job=\"{job}\"}}"));
    let started = value(&text, "process_start_time_seconds");
    assert!(started <= success("fails") && success("fails") < success("works"), "{text}");
    // Each metric is described.
    for line in text.lines().filter(|line| line.starts_with("# TYPE ")) {
        let name = line.split(' ').nth(2).expect("a name");
        assert!(text.contains(&format!("# HELP {name} ")), "{name} has no description");
    }
}

#[test]
fn jobs_that_need_others_are_counted_by_their_names_alone() {
    let text = "
        [jobs.report]
        schedule = \"*:*:*\"
        command = [\"true\"]
        needs = \"load\"
        [jobs.load]
        schedule = \"*:*:*\"
        command = [\"true\"]
    ";
    let (runner, address) = start_with("needs", text);
    for job in ["report", "load"] {
        wait_until("a run", || {
            let (_, text) = get(&address, "/metrics");
            value(&text, &format!("millicron_runs_total{{job=\"{job}\",outcome=\"succeeded\"}}"))
                > 1.0
                && value(&text, &format!("millicron_next_run_timestamp_seconds{{job=\"{job}\"}}"))
                    > 0.0
        });
    }
    // The scheduler's internal jobs are left out.
    let (_, text) = get(&address, "/metrics");
    assert!(!text.contains("due:"), "{text}");
    assert_eq!(get(&address, "/health").1, "ok\n");
    runner.stop();
}

#[test]
fn jobs_that_do_not_run_any_more_have_no_times() {
    let (runner, address) = start("removed");
    let value_of = |name: &str, job: &str| {
        value(&get(&address, "/metrics").1, &format!("millicron_{name}{{job=\"{job}\"}}"))
    };
    let (next, success) = ("next_run_timestamp_seconds", "last_success_timestamp_seconds");
    runner.wait_for_line("long", "up");
    for job in ["works", "long"] {
        assert!(value_of(next, job) > 0.0 && value_of(success, job) > 0.0);
    }
    runner.write("[jobs.works]\nschedule = \"2001.1.1 00:00:00\"\ncommand = [\"true\"]\n");
    runner.signal(Signal::HUP);
    runner.wait_for("the reload", |record| record["event"] == "reloaded");
    assert!(value_of(next, "works").is_nan() && value_of(success, "works") > 0.0);
    assert!(value_of(next, "long").is_nan() && value_of(success, "long").is_nan());
    // The removed job's run goes on, and its end does not bring the metric back.
    fs::write(runner.directory.join("go"), "").expect("accessible directory");
    runner.wait_for_event("long", "succeeded");
    assert!(value_of(success, "long").is_nan());
    // When the job is added again, so is the metric.
    runner.write(JOBS);
    runner.signal(Signal::HUP);
    wait_until("the reload", || value_of(success, "long") > 0.0 && value_of(next, "long") > 0.0);
}

#[test]
fn a_job_that_never_runs_again_has_no_next_run() {
    let text = "[jobs.over]\nschedule = \"2001.1.1 00:00:00\"\ncommand = [\"true\"]\n";
    let (_runner, address) = start_with("over", text);
    let name = "millicron_next_run_timestamp_seconds{job=\"over\"}";
    assert!(value(&get(&address, "/metrics").1, name).is_nan());
}

#[test]
fn health_is_bad_while_stopping() {
    let (runner, address) = start("health");
    runner.wait_for_line("long", "up");
    assert_eq!(get(&address, "/health"), ("HTTP/1.1 200 OK".to_owned(), "ok\n".to_owned()));
    runner.signal(Signal::TERM);
    runner.wait_for("the stop", |record| record["event"] == "stopping");
    let expected = ("HTTP/1.1 503 Service Unavailable".to_owned(), "stopping\n".to_owned());
    assert_eq!(get(&address, "/health"), expected);
    fs::write(runner.directory.join("go"), "").expect("accessible directory");
    assert!(runner.wait().0.success());
}

#[test]
fn jobs_go_on_while_nobody_reads_the_output() {
    let directory = Directory::new("run-blocked");
    let file = directory.join("jobs.toml");
    let text = "
        [jobs.floods]
        schedule = \"*:*:*\"
        command = \"yes\"
        [jobs.silent]
        schedule = \"*:*:*.*/100\"
        command = \"echo >> runs\"
    ";
    fs::write(&file, text).expect("accessible file");
    let arguments = ["--metrics", "127.0.0.1:0", "--grace", "0s", "--kill-after", "1h"];
    let run = command(&file, &arguments);
    // The limit is so low that each run must release its files.
    let mut process = Command::new("sh");
    process
        .args(["-c", "ulimit -n 64; exec \"$0\" \"$@\""])
        .arg(run.get_program())
        .args(run.get_args());
    process.current_dir(directory.path()).stdout(Stdio::piped());
    let mut process = process.spawn().expect("it starts");
    // Read only the address.
    let mut reader = BufReader::new(process.stdout.take().expect("a pipe"));
    let mut line = String::new();
    reader.read_line(&mut line).expect("UTF-8");
    let address = line.split_once("http://").and_then(|(_, rest)| rest.split_once("/metrics"));
    let address = address.expect("an address").0.to_owned();
    wait_until("bad health", || {
        let (status, body) = get(&address, "/health");
        status.contains(" 503 ") && body.starts_with("nobody has read the output for ")
    });
    let runs = || fs::read_to_string(directory.join("runs")).unwrap_or_default().len();
    let before = runs();
    wait_until("more runs", || runs() > before + 50);
    // All of these runs end.
    wait_until("ends of runs", || {
        let (_, text) = get(&address, "/metrics");
        let name = "millicron_runs_total{job=\"silent\",outcome=\"succeeded\"}";
        value(&text, name) > f64::from(u32::try_from(before).expect("few"))
    });
    let pid = i32::try_from(process.id()).ok().and_then(Pid::from_raw).expect("a number");
    kill_process(pid, Signal::TERM).expect("it runs");
    // The process does not wait for a reader.
    assert!(process.wait().expect("it ends").success());
    drop(reader);
}

#[test]
fn health_is_bad_while_there_is_no_space_for_the_output() {
    let directory = Directory::new("run-full");
    let file = directory.join("jobs.toml");
    // The failure is reported on the standard error, which has space.
    let text = "[jobs.job]\nschedule = \"*:*:*.*/100\"\ncommand = \"echo out; false\"\n";
    fs::write(&file, text).expect("accessible file");
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("a device");
    // Writes its own messages, such as the address, to the standard error.
    let mut process = command(&file, &["--raw", "--metrics", "127.0.0.1:0"]);
    let mut process = process.stdout(full).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut lines = BufReader::new(process.stderr.take().expect("a pipe")).lines();
    let mut next = |part: &str| {
        let mut lines = lines.by_ref().map(|line| line.expect("UTF-8"));
        lines.find(|line| line.contains(part)).expect("it is written")
    };
    let listening = next("metrics at http://");
    let address = listening.split_once("http://").and_then(|(_, rest)| rest.split_once("/metrics"));
    let address = address.expect("an address").0;
    let lost = next(" lost");
    assert!(lost.contains(" millicron: error: output is lost: "), "{lost}");
    next(" job: error: ");
    let (status, body) = get(address, "/health");
    assert!(status.contains(" 503 "), "{status}");
    assert_eq!(body, "output is lost: it cannot be written\n");
    let pid = i32::try_from(process.id()).ok().and_then(Pid::from_raw).expect("a number");
    kill_process(pid, Signal::TERM).expect("it runs");
    // It is reported once.
    assert!(!lines.any(|line| line.expect("UTF-8").contains(" lost")));
    assert!(process.wait().expect("it ends").success());
}

#[test]
fn other_requests_are_refused() {
    let (_runner, address) = start("requests");
    assert_eq!(get(&address, "/health?verbose").0, "HTTP/1.1 200 OK");
    for (target, status) in
        [("/health", "200 OK"), ("/health?verbose", "200 OK"), ("", "404 Not Found")]
    {
        let expected = format!("HTTP/1.1 {status}");
        assert_eq!(get(&address, &format!("http://host:80{target}")).0, expected, "{target}");
    }
    assert_eq!(get(&address, "/").0, "HTTP/1.1 404 Not Found");
    assert_eq!(
        ask(&address, "POST /metrics HTTP/1.1\r\n\r\n").0,
        "HTTP/1.1 405 Method Not Allowed"
    );
    let head = ask(&address, "HEAD /health HTTP/1.0\r\n\r\n");
    assert_eq!(head, ("HTTP/1.0 200 OK".to_owned(), String::new()));
    assert_eq!(ask(&address, "hello?\r\n\r\n").0, "HTTP/1.1 400 Bad Request");
    // Exactly the longest request, so that nothing is left unread.
    let long = format!("GET /{} HTTP/1.1\r\n", "x".repeat(8192 - 16));
    assert_eq!(long.len(), 8192);
    assert_eq!(ask(&address, &long).0, "HTTP/1.1 431 Request Header Fields Too Large");
}

#[test]
fn clients_that_send_nothing_do_not_block_others() {
    let (_runner, address) = start("slow");
    let is_open = |mut connection: &TcpStream| {
        connection.set_nonblocking(true).expect("a socket");
        let read = connection.read(&mut [0]);
        read.is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock)
    };
    // A slow machine may need several attempts.
    wait_until("an answer before the clients reach their time limits", || {
        let connect = |_| TcpStream::connect(&address).expect("it listens");
        let silent: Vec<_> = (0..100).map(connect).collect();
        assert_eq!(get(&address, "/health").0, "HTTP/1.1 200 OK");
        // The oldest were dropped.
        !is_open(&silent[0]) && is_open(&silent[99])
    });
}

#[test]
fn clients_that_do_not_read_do_not_take_all_threads() {
    let job = |index| {
        format!("[jobs.job-{index}]\nschedule = \"2100.1.1 00:00:00\"\ncommand = [\"true\"]\n")
    };
    let (runner, address) = start_with("flood", &(0..1000).map(job).collect::<String>());
    let threads = || {
        let status = fs::read_to_string(format!("/proc/{}/status", runner.pid()));
        let status = status.expect("it runs");
        let count = status.lines().find_map(|line| line.strip_prefix("Threads:"));
        count.and_then(|count| count.trim().parse::<usize>().ok()).expect("a number")
    };
    // 64 for connections, and some that are about to end.
    let most = threads() + 64 + 64;
    let send = |path: &str| {
        let mut connection = TcpStream::connect(&address).expect("it listens");
        // Fails if the connection is closed at once.
        connection.write_all(format!("GET {path} HTTP/1.1\r\n\r\n").as_bytes()).map(|()| connection)
    };
    for _ in 0..1000 {
        drop(send("/metrics"));
        let count = threads();
        assert!(count <= most, "{count} threads");
    }
    for (path, expected) in [("/health", "ok"), ("/metrics", "job-999")] {
        wait_until(path, || {
            let mut answer = String::new();
            let read = send(path).and_then(|mut it| it.read_to_string(&mut answer));
            read.is_ok() && answer.contains(expected)
        });
    }
}

#[test]
fn a_wrong_address_is_an_error_at_the_start() {
    let directory = Directory::new("run-address");
    let file = directory.join("jobs.toml");
    fs::write(&file, JOBS).expect("accessible file");
    let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let taken = taken.local_addr().map(|address| (address.to_string(), taken)).expect("an address");
    for address in [taken.0.as_str(), "9090", "nowhere", "127.0.0.1:99999", ""] {
        let (status, stdout, stderr) = fails(&file, &["--metrics", address]);
        assert_eq!((status, stdout.as_str()), (Some(2), ""), "{address}");
        assert!(stderr.starts_with(&format!("error: cannot listen on `{address}`: ")), "{stderr}");
        let hint = "hint: write a free address and port, such as `--metrics 127.0.0.1:9090`";
        assert_eq!(stderr.lines().nth(1), Some(hint));
    }
}
