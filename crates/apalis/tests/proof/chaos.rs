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
use crate::storage::{self, Kind, Server};
use crate::worker::{self, Settings, Work};

/// How the processes are disturbed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Disturbance {
    /// Every two seconds, one of them is killed and restarted. The server is stopped twice.
    Kill,
    /// One of them is suspended for five seconds.
    Suspend,
}

const PROCESSES: usize = 4;

pub(crate) struct Chaos {
    disturbance: Disturbance,
    settings: Settings,
    /// The last instant of the events, in milliseconds.
    last: i64,
    random: u64,
    // Dropped before the server and the directory, which the processes use.
    processes: Vec<Process>,
    server: Server,
    runtime: Runtime,
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
        let seconds = if is_full() { 60 } else { 8 };
        // The processes will have started by then.
        let first = worker::now() + 1000;
        let path = directory.path().to_owned();
        let settings = Settings { kind, work, url, first, directory: path };
        let processes = (0..PROCESSES).map(|_| Process::start(&settings)).collect();
        Some(Self {
            disturbance,
            settings,
            last: first + seconds * 1000,
            random: seed,
            processes,
            server,
            runtime,
            _directory: directory,
        })
    }

    /// Returns a random number below `end`, using `SplitMix64` by G. Steele, D. Lea and C. Flood.
    fn below(&mut self, end: usize) -> usize {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.random ^ (self.random >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) >> 33).expect("31 bits") % end
    }

    /// Disturbs the processes until the last event.
    pub(crate) fn disturb(&mut self) {
        match self.disturbance {
            Disturbance::Kill => self.kill(),
            Disturbance::Suspend => self.suspend(),
        }
        sleep_until(self.last);
    }

    fn kill(&mut self) {
        let (first, span) = (self.settings.first, self.last - self.settings.first);
        let mut outages = [(first + span / 3, Stop::Fast), (first + span * 2 / 3, Stop::Immediate)]
            .into_iter()
            .peekable();
        let mut next_kill = first + 1000;
        while next_kill < self.last {
            if let Some((at, how)) = outages.next_if(|(at, _)| *at <= next_kill) {
                sleep_until(at);
                self.server.stop(how);
                thread::sleep(Duration::from_millis(800));
                self.server.start_again();
            }
            sleep_until(next_kill);
            let victim = self.below(PROCESSES);
            self.processes[victim] = Process::start(&self.settings);
            // After one to three seconds, two on average.
            next_kill += 1000 + i64::try_from(self.below(2000)).expect("a small number");
        }
    }

    fn suspend(&mut self) {
        sleep_until(self.settings.first + 1000);
        let victim = self.below(PROCESSES);
        let process = self.processes[victim].0.id();
        assert!(signal(process, "STOP"), "the process is there");
        thread::sleep(Duration::from_secs(5));
        assert!(signal(process, "CONT"), "the process is there");
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
            let most = Duration::from_mins(3);
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
