//! [`Clock`]: what time it is, and how long to wait.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, SystemTime};

/// What time it is, for a scheduler. It is asked while the scheduler decides, so it
/// must not ask the scheduler in turn, nor panic.
pub trait Clock: Send + Sync + 'static {
    /// The time.
    fn now(&self) -> SystemTime;

    /// How long a timer may sleep before it looks at the clock again, if nothing
    /// wakes it; `None` for as long as nothing does. `due` is when the next job is
    /// due, if there is one.
    fn patience(&self, due: Option<SystemTime>) -> Option<Duration>;

    /// A timer goes by this clock from now on. A clock that is set, and does not
    /// go by itself, wakes it.
    fn attach(&self, timer: Weak<dyn Timer>) {
        drop(timer);
    }
}

/// What goes by a [`Clock`]: a scheduler.
pub trait Timer: Send + Sync {
    /// When the next job is due.
    fn next_due(&self) -> Option<SystemTime>;

    /// The clock was set.
    fn wake(&self);

    /// Waits until all that is due has run, and observers know. Returns whether there
    /// was anything to wait for.
    fn settle(&self) -> bool;
}

/// The clock of the system.
///
/// A timer looks at it twice a second at the least while jobs wait. So it is
/// noticed within a second when the clock is set, forward or back, and when the
/// machine wakes up.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "it has no state")]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }

    fn patience(&self, due: Option<SystemTime>) -> Option<Duration> {
        const LONGEST: Duration = Duration::from_millis(500);
        // Zero where it is due already.
        due.map(|due| due.duration_since(self.now()).unwrap_or_default().min(LONGEST))
    }
}

/// A clock for tests, which stands until it is set.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU32, Ordering};
/// use std::time::{Duration, UNIX_EPOCH};
///
/// use millicron::schedule;
/// use millicron_scheduler::{ManualClock, Scheduler};
///
/// let clock = ManualClock::new(UNIX_EPOCH + Duration::from_secs(1_700_000_000));
/// let scheduler = Scheduler::builder().clock(clock.clone()).start()?;
/// let runs = Arc::new(AtomicU32::new(0));
/// let count = Arc::clone(&runs);
/// scheduler.add(schedule!("*:*:00"), move |_| { count.fetch_add(1, Ordering::Relaxed); })?;
///
/// clock.advance(Duration::from_secs(3600));
/// assert_eq!(runs.load(Ordering::Relaxed), 60);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct ManualClock(Arc<Manual>);

struct Manual {
    now: Mutex<SystemTime>,
    timers: Mutex<Vec<Weak<dyn Timer>>>,
    /// Held while the clock is set.
    turn: Mutex<()>,
}

impl ManualClock {
    /// A clock that stands at an instant.
    #[must_use]
    pub fn new(now: impl Into<SystemTime>) -> Self {
        let (now, timers) = (Mutex::new(now.into()), Mutex::default());
        Self(Arc::new(Manual { now, timers, turn: Mutex::default() }))
    }

    /// Goes forward by `duration`, from each instant at which a job is due to the
    /// next, and waits at each until all that is due has run, and observers know.
    /// Not to be called by these or by a job, which would wait for itself. A deferred
    /// run is waited for until its end is told.
    pub fn advance(&self, duration: Duration) {
        let _turn = lock(&self.0.turn);
        let Some(end) = self.now().checked_add(duration) else { return };
        loop {
            let timers = self.timers();
            // What runs may add jobs that are due sooner than all others.
            settle(&timers);
            let due = timers.iter().filter_map(|timer| timer.next_due()).min();
            let next = due.filter(|due| *due <= end).unwrap_or(end);
            self.set_to(next.max(self.now()), &timers);
            if due.is_none_or(|due| due > end) {
                return;
            }
        }
    }

    /// Is set to an instant at once, forward or back, as a clock of a machine may
    /// be, and waits until all that is due then has run, as [`advance`](Self::advance)
    /// does. Events between are missed.
    pub fn set(&self, now: impl Into<SystemTime>) {
        let _turn = lock(&self.0.turn);
        self.set_to(now.into(), &self.timers());
    }

    fn set_to(&self, now: SystemTime, timers: &[Arc<dyn Timer>]) {
        // What was triggered just now is not to start later.
        for timer in timers {
            timer.settle();
        }
        *lock(&self.0.now) = now;
        for timer in timers {
            timer.wake();
        }
        settle(timers);
    }

    /// The timers that are still there.
    fn timers(&self) -> Vec<Arc<dyn Timer>> {
        let mut timers = lock(&self.0.timers);
        timers.retain(|timer| timer.strong_count() > 0);
        timers.iter().filter_map(Weak::upgrade).collect()
    }
}

/// Waits until nothing is due or runs. The runs of one may give another something to
/// do, so all are looked at until none had anything.
fn settle(timers: &[Arc<dyn Timer>]) {
    while timers.iter().any(|timer| timer.settle()) {}
}

impl Clock for ManualClock {
    fn now(&self) -> SystemTime {
        *lock(&self.0.now)
    }

    fn patience(&self, _: Option<SystemTime>) -> Option<Duration> {
        None
    }

    fn attach(&self, timer: Weak<dyn Timer>) {
        lock(&self.0.timers).push(timer);
    }
}

impl fmt::Debug for ManualClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ManualClock").field(&self.now()).finish()
    }
}

/// Nothing is left half done under these locks, so a panic does no harm.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
