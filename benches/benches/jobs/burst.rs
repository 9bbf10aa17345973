//! Ten thousand jobs at one instant, every second: in this scheduler, with tokio's timers and in other
//! schedulers.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use millicron_benches::cpu::Usage;
use millicron_benches::lateness::{Lateness, percentiles};
use millicron_benches::rounds::median;
use millicron_benches::table::{Bound, Table};

use crate::schedulers;

const JOBS: usize = 10_000;

/// The number of measured bursts, one each second.
const BURSTS: usize = 3;

const SECOND: u64 = 1_000_000_000;

/// A scheduler in the table.
struct Subject {
    name: &'static str,
    jobs: usize,
    /// Adds jobs that run at each full second, and returns what keeps them running.
    add: fn(&Arc<Starts>) -> Box<dyn Any>,
    /// The index of the subject that this one is compared with.
    rival: Option<usize>,
}

const SUBJECTS: &[Subject] = &[
    Subject { name: "closures: millicron", jobs: JOBS, add: schedulers::closures, rival: Some(1) },
    Subject {
        name: "closures: tokio `DelayQueue`",
        jobs: JOBS,
        add: schedulers::delay_queue_of_closures,
        rival: None,
    },
    Subject { name: "futures: millicron", jobs: JOBS, add: schedulers::futures, rival: Some(3) },
    Subject {
        name: "futures: tokio `DelayQueue`",
        jobs: JOBS,
        add: schedulers::delay_queue_of_futures,
        rival: None,
    },
    Subject {
        name: "futures: tokio intervals",
        jobs: JOBS,
        add: schedulers::intervals,
        rival: None,
    },
    Subject { name: "closures: clokwerk", jobs: JOBS, add: schedulers::clokwerk, rival: None },
    Subject {
        name: "closures: tokio-cron-scheduler",
        jobs: 1_000,
        add: schedulers::tokio_cron_scheduler,
        rival: None,
    },
];

pub(crate) fn table(rounds: usize) -> Table {
    let headers = [
        "",
        "jobs",
        "started, %",
        "p50, ms",
        "p99, ms",
        "p99 / `DelayQueue` (≤ 1)",
        "CPU, % of a core",
        "CPU / `DelayQueue` (≤ 1.2)",
    ];
    let mut table = Table::new("Jobs at one instant, every second", &headers);
    let mut measured: Vec<Vec<Burst>> = SUBJECTS.iter().map(|_| Vec::new()).collect();
    let mut phase = Duration::ZERO;
    for _ in 0..rounds {
        // In each round, schedulers that poll start at a different point within the second.
        phase += Duration::from_millis(170);
        for (subject, bursts) in SUBJECTS.iter().zip(&mut measured) {
            thread::sleep(phase);
            bursts.push(measure(subject));
        }
    }
    for (subject, bursts) in SUBJECTS.iter().zip(&measured) {
        let median_of = |of: fn(&Burst) -> f64| median(bursts.iter().map(of).collect());
        let ratio = |of: fn(&Burst) -> f64| {
            let pairs = bursts.iter().zip(&measured[subject.rival?]);
            Some(median(pairs.map(|(this, rival)| of(this) / of(rival)).collect()))
        };
        table
            .row(subject.name)
            .text(&subject.jobs.to_string())
            .figure(median_of(|burst| burst.started), Bound::None)
            .figure(median_of(|burst| burst.late.p50 / 1e3), Bound::None)
            .figure(median_of(|burst| burst.late.p99 / 1e3), Bound::None)
            .figure(ratio(|burst| burst.late.p99), Bound::AtMost(1.0))
            .figure(median_of(|burst| burst.cpu), Bound::None)
            .figure(ratio(|burst| burst.cpu), Bound::AtMost(1.2));
    }
    table
}

struct Burst {
    /// The runs that started, in percent of those that were due.
    started: f64,
    late: Lateness,
    /// The CPU time, in percent of a core.
    cpu: f64,
}

fn measure(subject: &Subject) -> Burst {
    /// From the start of the measurement to the first burst.
    const LEAD: Duration = Duration::from_millis(50);
    let starts = Arc::new(Starts::new(subject.jobs));
    let running = (subject.add)(&starts);
    let first = next_second();
    starts.first.store(nanos(first), Ordering::Relaxed);
    sleep_until(first - LEAD);
    let usage = Usage::start();
    sleep_until(first + Duration::from_secs(BURSTS as u64) - LEAD);
    let cpu = usage.percent();
    drop(running);
    let mut late = starts.late();
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    let started = late.len() as f64 / (subject.jobs * BURSTS) as f64 * 100.0;
    Burst { started, late: percentiles(&mut late), cpu }
}

/// When each run of each job started.
pub(crate) struct Starts {
    jobs: usize,
    /// The first burst, in nanoseconds since 1970. Earlier runs do not count.
    first: AtomicU64,
    /// The lateness of each run in nanoseconds, plus one; zero if the run has not started.
    late: Box<[AtomicU64]>,
}

impl Starts {
    fn new(jobs: usize) -> Self {
        let late = (0..BURSTS * jobs).map(|_| AtomicU64::new(0)).collect();
        Self { jobs, first: AtomicU64::new(u64::MAX), late }
    }

    pub(crate) const fn jobs(&self) -> std::ops::Range<usize> {
        0..self.jobs
    }

    /// Records that a run of a job starts now. Every scheduler's closure or future calls this first.
    pub(crate) fn record(&self, job: usize) {
        let first = self.first.load(Ordering::Relaxed);
        let Some(after) = nanos(SystemTime::now()).checked_sub(first) else { return };
        let burst = usize::try_from(after / SECOND).unwrap_or(usize::MAX);
        if let Some(late) = burst.checked_mul(self.jobs).and_then(|it| self.late.get(it + job)) {
            late.store(after % SECOND + 1, Ordering::Relaxed);
        }
    }

    fn late(&self) -> Vec<Duration> {
        let late = self.late.iter().map(|late| late.load(Ordering::Relaxed));
        late.filter_map(|nanos| nanos.checked_sub(1)).map(Duration::from_nanos).collect()
    }
}

/// Returns the next full second that leaves enough time to prepare.
pub(crate) fn next_second() -> SystemTime {
    let soon = SystemTime::now() + Duration::from_millis(100);
    let seconds = nanos(soon).div_ceil(SECOND);
    UNIX_EPOCH + Duration::from_secs(seconds)
}

fn sleep_until(instant: SystemTime) {
    thread::sleep(instant.duration_since(SystemTime::now()).unwrap_or_default());
}

fn nanos(instant: SystemTime) -> u64 {
    let since = instant.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}
