//! [`Chaos`]: the processes, and how they are disturbed.

use std::collections::BTreeSet;
use std::env;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use millicron_test_support::is_full;
use millicron_test_support::servers::{Stop, signal};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::account::{Account, instant};
use crate::random::Random;
use crate::storage::{self, Kind, Server};
use crate::stored;
use crate::worker::{self, Settings, Work};

/// How the processes are disturbed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Disturbance {
    /// Every two seconds, one of them is killed and restarted. The server is stopped twice.
    Kill,
    /// One of them is suspended for five seconds.
    Suspend,
    /// Like `Kill`; in the meantime, one process after the other is suspended.
    Both,
    /// Nothing happens to them.
    None,
}

/// How long the processes work, in seconds.
fn seconds(kind: Kind, work: Work, disturbance: Disturbance) -> i64 {
    match (work, kind, disturbance) {
        (Work::Stored, Kind::Postgres, Disturbance::Both) if is_full() => 180,
        (Work::Stored, Kind::Postgres, Disturbance::Both) => 15,
        _ if is_full() => 60,
        _ => 8,
    }
}

pub(crate) struct Chaos {
    disturbance: Disturbance,
    pub(crate) settings: Settings,
    /// The last instant of the events, in milliseconds.
    last: i64,
    random: Random,
    pub(crate) kills: usize,
    // Dropped before the server and the directory, which the processes use.
    processes: Vec<Process>,
    /// Changes schedules.
    changer: Option<Process>,
    pub(crate) server: Server,
    pub(crate) runtime: Runtime,
    _directory: TempDir,
}

/// A process, which is killed on drop.
struct Process(Child);

