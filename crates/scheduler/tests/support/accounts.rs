//! Accounts of the events of jobs.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::SystemTime;

use millicron_scheduler::Event;

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
    /// The instants of the runs whose next attempt was announced.
    retrying: BTreeSet<SystemTime>,
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
            retrying: BTreeSet::new(),
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
            Event::Started { run } if run.attempt() > 1 => self.end_retries(&[run.scheduled()]),
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
            Event::Finished { run, retry_after: Some(_), .. } => {
                assert!(self.retrying.insert(run.scheduled()), "{run:?}");
            }
            Event::RetriesCancelled { retries, .. } => self.end_retries(retries),
            Event::Cancelled { due, retries, next, .. } => {
                self.end_retries(retries);
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

    /// Records that the next attempts of runs have started or were cancelled.
    fn end_retries(&mut self, runs: &[SystemTime]) {
        for run in runs {
            assert!(self.retrying.remove(run), "the attempt was announced: {run:?}");
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

    /// Asserts that every event from the first up to the end was reported once, and no others, and that
    /// each attempt that was announced has started or was cancelled.
    pub(crate) fn check(&self, name: &str) {
        assert!(self.retrying.is_empty(), "{name}: {:?} are not retried", self.retrying);
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
