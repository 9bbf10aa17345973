//! [`Replica`]: a process that pushes the events of stored schedules, and reports when their tasks start.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use apalis_core::worker::builder::WorkerBuilder;
use apalis_postgres::{PgPool, PostgresStorage};
use millicron_apalis::stored::Schedules;
use millicron_apalis::{Notice, Run, Source};

use crate::database::{Database, Process};

/// The variable with the connection string, which makes this program a replica.
pub(crate) const URL: &str = "MILLICRON_BENCH_REPLICA";

const MODE: &str = "MILLICRON_BENCH_MODE";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Pushes only.
    Push,
    /// Pushes only, before the instants of the tasks.
    PushAhead,
    /// Pushes, and starts tasks.
    Work,
    /// Pushes tasks before their instants, and starts them.
    WorkAhead,
}

impl Mode {
    const ALL: [Self; 4] = [Self::Push, Self::PushAhead, Self::Work, Self::WorkAhead];

    pub(crate) const fn is_ahead(self) -> bool {
        matches!(self, Self::PushAhead | Self::WorkAhead)
    }

    pub(crate) const fn works(self) -> bool {
        matches!(self, Self::Work | Self::WorkAhead)
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Push => "push",
            Self::PushAhead => "push ahead",
            Self::Work => "work",
            Self::WorkAhead => "work ahead",
        }
    }
}

/// The start of a task. Times are since 1970.
pub(crate) struct Start {
    pub(crate) is_probe: bool,
    scheduled: Duration,
    pub(crate) started: Duration,
}

impl Start {
    pub(crate) fn lateness(&self) -> Duration {
        self.started.saturating_sub(self.scheduled)
    }
}

pub(crate) struct Replica {
    process: Child,
    starts: Receiver<Start>,
}

impl Replica {
    pub(crate) fn start(database: &Database, mode: Mode) -> Self {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        Self::spawn(command.env(URL, &database.url).env(MODE, mode.name()))
    }

    /// Starts a process that prints what starts.
    pub(crate) fn spawn(command: &mut Command) -> Self {
        let mut process = command.stdout(Stdio::piped()).spawn().expect("a process");
        let output = BufReader::new(process.stdout.take().expect("a pipe"));
        let (sender, starts) = channel();
        thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let numbers: Vec<u64> =
                    line.split(' ').map(|number| number.parse().expect("a number")).collect();
                let &[is_probe, scheduled, started] = &numbers[..] else { panic!("{line}") };
                let scheduled = Duration::from_millis(scheduled);
                let started = Duration::from_micros(started);
                drop(sender.send(Start { is_probe: is_probe == 1, scheduled, started }));
            }
        });
        Self { process, starts }
    }

    /// Returns the tasks that have started since the last call.
    pub(crate) fn starts_so_far(&mut self) -> Vec<Start> {
        self.starts.try_iter().collect()
    }

    /// Returns the CPU time, in seconds.
    pub(crate) fn cpu(&self) -> f64 {
        Process::read(&self.process.id().to_string()).map_or(f64::NAN, |process| process.cpu)
    }

    /// Returns the most memory that was resident, in megabytes.
    pub(crate) fn memory(&self) -> f64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id()));
        let status = status.unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = peak.and_then(|peak| peak.trim().strip_suffix(" kB")?.parse::<f64>().ok());
        kilobytes.map_or(f64::NAN, |kilobytes| kilobytes / 1024.0)
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// Returns the time since 1970.
pub(crate) fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("a time after 1970")
}

/// Runs as a replica, until this process is killed.
pub(crate) async fn run(url: &str) {
    let pool = PgPool::connect(url).await.expect("a database");
    let schedules = Schedules::open(&pool).await.expect("the table of schedules");
    let mode = std::env::var(MODE).expect("a mode");
    let mode = Mode::ALL.into_iter().find(|it| it.name() == mode).expect("a mode");
    let ahead = if mode.is_ahead() { Duration::from_secs(2) } else { Duration::ZERO };
    let source = Source::builder().stored(&schedules).ahead(ahead);
    let report = |notice: &Notice<'_>| {
        if !matches!(notice, Notice::Skipped { .. }) {
            eprintln!("{notice}");
        }
    };
    let source = source.observer(report).build().expect("a source");
    let storage = PostgresStorage::<Run<u32>>::new(&pool);
    if !mode.works() {
        return source.push_to(storage).await.expect("a storage");
    }
    let name = format!("replica-{}", std::process::id());
    let worker = WorkerBuilder::new(name).backend(source.pipe_to(storage)).build(
        |run: Run<u32>| async move {
            let (is_probe, started) = (u8::from(run.job == "probe"), now().as_micros());
            let line = format!("{is_probe} {} {started}\n", run.scheduled);
            drop(std::io::stdout().write_all(line.as_bytes()));
        },
    );
    worker.run().await.expect("a storage that works");
}
