//! [`Outputs`]: what the last runs have written.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many bytes of a run are kept: the last ones.
const MOST_OF_RUN: usize = 64 * 1024;
/// How many runs of a job are kept.
const MOST_OF_JOB: usize = 10;
/// How many bytes are kept in all.
const MOST: usize = 64 * 1024 * 1024;

/// What the last runs have written, to both streams, in the order in which it was read.
#[derive(Debug, Default)]
pub(super) struct Outputs(Mutex<KeptOutputs>);

/// Tells the runs of a job apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunKey {
    /// The instant for which a run was scheduled, in microseconds.
    pub(super) scheduled: i64,
    /// When it has started, in milliseconds.
    pub(super) started: Option<i64>,
}

#[derive(Debug, Default)]
struct KeptOutputs {
    /// The runs of each job, the oldest first.
    jobs: HashMap<String, VecDeque<RunOutput>>,
    /// The job of each run, by age.
    ages: BTreeMap<u64, String>,
    bytes: usize,
    age: u64,
}

#[derive(Debug)]
struct RunOutput {
    /// The instant for which it was scheduled, in microseconds.
    scheduled: i64,
    /// When it has started, in milliseconds, if that is known.
    started: Option<i64>,
    age: u64,
    /// How many bytes before those that are kept were dropped.
    dropped: u64,
    bytes: VecDeque<u8>,
    /// How many of its attempts have ended whose output was not read to the end yet.
    unread: usize,
}

impl Outputs {
    fn lock(&self) -> MutexGuard<'_, KeptOutputs> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that a run has started, in milliseconds: what is added from now on is not of an earlier one that was
    /// scheduled for the same instant.
    pub(super) fn begin(&self, job: &str, scheduled: i64, started: i64) {
        self.lock().place(job, scheduled, Some(started));
    }

    /// Adds what a run has written. Without its start, it is the one that has started last.
    pub(super) fn add(&self, job: &str, scheduled: i64, started: Option<i64>, bytes: &[u8]) {
        self.lock().add(job, scheduled, started, bytes);
    }

    /// Notes that an attempt of a run has ended, some of whose output may not be added yet.
    pub(super) fn end(&self, job: &str, scheduled: i64, started: Option<i64>) {
        let mut state = self.lock();
        let place = state.place(job, scheduled, started);
        if let Some(run) = state.jobs.get_mut(job).and_then(|runs| runs.get_mut(place)) {
            run.unread += 1;
        }
    }

    /// Notes that all output of an attempt that has ended was added.
    pub(super) fn set_read(&self, job: &str, scheduled: i64, started: Option<i64>) {
        let mut state = self.lock();
        let place = state.position(job, scheduled, started);
        let runs = state.jobs.get_mut(job);
        if let Some(run) = runs.and_then(|runs| runs.get_mut(place?)) {
            run.unread = run.unread.saturating_sub(1);
        }
    }

    /// Whether all output of the attempts that have ended was added.
    pub(super) fn is_read(&self, job: &str, run: RunKey) -> bool {
        self.lock().find(job, run).is_none_or(|run| run.unread == 0)
    }

    /// Whether a run has written something that is kept.
    pub(super) fn has(&self, job: &str, run: RunKey) -> bool {
        self.lock().find(job, run).is_some_and(|run| !run.bytes.is_empty())
    }

    /// Returns what a run has written, from a position on, with the position of the first byte.
    pub(super) fn read(&self, job: &str, run: RunKey, from: u64) -> Option<(u64, Vec<u8>)> {
        let state = self.lock();
        let run = state.find(job, run)?;
        let skipped = usize::try_from(from.saturating_sub(run.dropped)).unwrap_or(usize::MAX);
        let skipped = skipped.min(run.bytes.len());
        let start = run.dropped + skipped as u64;
        Some((start, run.bytes.iter().skip(skipped).copied().collect()))
    }
}

impl KeptOutputs {
    fn find(&self, job: &str, key: RunKey) -> Option<&RunOutput> {
        let is_it = |run: &&RunOutput| {
            run.scheduled == key.scheduled
                && run.started.is_none_or(|started| key.started == Some(started))
        };
        self.jobs.get(job)?.iter().rev().find(is_it)
    }

