//! Helpers for all tests: accounts of events, and random numbers.

mod schedulers;

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

#[cfg(all(feature = "tokio", unix))]
pub(crate) use self::schedulers::child;
pub(crate) use self::schedulers::{builder, held, in_child, logged, scheduler, simulator};
use millicron::Recurrence;
use millicron_scheduler::{Event, RunContext};
pub(crate) use millicron_test_support::scaled;
pub(crate) use millicron_test_support::threads::{Log, lock, receive, until, watched, watched_for};

/// 2023-11-14 22:13:20 UTC.
pub(crate) fn start() -> SystemTime {
    UNIX_EPOCH + secs(1_700_000_000)
}

pub(crate) const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

/// The instant this many seconds after [`start`].
pub(crate) fn at(after: u64) -> SystemTime {
    start() + secs(after)
}

pub(crate) trait LogRuns {
    /// Returns a job that logs the scheduled instant of each run.
    fn job(&self) -> impl Fn(RunContext) + Send + Sync + 'static;
}

impl LogRuns for Log<SystemTime> {
    fn job(&self) -> impl Fn(RunContext) + Send + Sync + 'static {
        let log = self.clone();
        move |run| log.add(run.scheduled())
    }
}

/// The last millisecond at or before an instant, in milliseconds since 1970.
pub(crate) fn to_millis(time: SystemTime) -> i64 {
    let nanos = match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i128::try_from(after.as_nanos()).expect("the duration is short"),
        Err(before) => {
            -i128::try_from(before.duration().as_nanos()).expect("the duration is short")
        }
    };
    i64::try_from(nanos.div_euclid(1_000_000)).expect("the instant is within 300 million years")
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
        usize::try_from(self.below(end as u64)).expect("the number is below a `usize`")
    }

    pub(crate) fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.index(of.len())].clone()
    }

    /// Returns a duration up to a maximum that is not a whole number of microseconds, so it never
    /// coincides with an event. Some platforms have system times in steps of 100 nanoseconds.
    pub(crate) fn span(&mut self, most: Duration) -> Duration {
        let micros = u64::try_from(most.as_micros()).expect("the duration is short");
        Duration::from_nanos(self.below(micros) * 1000 + 100 * (1 + self.below(9)))
    }
}

/// How the events of one job were reported.
#[derive(Debug)]
pub(crate) struct Account {
    /// The events of its schedule.
    events: Arc<Vec<SystemTime>>,
    /// The index of the first event after the job was added.
    from: usize,
    /// The index of the event that the job first waited for, as reported.
    first: Option<usize>,
    /// How often each event from `from` on was reported.
    reported: Vec<u8>,
    /// The index of the first event that was cancelled with the job, or is after the job's end.
    end: Option<usize>,
    /// The instant at which the job ends, if it has one.
    ending: Option<SystemTime>,
    /// The number of reported runs that are not events.
    pub(crate) triggered: u64,
    pub(crate) run: u64,
    pub(crate) skipped: u64,
    pub(crate) coalesced: u64,
    pub(crate) cancelled: u64,
}

impl Account {
    pub(crate) fn new(events: &Arc<Vec<SystemTime>>, added: SystemTime) -> Self {
        let from = events.partition_point(|event| *event <= added);
        let reported = vec![0; events.len() - from];
        let (triggered, run, skipped, coalesced, cancelled) = (0, 0, 0, 0, 0);
        let events = Arc::clone(events);
        Self {
            events,
            from,
            reported,
            first: None,
            end: None,
            ending: None,
            triggered,
            run,
            skipped,
            coalesced,
            cancelled,
        }
    }

    /// Returns the account of a job that ends at an instant.
    pub(crate) fn ending(self, ending: SystemTime) -> Self {
        Self { ending: Some(ending), ..self }
    }

