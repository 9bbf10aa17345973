//! [`Clock`] and its implementations.

use std::fmt;
use std::sync::{Arc, LazyLock, PoisonError, Weak};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::sync::{Mutex, MutexGuard};

/// A source of the current time for a scheduler.
///
/// A scheduler calls its clock while it makes decisions. A clock must not call the scheduler in
/// turn, and must not panic.
pub trait Clock: Send + Sync + 'static {
    /// Returns the current time.
    fn now(&self) -> SystemTime;

    /// Returns the time elapsed since some fixed instant, regardless of clock changes.
    /// [Intervals](millicron::every), time-outs and retries use it. The default is the time since
    /// 1970, for clocks that are never set.
    fn elapsed(&self) -> Duration {
        self.now().duration_since(UNIX_EPOCH).unwrap_or_default()
    }

    /// Returns how long a timer may sleep before it reads the clock again, unless it is woken.
    /// `None` means until it is woken. `wait` is the time until the next job is due, if any job
    /// waits.
    fn max_sleep(&self, wait: Option<Duration>) -> Option<Duration>;

    /// Registers a timer that uses this clock. A clock that can be set calls
    /// [`Timer::clock_changed`] after each change. The default does nothing.
    fn attach(&self, timer: Weak<dyn Timer>) {
        drop(timer);
    }
}

/// A scheduler, as seen by its [`Clock`].
pub trait Timer: Send + Sync {
    /// Returns the time until the next job is due, if any job waits.
    fn time_to_next(&self) -> Option<Duration>;

    /// Notifies the timer that the clock was set.
    fn clock_changed(&self);

    /// Waits until everything due has run and the observer has received every event. Returns
    /// whether it had to wait.
    fn wait_until_idle(&self) -> bool;
}

/// The clock of the operating system.
///
/// While jobs wait, a timer reads it at least twice a second. The scheduler therefore notices
/// within a second that the clock was set, forward or back, or that the machine woke up. Elapsed time
/// is measured by [`Instant`], which on most systems stands still while the machine sleeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "it has no state")]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }

    fn elapsed(&self) -> Duration {
        static FIRST: LazyLock<Instant> = LazyLock::new(Instant::now);
        FIRST.elapsed()
    }

    fn max_sleep(&self, wait: Option<Duration>) -> Option<Duration> {
        const LONGEST: Duration = Duration::from_millis(500);
        wait.map(|wait| wait.min(LONGEST))
    }
}

/// A clock for tests, which stands still until it is set. Clones share their time.
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
    reading: Mutex<Reading>,
    timers: Mutex<Vec<Weak<dyn Timer>>>,
    /// Held while the clock is set, so that changes happen one at a time.
    setting: Mutex<()>,
}

/// The readings of a clock.
#[derive(Clone, Copy)]
struct Reading {
    now: SystemTime,
    elapsed: Duration,
}

impl ManualClock {
    /// Creates a clock that shows `now`.
    #[must_use]
    pub fn new(now: impl Into<SystemTime>) -> Self {
        let reading = Mutex::new(Reading { now: now.into(), elapsed: Duration::ZERO });
        let timers = Mutex::default();
        Self(Arc::new(Manual { reading, timers, setting: Mutex::default() }))
    }

    /// Moves the clock forward by `duration`, stopping at each instant at which a job is due. At
    /// each stop, waits until everything due has run and the observer has received every event.
    ///
    /// A deferred run counts as running until it is finished. Do not call this from a job or an
    /// observer: it would wait for itself.
    pub fn advance(&self, duration: Duration) {
        let _guard = lock(&self.0.setting);
        let mut rest = duration;
        loop {
            let timers = self.timers();
            // Runs in progress may add jobs that are due before all others.
            wait_until_idle(&timers);
            let wait = timers.iter().filter_map(|timer| timer.time_to_next()).min();
            let step = wait.unwrap_or(rest).min(rest);
            let Reading { now, elapsed } = *lock(&self.0.reading);
            let Some(now) = now.checked_add(step) else { return };
            self.show(Reading { now, elapsed: elapsed.saturating_add(step) }, &timers);
            rest -= step;
            if wait.is_none_or(|wait| wait > step) {
                return;
            }
        }
    }

    /// Sets the clock, forward or back, in one step, and waits until everything that is then due
    /// has run. Events in between are missed. No time passes: intervals, time-outs and retries wait
    /// as long as before. As with [`advance`](Self::advance), do not call this from a job or an
    /// observer.
    pub fn set(&self, now: impl Into<SystemTime>) {
        let _guard = lock(&self.0.setting);
        let elapsed = lock(&self.0.reading).elapsed;
        self.show(Reading { now: now.into(), elapsed }, &self.timers());
    }

    fn show(&self, reading: Reading, timers: &[Arc<dyn Timer>]) {
        // A run that was just triggered must start before the clock changes.
        for timer in timers {
            timer.wait_until_idle();
        }
        *lock(&self.0.reading) = reading;
        for timer in timers {
            timer.clock_changed();
        }
        wait_until_idle(timers);
    }

    /// Returns the timers that still exist.
    fn timers(&self) -> Vec<Arc<dyn Timer>> {
        let mut timers = lock(&self.0.timers);
        timers.retain(|timer| timer.strong_count() > 0);
        timers.iter().filter_map(Weak::upgrade).collect()
    }
}

/// Waits until no timer has anything to do. A run of one scheduler may give work to another, so
/// this repeats until none had to wait.
fn wait_until_idle(timers: &[Arc<dyn Timer>]) {
    while timers.iter().any(|timer| timer.wait_until_idle()) {}
}

impl Clock for ManualClock {
    fn now(&self) -> SystemTime {
        lock(&self.0.reading).now
    }

    fn elapsed(&self) -> Duration {
        lock(&self.0.reading).elapsed
    }

    fn max_sleep(&self, _: Option<Duration>) -> Option<Duration> {
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

/// Locks, ignoring poison: no update under these locks can be interrupted halfway.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