    /// Returns the place of a run, or without its start of the one that has started last. Adds it if it is not there.
    fn place(&mut self, job: &str, scheduled: i64, started: Option<i64>) -> usize {
        let place = self.position(job, scheduled, started);
        place.unwrap_or_else(|| self.push(job, scheduled, started))
    }

    fn position(&self, job: &str, scheduled: i64, started: Option<i64>) -> Option<usize> {
        let is_it = |run: &RunOutput| {
            run.scheduled == scheduled && (started.is_none() || run.started == started)
        };
        self.jobs.get(job)?.iter().rposition(is_it)
    }

    /// Adds a run in place of those that have written nothing, and drops the oldest one if there are too many. Returns
    /// the place of the new one.
    fn push(&mut self, job: &str, scheduled: i64, started: Option<i64>) -> usize {
        self.age += 1;
        let (age, bytes) = (self.age, VecDeque::new());
        let runs = self.jobs.entry(job.to_owned()).or_default();
        // There may be very many jobs that never write.
        let is_silent = |run: &RunOutput| run.bytes.is_empty() && run.unread == 0;
        for run in runs.iter().filter(|run| is_silent(run)) {
            self.ages.remove(&run.age);
        }
        runs.retain(|run| !is_silent(run));
        self.ages.insert(age, job.to_owned());
        runs.push_back(RunOutput { scheduled, started, age, dropped: 0, bytes, unread: 0 });
        if runs.len() > MOST_OF_JOB
            && let Some(oldest) = runs.pop_front()
        {
            self.bytes -= oldest.bytes.len();
            self.ages.remove(&oldest.age);
        }
        runs.len() - 1
    }

    fn add(&mut self, job: &str, scheduled: i64, started: Option<i64>, mut bytes: &[u8]) {
        let place = self.place(job, scheduled, started);
        let Some(run) = self.jobs.get_mut(job).and_then(|runs| runs.get_mut(place)) else { return };
        if bytes.len() > MOST_OF_RUN {
            let (first, last) = bytes.split_at(bytes.len() - MOST_OF_RUN);
            (run.dropped, bytes) = (run.dropped + first.len() as u64, last);
        }
        let surplus = (run.bytes.len() + bytes.len()).saturating_sub(MOST_OF_RUN);
        run.bytes.drain(..surplus);
        run.dropped += surplus as u64;
        run.bytes.extend(bytes);
        self.bytes = self.bytes + bytes.len() - surplus;
        while self.bytes > MOST
            && let Some((age, job)) = self.ages.pop_first()
        {
            self.drop_run(&job, age);
        }
    }