    /// Records an event. `latest` is the latest time that the clock showed before it was set back:
    /// runs that were due then stay due.
    pub(crate) fn note(&mut self, event: &Event, latest: SystemTime) {
        match event {
            Event::Added { next, .. } => self.first = self.index(*next),
            // The event of a retry was already counted for the first attempt.
            Event::Started { run } if run.attempt() > 1 => {}
            Event::Started { run } => {
                let time = run.started().max(latest);
                let is_event = self.index(run.scheduled()).is_some();
                assert!(!is_event || time >= run.scheduled(), "the run is early: {run:?}");
                self.run += u64::from(self.report(run.scheduled(), 1, None));
            }
            Event::Skipped { first, last, count, .. } => {
                let is_event = self.report(*first, *count, Some(*last));
                self.skipped += count * u64::from(is_event);
            }
            Event::Coalesced { first, count, into, .. } => {
                assert!(
                    self.report(*first, *count, None),
                    "the coalesced instants are events: {event:?}"
                );
                let last = self.index(*first).map(|index| index + index_of(*count));
                assert_eq!(
                    last,
                    self.index(*into),
                    "the run comes right after the coalesced events: {event:?}"
                );
                self.coalesced += count;
            }
            Event::Cancelled { due, next, .. } => {
                for event in due {
                    self.cancelled += u64::from(self.report(*event, 1, None));
                }
                let next = next.map(|next| self.index(next).expect("the instant is an event"));
                self.end = Some(next.unwrap_or_else(|| self.last_end()));
            }
            Event::Exhausted { .. } => self.end = Some(self.last_end()),
            _ => {}
        }
    }

    /// Returns the index after the last event of a job that has ended. Later events of its schedule
    /// do not count.
    fn last_end(&self) -> usize {
        let after_last = self.reported.iter().rposition(|reported| *reported > 0);
        let reported = self.from + after_last.map_or(0, |last| last + 1);
        let ended = |end| self.events.partition_point(|event| *event <= end);
        self.ending.map_or(reported, ended)
    }

    fn index(&self, event: SystemTime) -> Option<usize> {
        self.events.binary_search(&event).ok()
    }

    /// Counts `count` reported events, from the first to the last. Returns whether they are events
    /// of the schedule, rather than a triggered run.
    fn report(&mut self, first: SystemTime, count: u64, last: Option<SystemTime>) -> bool {
        let Some(index) = self.index(first) else {
            assert!(
                count == 1 && last.is_none_or(|last| last == first),
                "only one triggered run is reported at once"
            );
            self.triggered += 1;
            return false;
        };
        let range = index..index + index_of(count);
        assert!(
            last.is_none_or(|last| self.events[range.end - 1] == last),
            "the last event does not match the count"
        );
        for reported in &mut self.reported[range.start - self.from..range.end - self.from] {
            *reported += 1;
        }
        true
    }

    /// Asserts that every event from the first up to the end was reported once, and no others.
    pub(crate) fn check(&self, name: &str) {
        let (first, end) = self.life().unwrap_or_else(|| panic!("{name} was not cancelled"));
        for (index, reported) in (self.from..).zip(&self.reported) {
            let is_due = first <= index && index < end;
            assert_eq!(
                *reported,
                u8::from(is_due),
                "{name}: {:?}, the {index}th",
                self.events[index]
            );
        }
        assert_eq!(self.reported(), (end - first) as u64, "{name}");
    }

    /// Returns whether the job first waited for the first event after it was added.
    pub(crate) fn is_whole(&self) -> bool {
        self.first == Some(self.from)
    }

    /// Returns whether the job was cancelled, and all its events have been reported.
    pub(crate) fn is_complete(&self) -> bool {
        self.life().is_some_and(|(first, end)| self.reported() == (end - first) as u64)
    }

    fn life(&self) -> Option<(usize, usize)> {
        Some((self.first?, self.end?))
    }

    /// Returns the number of reported events.
    pub(crate) fn reported(&self) -> u64 {
        self.run + self.skipped + self.coalesced + self.cancelled
    }
}

fn index_of(count: u64) -> usize {
    usize::try_from(count).expect("the count fits in memory")
}

/// The seconds from [`start`] to an instant.
pub(crate) fn after(time: SystemTime) -> u64 {
    time.duration_since(start()).expect("the instant is after the start").as_secs()
}

/// A short form of an event.
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
        Event::Cancelled { due, retries, next, .. } => {
            let due: Vec<u64> = due.iter().copied().map(after).collect();
            let retries: Vec<u64> = retries.iter().copied().map(after).collect();
            let retries =
                if retries.is_empty() { String::new() } else { format!(" retries {retries:?}") };
            format!("cancel {due:?} {:?}{retries}", next.map(after))
        }
        Event::Rescheduled { next, .. } => format!("reschedule {:?}", next.map(after)),
        Event::Paused { .. } => "pause".to_owned(),
        Event::Resumed { .. } => "resume".to_owned(),
        Event::Exhausted { .. } => "over".to_owned(),
        Event::TimedOut { run, .. } => format!("time-out {}", after(run.scheduled())),
        Event::ClockSetBack { by } => format!("set back {}", by.as_secs()),
        other => panic!("unexpected kind of event: {other:?}"),
    }
}
