//! `--page`.

use std::fs;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use millicron_test_support::directory::Directory;
use rustix::process::Signal;
use serde_json::Value;

use super::support::{Runner, command, fails, of, wait_until};

const TOKEN: &str = "correct horse battery staple";

const JOBS: &str = "
    [jobs.hello]
    tags = [\"greetings\", \"daily\"]
    schedule = \"*.1.1 0:00:00\"
    command = \"echo hello; echo secret-directory >&2; env > environment\"
    [jobs.long]
    schedule = \"*.1.1 0:00:00\"
    retries = { most = 3, wait = \"10ms\" }
    command = \"echo up; while true; do sleep 0.02; done\"
    [jobs.missing]
    schedule = \"*.1.1 0:00:00\"
    command = [\"/secret-directory/missing\"]
";

/// A runner with a page.
struct Page {
    runner: Runner,
    address: String,
}

impl Page {
    /// Starts a runner with a page on a free port, and further arguments.
    fn start(name: &str, jobs: &str, arguments: &[&str]) -> Self {
        let arguments = [&["--page", "127.0.0.1:0"], arguments].concat();
        let runner = Runner::start(&format!("page-{name}"), "jobs.toml", jobs, &arguments);
        Self::of(runner)
    }

    /// Starts one whose visitors may act.
    fn acting(name: &str, jobs: &str) -> Self {
        Self::acting_with(name, jobs, &[])
    }

    /// Like [`acting`](Self::acting), with further arguments.
    fn acting_with(name: &str, jobs: &str, arguments: &[&str]) -> Self {
        let token = Directory::new(&format!("run-page-token-{name}"));
        fs::write(token.join("token"), format!("{TOKEN}\n")).expect("accessible file");
        let file = token.join("token").display().to_string();
        let actions = ["--page-actions", "--page-token-file", &file];
        Self::start(name, jobs, &[&actions, arguments].concat())
    }

    fn of(runner: Runner) -> Self {
        let is_it = |record: &Value| {
            let message = record["message"].as_str().unwrap_or_default();
            record["event"] == "listening" && message.starts_with("page at ")
        };
        let listening = runner.wait_for("the address", is_it);
        let message = listening["message"].as_str().expect("a text");
        let address = message.strip_prefix("page at http://").and_then(|it| it.strip_suffix('/'));
        let address = address.expect("an address").to_owned();
        Self { runner, address }
    }

    /// Sends a request, and returns the status and the body of the response.
    fn ask(&self, method: &str, path: &str, headers: &str) -> (u16, String) {
        let mut connection = TcpStream::connect(&self.address).expect("it listens");
        let host =
            if headers.contains("Host:") { "" } else { &format!("Host: {}\r\n", self.address) };
        let request = format!("{method} {path} HTTP/1.1\r\n{host}{headers}\r\n");
        connection.write_all(request.as_bytes()).expect("it reads");
        let mut response = String::new();
        connection.read_to_string(&mut response).expect("it responds");
        let (head, body) = response.split_once("\r\n\r\n").expect("a head");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        (status.expect("a status"), body.to_owned())
    }

    fn get(&self, path: &str) -> Value {
        let (status, body) = self.ask("GET", path, "");
        assert_eq!(status, 200, "{path}: {body}");
        serde_json::from_str(&body).expect("JSON")
    }

    fn post(&self, path: &str) -> u16 {
        let headers = format!(
            "Authorization: Bearer {TOKEN}\r\nOrigin: http://{}\r\nContent-Length: 0\r\n",
            self.address
        );
        self.ask("POST", path, &headers).0
    }

    fn job(&self, name: &str) -> Value {
        self.get(&format!("/api/jobs/{name}"))["job"].clone()
    }

    /// Waits until the last run of a job is in a state, and returns it.
    fn wait_for_run(&self, job: &str, state: &str) -> Value {
        wait_until(state, || self.job(job)["last"]["state"] == state);
        self.get(&format!("/api/jobs/{job}/runs"))["runs"][0].clone()
    }

    fn output(&self, job: &str, run: &Value) -> Value {
        self.get(&format!("/api/jobs/{job}/runs/{}/output?from=0", run["id"]))
    }
}

#[test]
fn the_page_and_the_jobs_of_the_file_are_served() {
    let page = Page::start("jobs", JOBS, &[]);
    let (status, html) = page.ask("GET", "/", "");
    assert_eq!(status, 200);
    assert!(html.contains("<html"), "{html}");
    let jobs = page.get("/api/jobs");
    let names = jobs["jobs"].as_array().expect("a list").iter().map(|job| job["name"].clone());
    assert_eq!(names.collect::<Vec<_>>(), ["hello", "long", "missing"]);
    let job = page.job("hello");
    assert_eq!((&job["schedule"], &job["state"]), (&"*.1.1 0:00:00".into(), &"waiting".into()));
    assert_eq!(job["tags"], serde_json::json!(["greetings", "daily"]));
    assert!(job["next"].is_i64() && job["overdueAt"].is_i64());
    assert!(job["description"].as_str().expect("a text").contains("January"), "{job}");
    // Nobody may act.
    let board = page.get("/api/board");
    assert_eq!(board["actions"].as_array().map(Vec::len), Some(0));
    assert!(page.post("/api/jobs/hello/run") >= 400);
    page.runner.stop();
}

#[test]
fn jobs_are_run_and_their_output_is_shown_but_no_command() {
    let page = Page::acting("run", JOBS);
    let origin = format!("Origin: http://{}\r\n", page.address);
    assert_eq!(page.ask("POST", "/api/jobs/hello/run", &origin).0, 401);
    assert_eq!(page.post("/api/jobs/hello/run"), 204);
    let run = page.wait_for_run("hello", "succeeded");
    assert_eq!(run["attempts"], 1);
    // Another thread reads the output, perhaps later.
    let has_output = || page.wait_for_run("hello", "succeeded")["hasOutput"] == true;
    wait_until("output", has_output);
    wait_until("all of it", || page.output("hello", &run)["isComplete"] == true);
    let output = page.output("hello", &run);
    let text = output["text"].as_str().expect("a text");
    assert!(text.contains("hello\n") && text.contains("secret-directory\n"), "{text}");
    // Neither the command nor where it is.
    assert_eq!(page.post("/api/jobs/missing/run"), 204);
    page.wait_for_run("missing", "failed");
    for path in ["/api/jobs", "/api/jobs/missing", "/api/jobs/missing/runs", "/api/jobs/long"] {
        let text = page.get(path).to_string();
        assert!(!text.contains("secret-directory") && !text.contains("sleep"), "{path}: {text}");
    }
    assert_eq!(page.post("/api/jobs/other/run"), 404);

    assert_eq!(page.post("/api/jobs/hello/pause"), 204);
    wait_until("the pause", || page.job("hello")["state"] == "paused");
    assert_eq!(page.post("/api/jobs/hello/resume"), 204);
    wait_until("the resumption", || page.job("hello")["state"] == "waiting");
    page.runner.stop();
}

#[test]
fn a_run_is_cancelled_and_not_tried_again() {
    let page = Page::acting_with("cancel", JOBS, &["--kill-after", "1h"]);
    assert_eq!(page.post("/api/jobs/long/run"), 204);
    page.runner.wait_for_line("long", "up");
    let run = page.wait_for_run("long", "running");
    // Its output is shown while it runs.
    wait_until("output", || page.output("long", &run)["text"] == "up\n");
    assert_eq!(page.output("long", &run)["isComplete"], false);
    let cancel = format!("/api/jobs/long/runs/{}/cancel", run["id"]);
    assert_eq!(page.post(&cancel), 204);
    let run = page.wait_for_run("long", "failed");
    assert_eq!(run["message"], "cancelled (killed by SIGTERM)");
    assert_eq!(run["attempts"], 1);
    assert_eq!(page.post(&cancel), 404);
    let (_, records) = page.runner.stop();
    assert_eq!(of(&records, "long", "started").len(), 1);
}

#[test]
fn a_run_that_ignores_sigterm_is_killed_when_it_is_cancelled() {
    let jobs = "
        [jobs.stubborn]
        schedule = \"*.1.1 0:00:00\"
        command = \"trap '' TERM; echo up; while true; do sleep 0.02; done\"
    ";
    let page = Page::acting("kill", jobs);
    assert_eq!(page.post("/api/jobs/stubborn/run"), 204);
    page.runner.wait_for_line("stubborn", "up");
    let run = page.wait_for_run("stubborn", "running");
    assert_eq!(page.post(&format!("/api/jobs/stubborn/runs/{}/cancel", run["id"])), 204);
    let run = page.wait_for_run("stubborn", "failed");
    assert_eq!(run["message"], "cancelled (killed by SIGKILL)");
    page.runner.stop();
}

#[test]
fn jobs_change_when_the_file_is_read_again() {
    let page = Page::start("reload", JOBS, &[]);
    let version = page.get("/api/jobs")["version"].as_u64().expect("a number");
    page.runner.write(
        "[jobs.new]\nschedule = \"*.2.1 0:00:00\"\ncommand = [\"true\"]\n\
         [jobs.hello]\nschedule = \"*.3.1 0:00:00\"\ncommand = [\"true\"]\n",
    );
    page.runner.signal(Signal::HUP);
    page.runner.wait_for("the reload", |record| record["event"] == "reloaded");
    let jobs = page.get("/api/jobs");
    assert!(jobs["version"].as_u64().expect("a number") > version);
    let texts = jobs["jobs"].as_array().expect("a list").iter().map(|job| job["schedule"].clone());
    assert_eq!(texts.collect::<Vec<_>>(), ["*.3.1 0:00:00", "*.2.1 0:00:00"]);
    assert_eq!(page.ask("GET", "/api/jobs/long", "").0, 404);
    page.runner.stop();
}

/// With other policies or another command, and without a word about its next event, which it lacks until then.
#[test]
fn a_paused_job_stays_paused_when_the_file_is_read_again() {
    let page = Page::acting("pause", JOBS);
    for name in ["hello", "long"] {
        assert_eq!(page.post(&format!("/api/jobs/{name}/pause")), 204);
        wait_until("the pause", || page.job(name)["state"] == "paused");
    }
    page.runner.write(&JOBS.replace("most = 3", "most = 4").replace("echo hello", "echo hi"));
    page.runner.signal(Signal::HUP);
    page.runner.wait_for("the reload", |record| record["event"] == "reloaded");
    assert_eq!(page.job("hello")["state"], "paused");
    assert_eq!(page.job("long")["state"], "paused");
    let (_, records) = page.runner.stop();
    let exhausted = |record: &&Value| record["event"] == "exhausted";
    assert_eq!(records.iter().filter(exhausted).count(), 0, "{records:?}");
}

#[test]
fn runs_of_a_pipeline_say_what_they_wait_for() {
    let jobs = "
        [jobs.load]
        schedule = \"*:*:*\"
        command = \"while [ ! -e go ]; do sleep 0.02; done\"
        [jobs.report]
        schedule = \"*:*:*\"
        needs = \"load\"
        command = [\"true\"]
    ";
    let page = Page::acting("pipeline", jobs);
    let report = || page.get("/api/jobs/report");
    wait_until("a run that waits", || {
        let reasons = report()["waitsFor"].clone();
        reasons[0].as_str().is_some_and(|reason| reason.contains("`load`"))
    });
    assert_eq!(report()["upstream"][0]["upstream"], "load");
    assert_eq!(page.get("/api/jobs/load")["downstream"][0]["downstream"], "report");
    let (status, graph) = page.ask("GET", "/api/graph.svg?width=600", "");
    assert!(status == 200 && graph.contains("report"), "{graph}");
    fs::write(page.runner.directory.join("go"), "").expect("accessible directory");
    page.wait_for_run("report", "succeeded");
    page.runner.stop();
}

#[test]
fn jobs_of_a_pipeline_are_run_paused_and_resumed() {
    let jobs = "
        [jobs.load]
        schedule = \"*:*:*\"
        command = [\"true\"]
        [jobs.report]
        schedule = \"*:*:*\"
        needs = \"load\"
        command = [\"true\"]
    ";
    let page = Page::acting("control-pipeline", jobs);
    assert_eq!(page.post("/api/jobs/load/pause"), 204);
    assert_eq!(page.post("/api/jobs/load/pause"), 404);
    assert_eq!(page.job("load")["state"], "paused");
    let waits_for = |job: &str, part: &str| {
        let reasons = page.get(&format!("/api/jobs/{job}"))["waitsFor"].clone();
        reasons[0].as_str().is_some_and(|reason| reason.contains(part))
    };
    wait_until("a run of `load` that waits", || waits_for("load", "its job to be resumed"));
    wait_until("a run of `report` that waits", || waits_for("report", "`load`"));
    let runs = || page.get("/api/jobs/report/runs")["runs"].as_array().map_or(0, Vec::len);
    let before = runs();
    assert_eq!(page.post("/api/jobs/report/run"), 204);
    wait_until("the run of `report`", || runs() > before);
    assert_eq!(page.post("/api/jobs/load/resume"), 204);
    wait_until("no run that waits", || !waits_for("load", "its job to be resumed"));
    assert_eq!(page.job("load")["state"], "waiting");
    page.runner.stop();
}

#[test]
fn a_run_of_a_pipeline_is_cancelled_and_not_tried_again() {
    let jobs = "
        [jobs.load]
        schedule = \"*:*:*\"
        retries = { most = 3, wait = \"10ms\" }
        command = \"echo up; while true; do sleep 0.02; done\"
        [jobs.report]
        schedule = \"*:*:*\"
        needs = \"load\"
        command = [\"true\"]
    ";
    let page = Page::acting_with("cancel-pipeline", jobs, &["--kill-after", "1h"]);
    page.runner.wait_for("the output of the first run", |record| {
        record["job"] == "load" && record["event"] == "output" && record["run"] == 1
    });
    wait_until("a run", || page.job("load")["running"].as_u64() > Some(0));
    let runs = || page.get("/api/jobs/load/runs")["runs"].as_array().cloned().unwrap_or_default();
    let run = runs().pop().expect("a run");
    assert_eq!(page.post(&format!("/api/jobs/load/runs/{}/cancel", run["id"])), 204);
    let ended = || runs().into_iter().find(|other| other["id"] == run["id"]);
    wait_until("the end", || ended().is_some_and(|run| run["state"] == "failed"));
    let run = ended().expect("it is kept");
    assert_eq!(run["message"], "cancelled (killed by SIGTERM)");
    assert_eq!((&run["attempts"], &run["hasOutput"]), (&1.into(), &true.into()));
    page.runner.stop();
}

#[test]
fn a_run_of_a_pipeline_that_lost_its_patience_is_shown() {
    let jobs = "
        [jobs.load]
        schedule = \"*:*:*\"
        command = [\"false\"]
        [jobs.report]
        schedule = \"*:*:*\"
        needs = \"load\"
        patience = \"100ms\"
        command = [\"true\"]
    ";
    let page = Page::start("patience", jobs, &[]);
    let run = page.wait_for_run("report", "skipped");
    let message = run["message"].as_str().expect("a text");
    assert!(message.starts_with("an event: waited 100ms for `load`"), "{message}");
    assert!(run["started"].is_null(), "{run}");
    page.runner.stop();
}

#[test]
fn runs_of_before_a_restart_are_shown() {
    let jobs = "[jobs.fails]\nschedule = \"*:*:*.*/100\"\ncommand = [\"false\"]\n";
    let directory = Directory::new("run-page-history");
    let file = directory.join("runs.db").display().to_string();
    let page = Page::start("history-1", jobs, &["--history", &file, "--grace", "1h"]);
    page.wait_for_run("fails", "failed");
    let (_, records) = page.runner.stop();
    let before = of(&records, "fails", "failed").len();
    let jobs = "[jobs.fails]\nschedule = \"*.1.1 0:00:00\"\ncommand = [\"false\"]\n";
    let page = Page::start("history-2", jobs, &["--history", &file]);
    assert_eq!(page.job("fails")["outcomes"].as_str().map(str::len), Some(before.min(30)));
    let runs = page.get("/api/jobs/fails/runs");
    assert_eq!(runs["runs"].as_array().map(Vec::len), Some(before.min(50)));
    page.runner.stop();
}

#[test]
fn commands_do_not_get_the_token() {
    let directory = Directory::new("run-page-environment");
    let file = directory.join("jobs.toml");
    let jobs = "[jobs.env]\nschedule = \"*:*:*\"\ncommand = \"env > new && mv new environment\"\n";
    fs::write(&file, jobs).expect("accessible file");
    let mut process = command(&file, &["--page", "127.0.0.1:0", "--page-actions"]);
    process.env("MILLICRON_PAGE_TOKEN", TOKEN).current_dir(directory.path());
    let mut process = process.stdout(std::process::Stdio::piped()).spawn().expect("it starts");
    let environment = || fs::read_to_string(directory.join("environment")).unwrap_or_default();
    wait_until("the environment", || environment().contains("MILLICRON_JOB=env"));
    assert!(!environment().contains(TOKEN) && !environment().contains("PAGE_TOKEN"));
    let mut output = BufReader::new(process.stdout.take().expect("a pipe"));
    let mut line = String::new();
    output.read_line(&mut line).expect("UTF-8");
    assert!(line.contains("page at http://") && !line.contains(TOKEN), "{line}");
    let pid = i32::try_from(process.id()).ok().and_then(rustix::process::Pid::from_raw);
    rustix::process::kill_process(pid.expect("a number"), Signal::TERM).expect("it runs");
    assert!(process.wait().expect("it ends").success());
}

#[test]
fn foreign_names_and_origins_are_refused() {
    let page = Page::acting("hosts", JOBS);
    let status = |method, headers: &str| page.ask(method, "/api/jobs", headers).0;
    assert_eq!(status("GET", "Host: localhost:1234\r\n"), 200);
    assert!(status("GET", "Host: attacker.example\r\n") >= 400);
    let headers = "Origin: http://attacker.example\r\n";
    assert_eq!(page.ask("POST", "/api/jobs/hello/run", headers).0, 403);
}

#[test]
fn a_page_with_a_name_of_its_own_needs_the_token() {
    let directory = Directory::new("run-page-name-token");
    let file = directory.join("token");
    fs::write(&file, TOKEN).expect("accessible file");
    let file = file.display().to_string();
    let arguments = ["--page-host", "jobs.example.org", "--page-token-file", &file];
    let page = Page::start("own-name", JOBS, &arguments);
    let host = "Host: jobs.example.org\r\n";
    assert_eq!(page.ask("GET", "/api/jobs", host).0, 401);
    let headers = format!("{host}Authorization: Bearer {TOKEN}\r\n");
    assert_eq!(page.ask("GET", "/api/jobs", &headers).0, 200);
}

#[test]
fn wrong_options_are_errors_at_the_start() {
    let directory = Directory::new("run-page-options");
    let file = directory.join("jobs.toml");
    fs::write(&file, JOBS).expect("accessible file");
    let [empty, short] = [("empty", "\n"), ("short", "secret\n")].map(|(name, token)| {
        fs::write(directory.join(name), token).expect("accessible file");
        directory.join(name).display().to_string()
    });
    let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let taken = taken.local_addr().map(|address| (address.to_string(), taken)).expect("an address");
    let needs_token = "a page that other machines can reach needs a token";
    let [scheme, port] = ["http://a.org/", "a.org:80"];
    let cases: [(&[&str], &str); 11] = [
        (&["--page", "0.0.0.0:0"], needs_token),
        (&["--page", "127.0.0.1:0", "--page-host", "a.org"], needs_token),
        (&["--page", "127.0.0.1:0", "--page-host", scheme], "`http://a.org/` is not the name of"),
        (&["--page", "127.0.0.1:0", "--page-host", port], "`a.org:80` is not the name of a host"),
        (&["--page", "127.0.0.1:0", "--page-token-file", &short], "the token of the page is short"),
        (&["--page", "127.0.0.1:0", "--page-actions"], "`--page-actions` needs a token"),
        (&["--page", &taken.0], "cannot listen on `127.0.0.1:"),
        (&["--page", "nowhere"], "cannot listen on `nowhere`: "),
        (&["--page", "127.0.0.1:0", "--page-token-file", &empty], "the file `"),
        (&["--page", "127.0.0.1:0", "--page-token-file", "/nowhere"], "cannot read the token in "),
        (&["--page-actions"], ""),
    ];
    for (arguments, message) in cases {
        let (status, stdout, stderr) = fails(&file, arguments);
        assert_eq!((status, stdout.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(stderr.starts_with(&format!("error: {message}")), "{arguments:?}: {stderr}");
        assert!(stderr.lines().count() <= 2, "{stderr}");
    }
}

#[test]
fn the_page_and_the_metrics_may_have_one_address() {
    let page = Page::start("shared", JOBS, &["--metrics", "127.0.0.1:0"]);
    let (status, metrics) = page.ask("GET", "/metrics", "");
    assert!(status == 200 && metrics.contains("millicron_jobs 3"), "{metrics}");
    assert_eq!(page.ask("GET", "/health", ""), (200, "ok\n".to_owned()));
    assert_eq!(page.get("/api/jobs")["jobs"].as_array().map(Vec::len), Some(3));
    page.runner.stop();
}

#[test]
fn open_pages_are_kept_up_to_date_longer_than_a_response_may_take() {
    let page = Page::acting("feed", JOBS);
    let open = || {
        let mut connection = TcpStream::connect(&page.address).expect("it listens");
        let request = format!("GET /api/feed HTTP/1.1\r\nHost: {}\r\n\r\n", page.address);
        connection.write_all(request.as_bytes()).expect("it reads");
        BufReader::new(connection)
    };
    let wait_for = |page: &mut BufReader<TcpStream>, part: &str| {
        let mut line = String::new();
        while !line.contains(part) {
            line.clear();
            assert!(page.read_line(&mut line).expect("it is open") > 0, "it was closed");
        }
    };
    // More than may wait for a response at once.
    let mut pages = Vec::new();
    for _ in 0..40 {
        let mut page = open();
        wait_for(&mut page, "event: changes");
        pages.push(page);
    }
    // Clients that do not send a whole head are dropped after five seconds, also if they send a byte now and then.
    let mut slow = TcpStream::connect(&page.address).expect("it listens");
    let mut silent = TcpStream::connect(&page.address).expect("it listens");
    slow.set_read_timeout(Some(Duration::from_millis(100))).expect("a socket");
    slow.write_all(b"GET / HTTP/1.1\r\nX: ").expect("it reads");
    wait_until("the end", || {
        let is_closed = |error: std::io::Error| error.kind() != ErrorKind::WouldBlock;
        slow.write_all(b"x").is_err() || slow.read(&mut [0]).map_or_else(is_closed, |_| true)
    });
    assert_eq!(silent.read(&mut [0]).unwrap_or_default(), 0);
    assert_eq!(page.post("/api/jobs/hello/run"), 204);
    for page in &mut pages {
        wait_for(page, "succeeded");
    }
    page.runner.stop();
}
