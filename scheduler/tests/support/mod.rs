//! What the tests of the scheduler have in common: a ledger of events, chance, and
//! a dog that watches the time.

use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use millicron::Recurrence;
use millicron_scheduler::{Event, JobName, RunContext};

/// 2023-11-14 22:13:20 UTC.
pub(crate) fn start() -> SystemTime {
    UNIX_EPOCH + secs(1_700_000_000)
}

pub(crate) const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

/// So many seconds after [`start`].
pub(crate) fn at(after: u64) -> SystemTime {
    start() + secs(after)
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What several threads add to.
#[derive(Debug)]
pub(crate) struct Log<T>(Arc<Mutex<Vec<T>>>);

impl<T> Clone for Log<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: Clone> Log<T> {
    pub(crate) fn new() -> Self {
        Self(Arc::default())
    }

    pub(crate) fn add(&self, it: T) {
        lock(&self.0).push(it);
    }

    pub(crate) fn len(&self) -> usize {
        lock(&self.0).len()
    }

    /// All, and begins anew.
    pub(crate) fn take(&self) -> Vec<T> {
        std::mem::take(&mut *lock(&self.0))
    }
}

impl Log<SystemTime> {
    /// A job that notes the event of each run.
    pub(crate) fn job(&self) -> impl Fn(&RunContext) + Send + Sync + 'static {
        let log = self.clone();
        move |run| log.add(run.scheduled())
    }
}

/// The last millisecond at or before an instant, in milliseconds since 1970.
pub(crate) fn to_millis(time: SystemTime) -> i64 {
    let nanos = match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i128::try_from(after.as_nanos()).expect("a duration of a test"),
        Err(before) => -i128::try_from(before.duration().as_nanos()).expect("the same"),
    };
    i64::try_from(nanos.div_euclid(1_000_000)).expect("within 300 million years")
}

/// The instant at a number of milliseconds since 1970.
pub(crate) fn from_millis(millis: i64) -> SystemTime {
    let distance = Duration::from_millis(millis.unsigned_abs());
    if millis < 0 { UNIX_EPOCH - distance } else { UNIX_EPOCH + distance }
}

/// The events after one instant, up to and including another.
pub(crate) fn events(
    recurrence: &impl Recurrence,
    after: SystemTime,
    until: SystemTime,
) -> Vec<SystemTime> {
    let until = to_millis(until);
    let next = |event: &i64| recurrence.next_event(*event).filter(|event| *event <= until);
    std::iter::successors(next(&to_millis(after)), next).map(from_millis).collect()
}

/// Does something that may hang, which is a failure after a minute and a half.
pub(crate) fn watched<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    watched_for(secs(90), work)
}

/// The same, of what takes longer.
pub(crate) fn watched_for<T: Send + 'static>(
    most: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    let (done, watch) = channel();
    let thread = thread::spawn(move || drop(done.send(work())));
    match watch.recv_timeout(most) {
        Ok(result) => result,
        Err(_) if thread.is_finished() => match thread.join() {
            Err(panic) => std::panic::resume_unwind(panic),
            Ok(()) => unreachable!("it has sent what it has to send"),
        },
        Err(error) => panic!("it hangs: {error}"),
    }
}

/// What is sent, or a failure where nothing is.
pub(crate) fn receive<T>(from: &Receiver<T>) -> T {
    from.recv_timeout(secs(60)).expect("it comes within a minute")
}

/// Waits until something holds.
pub(crate) fn until(mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < secs(60), "it does not happen");
        thread::sleep(Duration::from_millis(1));
    }
}

/// `SplitMix64` of G. Steele, D. Lea and C. Flood.
#[derive(Clone, Debug)]
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end.max(1)
    }

    pub(crate) fn index(&mut self, end: usize) -> usize {
        usize::try_from(self.below(end as u64)).expect("it is below a usize")
    }

    pub(crate) fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.index(of.len())].clone()
    }

    /// Up to a duration, and never a whole number of microseconds: no event is so.
    pub(crate) fn span(&mut self, most: Duration) -> Duration {
        let micros = u64::try_from(most.as_micros()).expect("it is less than ages");
        Duration::from_nanos(self.below(micros) * 1000 + 1 + self.below(999))
    }
}

/// What became of the events of one job.
#[derive(Debug)]
pub(crate) struct Account {
    /// All that its timetable has, from when it was added on.
    events: Arc<Vec<SystemTime>>,
    /// The first of them that was after that.
    from: usize,
    /// The one that it waited for at first.
    first: Option<usize>,
    /// How often each was told of, from there on.
    told: Vec<u8>,
    /// The first that was cancelled with the job.
    end: Option<usize>,
    /// How many runs were told of that are no events.
    pub(crate) triggered: u64,
    pub(crate) run: u64,
    pub(crate) skipped: u64,
    pub(crate) coalesced: u64,
    pub(crate) cancelled: u64,
}

impl Account {
    pub(crate) fn new(events: &Arc<Vec<SystemTime>>, added: SystemTime) -> Self {
        let from = events.partition_point(|event| *event <= added);
        let told = vec![0; events.len() - from];
        let (triggered, run, skipped, coalesced, cancelled) = (0, 0, 0, 0, 0);
        let events = Arc::clone(events);
        Self {
            events,
            from,
            told,
            first: None,
            end: None,
            triggered,
            run,
            skipped,
            coalesced,
            cancelled,
        }
    }

