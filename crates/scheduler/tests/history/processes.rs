//! Real processes, which are killed at random moments. Their own logs show what they did.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, SystemTime};
use std::{env, thread};

use millicron::{Schedule, schedule};
use millicron_history::{PostgresHistory, SqliteHistory};
use millicron_scheduler::{CutOff, HistoryEvent, Job, JobHistory, Missed, Overlap, Scheduler};
use millicron_test_support::is_full;
use millicron_test_support::processes::this_program;
use millicron_test_support::servers::PostgresServer;

use crate::support::{Chance, to_millis, until};

/// The milliseconds between two events.
const STEP: i64 = 50;
const EVENTS: Schedule = schedule!("*:*:*.*/50");
const ROLE: &str = "MILLICRON_TEST_RECORDED_ROLE";

/// The connection string of a history in PostgreSQL, if it is not in a file.
const URL: &str = "MILLICRON_TEST_RECORDED_URL";

/// A directory that is removed on drop.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let name = format!("{name}-{}", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("accessible directory");
        Self(path)
    }

    /// Returns the lines of the log, as words. A process that is killed writes a whole line or nothing.
    fn lines(&self) -> Vec<Vec<String>> {
        let log = self.log();
        log.lines().map(|line| line.split(' ').map(str::to_owned).collect()).collect()
    }

    fn log(&self) -> String {
        fs::read_to_string(self.0.join("log")).unwrap_or_default()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Appends a line to the log, in a single write. No line crosses the border of two pages of the file: a process that is
/// killed between them would write half of it, and one that reads would see half.
fn log(line: &str) {
    let mut log = File::options().append(true).create(true).open("log").expect("a log");
    log.write_all(format!("{line:<31}\n").as_bytes()).expect("a writable log");
}

/// The entry point of child processes. In the parent it does nothing.
#[test]
fn child() {
    let cut_off = match env::var(ROLE).as_deref() {
        Ok("fail") => CutOff::Fail,
        Ok("restart") => CutOff::Restart { most: 1_000 },
        _ => return,
    };
    let scheduler = Scheduler::new().expect("threads");
    let jobs = JobHistory::builder().observer(|event| match event {
        HistoryEvent::CutOff { scheduled, .. } => log(&format!("cut {}", to_millis(*scheduled))),
        other => panic!("{other:?}"),
    });
    let jobs = match env::var(URL) {
        Ok(url) => jobs.start(&scheduler, PostgresHistory::connect(&url).expect("a history")),
        Err(_) => jobs.start(&scheduler, SqliteHistory::open("history").expect("a history")),
    };
    let jobs = jobs.expect("a thread");
    let job = Job::new(|run| {
        let event = to_millis(run.scheduled());
        log(&format!("start {event} {}", run.attempt()));
        // Some runs are still in progress at the next event.
        let wait = if event / STEP % 7 == 0 { 80 } else { event / STEP % 5 };
        thread::sleep(Duration::from_millis(wait.unsigned_abs()));
    });
    let job = job.name("job").cut_off(cut_off).missed(Missed::All { max: usize::MAX });
    jobs.add_job(EVENTS, job.overlap(Overlap::Queue { max: usize::MAX })).expect("added");
    log(&format!("added {}", to_millis(SystemTime::now())));
    loop {
        thread::park();
    }
}

fn start(role: &str, url: Option<&str>, directory: &Directory) -> Child {
    this_program()
        .args(["--exact", "history::processes::child", "--nocapture"])
        .env(ROLE, role)
        .envs(url.map(|url| (URL, url)))
        .current_dir(&directory.0)
        .stdout(Stdio::null())
        .spawn()
        .expect("child process")
}

fn kill(mut child: Child) {
    child.kill().expect("killed");
    child.wait().expect("ended");
}

/// What the processes have logged.
struct Account {
    /// The instant when the job was first added.
    first: i64,
    /// The attempts of each event, in the order in which they started.
    starts: BTreeMap<i64, Vec<u32>>,
    cut_off: BTreeSet<i64>,
}

impl Account {
    fn read(directory: &Directory) -> Self {
        let mut account =
            Self { first: i64::MAX, starts: BTreeMap::new(), cut_off: BTreeSet::new() };
        for line in directory.lines() {
            let instant = line[1].parse().expect("an instant");
            match &*line[0] {
                "added" => account.first = account.first.min(instant),
                "cut" => drop(account.cut_off.insert(instant)),
                _ => {
                    let attempts = account.starts.entry(instant).or_default();
                    attempts.push(line[2].parse().expect("the number of an attempt"));
                }
            }
        }
        account
    }

    fn last(&self) -> i64 {
        self.starts.keys().last().copied().unwrap_or(i64::MIN)
    }
}

/// Kills processes at random moments, and lets the last one catch up.
fn run(role: &str, url: Option<&str>) -> (Directory, Account) {
    let place = if url.is_some() { "postgres" } else { "sqlite" };
    let directory = Directory::new(&format!("recorded-{role}-{place}"));
    let seed = env::var("MILLICRON_TEST_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = seed.unwrap_or_else(|| to_millis(SystemTime::now()).unsigned_abs());
    println!("MILLICRON_TEST_SEED={seed}");
    let mut chance = Chance(seed);
    let kills = if is_full() { 60 } else { 10 };
    for _ in 0..kills {
        let child = start(role, url, &directory);
        let added = directory.lines().len();
        if chance.below(4) > 0 {
            until(|| directory.lines().len() > added);
        }
        thread::sleep(Duration::from_millis(chance.below(300)));
        kill(child);
        thread::sleep(Duration::from_millis(chance.below(200)));
    }
    let child = start(role, url, &directory);
    let now = to_millis(SystemTime::now());
    while Account::read(&directory).last() <= now {
        let lines = directory.lines().len();
        until(|| directory.lines().len() > lines);
    }
    kill(child);
    let account = Account::read(&directory);
    assert!(account.starts.len() > 10, "{}", account.starts.len());
    (directory, account)
}

#[test]
fn each_event_starts_at_most_once_and_is_started_or_reported() {
    check_starts_at_most_once(None);
}

#[test]
fn each_event_starts_at_most_once_with_postgres() {
    let what = "PostgreSQL: jobs that are recorded";
    if let Some(server) = PostgresServer::shared(what) {
        check_starts_at_most_once(Some(&server.new_database()));
    }
}

fn check_starts_at_most_once(url: Option<&str>) {
    let (directory, Account { first, starts, cut_off }) = run("fail", url);
    for (event, attempts) in &starts {
        assert_eq!(event % STEP, 0);
        assert_eq!(*attempts, [1], "{event}");
    }
    let last = *starts.keys().last().expect("a run");
    for event in (first + 1..=last).filter(|instant| instant % STEP == 0) {
        let is_known = starts.contains_key(&event) || cut_off.contains(&event);
        assert!(is_known, "{event} is missing:\n{}", directory.log());
    }
}

#[test]
fn each_event_starts_at_least_once_if_runs_start_again() {
    check_starts_at_least_once(None);
}

#[test]
fn each_event_starts_at_least_once_with_postgres() {
    let what = "PostgreSQL: jobs that are recorded and start again";
    if let Some(server) = PostgresServer::shared(what) {
        check_starts_at_least_once(Some(&server.new_database()));
    }
}

fn check_starts_at_least_once(url: Option<&str>) {
    let (directory, account) = run("restart", url);
    let Account { first, starts, cut_off } = &account;
    for event in (first + 1..=account.last()).filter(|instant| instant % STEP == 0) {
        let attempts = starts
            .get(&event)
            .unwrap_or_else(|| panic!("{event} is missing:\n{}", directory.log()));
        assert!(attempts.is_sorted_by(|one, next| one < next), "{event}: {attempts:?}");
        assert!(attempts.len() == 1 || cut_off.contains(&event), "{event}: {attempts:?}");
    }
}