impl Process {
    fn start(settings: &Settings) -> Self {
        let (name, value) = settings.variable();
        let child = Command::new(env::current_exe().expect("path of this program"))
            .args(["--exact", "child", "--nocapture"])
            .env(name, value)
            .stdout(Stdio::null())
            .spawn()
            .expect("child process");
        Self(child)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Chaos {
    /// Starts the processes. `None` if the server is not installed.
    pub(crate) fn start(kind: Kind, work: Work, disturbance: Disturbance) -> Option<Self> {
        let seed = env::var("MILLICRON_TEST_SEED").ok().and_then(|seed| seed.parse().ok());
        let seed = seed.unwrap_or_else(|| worker::now().unsigned_abs());
        println!("{} {work:?} {disturbance:?}: MILLICRON_TEST_SEED={seed}", kind.name());
        let directory = TempDir::new().expect("a directory");
        let runtime = Runtime::new().expect("a runtime");
        let (server, url) = runtime.block_on(storage::start(kind, directory.path()))?;
        if work == Work::Stored {
            runtime.block_on(stored::prepare(kind, &url));
        }
        // The processes will have started by then.
        let first = worker::now() + 1000;
        let path = directory.path().to_owned();
        let settings = Settings { kind, work, url, first, seed, directory: path };
        // An `SQLite` file has fewer users.
        let count = if (work, kind) == (Work::Stored, Kind::Sqlite) { 3 } else { 4 };
        let processes = (0..count).map(|_| Process::start(&settings)).collect();
        let changer = (work == Work::Stored)
            .then(|| Process::start(&Settings { work: Work::Changes, ..settings.clone() }));
        Some(Self {
            disturbance,
            settings,
            last: first + seconds(kind, work, disturbance) * 1000,
            random: Random(seed),
            kills: 0,
            processes,
            changer,
            server,
            runtime,
            _directory: directory,
        })
    }

    /// Disturbs the processes until the last event.
    pub(crate) fn disturb(&mut self) {
        match self.disturbance {
            Disturbance::Kill | Disturbance::Both => self.kill(),
            Disturbance::Suspend => self.suspend(),
            Disturbance::None => {}
        }
        sleep_until(self.last);
    }

    fn kill(&mut self) {
        let (first, span) = (self.settings.first, self.last - self.settings.first);
        let mut outages = [(first + span / 3, Stop::Fast), (first + span * 2 / 3, Stop::Immediate)]
            .into_iter()
            .peekable();
        let mut next_kill = first + 1000;
        let mut suspended = None;
        while next_kill < self.last {
            if let Some((at, how)) = outages.next_if(|(at, _)| *at <= next_kill) {
                sleep_until(at);
                self.server.stop(how);
                thread::sleep(Duration::from_millis(800));
                self.server.start_again();
            }
            sleep_until(next_kill);
            if self.disturbance == Disturbance::Both {
                suspended = self.suspend_next(suspended, next_kill);
            }
            let victim = self.other_than(suspended);
            self.processes[victim] = Process::start(&self.settings);
            self.kills += 1;
            // After one to three seconds, two on average.
            next_kill += 1000 + self.milliseconds(2000);
        }
        if let Some((process, _)) = suspended {
            self.signal(process, "CONT");
        }
    }

    /// Returns a random process that is not suspended.
    fn other_than(&mut self, suspended: Option<(usize, i64)>) -> usize {
        loop {
            let process = self.random.below(self.processes.len());
            if suspended.is_none_or(|suspended| suspended.0 != process) {
                return process;
            }
        }
    }

    /// Continues the suspended process when its time has come, and suspends another one.
    fn suspend_next(&mut self, suspended: Option<(usize, i64)>, now: i64) -> Option<(usize, i64)> {
        match suspended {
            Some((_, until)) if now < until => suspended,
            Some((process, _)) => {
                self.signal(process, "CONT");
                None
            }
            None => {
                let process = self.random.below(self.processes.len());
                self.signal(process, "STOP");
                // Sometimes longer than a claim lasts.
                let longest = if is_full() { 14_000 } else { 4000 };
                Some((process, now + 2000 + self.milliseconds(longest)))
            }
        }
    }

    fn signal(&self, process: usize, name: &str) {
        assert!(signal(self.processes[process].0.id(), name), "the process is there");
    }

    fn milliseconds(&mut self, end: usize) -> i64 {
        i64::try_from(self.random.below(end)).expect("a small number")
    }

    fn suspend(&mut self) {
        sleep_until(self.settings.first + 1000);
        let victim = self.random.below(self.processes.len());
        self.signal(victim, "STOP");
        thread::sleep(Duration::from_secs(5));
        self.signal(victim, "CONT");
    }

    /// Ends the process that changes schedules.
    pub(crate) fn end_changes(&mut self) {
        self.changer = None;
    }

    /// Kills all processes.
    pub(crate) fn end_processes(&mut self) {
        self.processes.clear();
    }

    fn account(&self) -> Account {
        let log = self.settings.directory.join("log");
        Account::read(&log, self.settings.first, self.last)
    }

    /// Waits until all events are executed, and returns the account of the processes.
    pub(crate) fn wait_until_done(&mut self) -> Account {
        let began = Instant::now();
        loop {
            let account = self.account();
            let missing = account.missing(self.settings.work);
            if missing.is_empty() {
                break;
            }
            // Long enough for a busy machine.
            let most = Duration::from_mins(10);
            assert!(began.elapsed() < most, "events that are not executed: {missing:?}");
            thread::sleep(Duration::from_millis(100));
        }
        self.processes.clear();
        self.account()
    }

    /// Checks the storage: each event up to the last one is one task.
    pub(crate) fn end(self, account: &Account) {
        let Self { settings, runtime, last, disturbance, .. } = &self;
        let Settings { kind, work, url, first, .. } = settings;
        let mut keys = runtime.block_on(storage::keys(*kind, url));
        let tasks = keys.len();
        keys.retain(|key| instant(key) <= *last);
        let unique: BTreeSet<_> = keys.iter().cloned().collect();
        assert_eq!(unique.len(), keys.len(), "two tasks of one event");
        let expected = worker::expected(*work, *first, *last);
        let events = expected.len();
        if *work == Work::Events {
            assert_eq!(unique, expected.into_iter().collect(), "an event is no task");
        }
        let [median, most, max] = account.lateness();
        let repeated = account.repeated();
        println!(
            "{} {work:?} {disturbance:?}: {events} events, {tasks} tasks with later ones, \
             {repeated} repetitions; lateness {median} ms, p99 {most} ms, at most {max} ms",
            kind.name()
        );
    }
}

fn sleep_until(instant: i64) {
    let wait = u64::try_from(instant - worker::now()).unwrap_or_default();
    thread::sleep(Duration::from_millis(wait));
}