    /// `latest` is what the clock has shown at the most before it was set back: what
    /// was due then, and waits for a worker, is due.
    pub(crate) fn note(&mut self, event: &Event, latest: SystemTime) {
        match event {
            Event::Added { next, .. } => self.first = self.index(*next),
            Event::Started { run } => {
                let time = run.started().max(latest);
                assert!(time >= run.scheduled(), "before its time: {run:?}");
                self.run += u64::from(self.tell(run.scheduled(), 1, None));
            }
            Event::Skipped { first, last, count, .. } => {
                let is_event = self.tell(*first, *count, Some(*last));
                self.skipped += count * u64::from(is_event);
            }
            Event::Coalesced { first, count, into, .. } => {
                assert!(self.tell(*first, *count, None), "they are events: {event:?}");
                let last = self.index(*first).map(|index| index + index_of(*count));
                assert_eq!(last, self.index(*into), "the run comes next: {event:?}");
                self.coalesced += count;
            }
            Event::Cancelled { due, next, .. } => {
                for event in due {
                    self.cancelled += u64::from(self.tell(*event, 1, None));
                }
                let next = next.map(|next| self.index(next).expect("it is an event"));
                self.end = Some(next.unwrap_or(self.events.len()));
            }
            _ => {}
        }
    }

    fn index(&self, event: SystemTime) -> Option<usize> {
        self.events.binary_search(&event).ok()
    }

    /// So many events were told of, from the first to the last. Returns whether it
    /// was not a run at another time.
    fn tell(&mut self, first: SystemTime, count: u64, last: Option<SystemTime>) -> bool {
        let Some(index) = self.index(first) else {
            assert!(count == 1 && last.is_none_or(|last| last == first), "no events");
            self.triggered += 1;
            return false;
        };
        let range = index..index + index_of(count);
        assert!(last.is_none_or(|last| self.events[range.end - 1] == last), "not so many");
        for told in &mut self.told[range.start - self.from..range.end - self.from] {
            *told += 1;
        }
        true
    }

    /// Each event from the first up to the end was told of once, and no other.
    pub(crate) fn check(&self, name: &str) {
        let (first, end) = self.life().unwrap_or_else(|| panic!("{name} has no end"));
        for (index, told) in (self.from..).zip(&self.told) {
            let is_due = first <= index && index < end;
            assert_eq!(*told, u8::from(is_due), "{name}: {:?}, the {index}th", self.events[index]);
        }
        assert_eq!(self.told(), (end - first) as u64, "{name}");
    }

    /// Whether it has waited for the first event after it was added.
    pub(crate) fn is_whole(&self) -> bool {
        self.first == Some(self.from)
    }

    /// Whether it has come to its end, and was told of all there is to tell.
    pub(crate) fn is_complete(&self) -> bool {
        self.life().is_some_and(|(first, end)| self.told() == (end - first) as u64)
    }

    fn life(&self) -> Option<(usize, usize)> {
        Some((self.first?, self.end?))
    }

    /// How many events were told of.
    pub(crate) fn told(&self) -> u64 {
        self.run + self.skipped + self.coalesced + self.cancelled
    }
}

fn index_of(count: u64) -> usize {
    usize::try_from(count).expect("it is a number of things in memory")
}

/// The job of an event.
pub(crate) fn job_of(event: &Event) -> &JobName {
    match event {
        Event::Started { run } | Event::Finished { run, .. } => run.job_name(),
        Event::Added { job, .. }
        | Event::Skipped { job, .. }
        | Event::Coalesced { job, .. }
        | Event::Paused { job }
        | Event::Resumed { job }
        | Event::Rescheduled { job, .. }
        | Event::Cancelled { job, .. }
        | Event::Exhausted { job } => job,
        other => panic!("a new kind of event: {other:?}"),
    }
}

/// The seconds from [`start`] on.
pub(crate) fn after(time: SystemTime) -> u64 {
    time.duration_since(start()).expect("it is later").as_secs()
}

/// An event in short.
pub(crate) fn short(event: &Event) -> String {
    match event {
        Event::Added { next, .. } => format!("added {}", after(*next)),
        Event::Started { run } => {
            format!("run {} +{}", after(run.scheduled()), run.coalesced())
        }
        Event::Finished { run, outcome, .. } => {
            format!("end {} {outcome:?}", after(run.scheduled()))
        }
        Event::Skipped { first, last, count, reason, .. } => {
            format!("skip {}-{} {count} {reason:?}", after(*first), after(*last))
        }
        Event::Coalesced { first, count, into, .. } => {
            format!("coalesce {} {count} {}", after(*first), after(*into))
        }
        Event::Cancelled { due, next, .. } => {
            let due: Vec<u64> = due.iter().copied().map(after).collect();
            format!("cancel {due:?} {:?}", next.map(after))
        }
        Event::Rescheduled { next, .. } => format!("reschedule {:?}", next.map(after)),
        Event::Paused { .. } => "pause".to_owned(),
        Event::Resumed { .. } => "resume".to_owned(),
        Event::Exhausted { .. } => "over".to_owned(),
        other => panic!("a new kind of event: {other:?}"),
    }
}