    fn drop_run(&mut self, job: &str, age: u64) {
        let Some(runs) = self.jobs.get_mut(job) else { return };
        let index = runs.iter().position(|run| run.age == age);
        if let Some(run) = index.and_then(|index| runs.remove(index)) {
            self.bytes -= run.bytes.len();
        }
        if runs.is_empty() {
            self.jobs.remove(job);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST, MOST_OF_JOB, MOST_OF_RUN, Outputs, RunKey};

    fn run(scheduled: i64) -> RunKey {
        RunKey { scheduled, started: Some(scheduled / 1000) }
    }

    #[test]
    fn the_last_bytes_of_a_run_are_kept() {
        let outputs = Outputs::default();
        assert!(!outputs.has("job", run(1)) && outputs.read("job", run(1), 0).is_none());
        outputs.add("job", 1, None, b"hello ");
        outputs.add("job", 1, None, b"world");
        assert_eq!(outputs.read("job", run(1), 0), Some((0, b"hello world".to_vec())));
        assert_eq!(outputs.read("job", run(1), 6), Some((6, b"world".to_vec())));
        assert_eq!(outputs.read("job", run(1), 99), Some((11, Vec::new())));
        for size in [10, MOST_OF_RUN, MOST_OF_RUN + 7, 3 * MOST_OF_RUN] {
            let outputs = Outputs::default();
            outputs.add("job", 1, None, b"first");
            outputs.add("job", 1, None, &vec![b'x'; size]);
            let (start, bytes) = outputs.read("job", run(1), 0).expect("it is kept");
            assert_eq!(start + bytes.len() as u64, 5 + size as u64);
            assert_eq!(bytes.len(), MOST_OF_RUN.min(5 + size));
            let (rest, bytes) = outputs.read("job", run(1), start + 3).expect("it is kept");
            assert_eq!((rest, bytes.len()), (start + 3, MOST_OF_RUN.min(5 + size) - 3));
        }
    }

    #[test]
    fn the_last_runs_are_kept() {
        let outputs = Outputs::default();
        for run in 0..=10 {
            outputs.add("job", run, None, b"x");
        }
        assert!(!outputs.has("job", run(0)));
        assert!((1..=10).all(|it| outputs.has("job", run(it))));
        let jobs = MOST / MOST_OF_RUN / MOST_OF_JOB;
        let full = vec![b'x'; MOST_OF_RUN];
        for job in 0..=jobs {
            for run in 0..10 {
                outputs.add(&job.to_string(), run, None, &full);
            }
        }
        assert!(outputs.lock().bytes <= MOST);
        // The oldest of all were dropped.
        assert!(!outputs.has("job", run(10)) && !outputs.has("0", run(0)));
        assert!(outputs.has(&jobs.to_string(), run(0)));
        assert!(!outputs.lock().jobs.contains_key("job"));
    }

    #[test]
    fn a_run_for_the_instant_of_an_earlier_one_has_its_own_output() {
        let outputs = Outputs::default();
        let key = |started| RunKey { scheduled: 1, started: Some(started) };
        let texts: [&[u8]; 4] = [b"", b"first", b"", b"second"];
        for (started, text) in (0..).zip(texts) {
            outputs.begin("job", 1, started);
            assert!(!outputs.has("job", key(started)));
            outputs.add("job", 1, None, text);
        }
        for (started, text) in (0..).zip(texts) {
            assert_eq!(outputs.has("job", key(started)), !text.is_empty());
            let output = (!text.is_empty()).then(|| (0, text.to_vec()));
            assert_eq!(outputs.read("job", key(started), 0), output);
        }
    }

    #[test]
    fn output_may_arrive_before_the_start() {
        let outputs = Outputs::default();
        let key = |started| RunKey { scheduled: 1, started: Some(started) };
        let texts: [&[u8]; 2] = [b"first", b"second"];
        for (started, text) in (0..).zip(texts) {
            outputs.add("job", 1, Some(started), text);
            outputs.begin("job", 1, started);
        }
        for (started, text) in (0..).zip(texts) {
            assert_eq!(outputs.read("job", key(started), 0), Some((0, text.to_vec())));
        }
        // Of another attempt.
        outputs.add("job", 1, None, b" and last");
        assert_eq!(outputs.read("job", key(1), 0), Some((0, b"second and last".to_vec())));
    }

    #[test]
    fn output_is_read_once_that_of_all_attempts_that_have_ended_is() {
        let outputs = Outputs::default();
        let key = RunKey { scheduled: 1, started: Some(0) };
        outputs.begin("job", 1, 0);
        assert!(outputs.is_read("job", key));
        outputs.end("job", 1, Some(0));
        outputs.end("job", 1, None);
        // It is not forgotten.
        outputs.begin("job", 2, 0);
        for (started, is_read) in [(Some(0), false), (None, true)] {
            assert!(!outputs.is_read("job", key));
            outputs.add("job", 1, started, b"x");
            outputs.set_read("job", 1, started);
            assert_eq!(outputs.is_read("job", key), is_read);
        }
        assert_eq!(outputs.read("job", key, 0), Some((0, b"xx".to_vec())));
    }

    #[test]
    fn silent_runs_do_not_push_out_others() {
        let outputs = Outputs::default();
        for run in 0..100 {
            outputs.begin("job", run, 0);
            if run < 5 {
                outputs.add("job", run, None, b"x");
            }
        }
        let key = |scheduled| RunKey { scheduled, started: Some(0) };
        assert!((0..5).all(|run| outputs.has("job", key(run))));
        // And the one that may still write.
        assert_eq!(outputs.lock().ages.len(), 5 + 1);
    }
}
