//! Random operations on a history, compared with a model of plain maps that are searched linearly.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use millicron_history::{
    Claim, ClaimError, ClaimOutcome, Claims, RunQuery, RunRecord, RunState, StartedRun,
};

/// A job, a range, whether to read only successes, whether to read the newest first, and how many
/// runs to skip and to read.
type Query = (String, (i64, i64), (bool, bool), (u64, u64));

#[derive(Clone, Debug)]
pub(crate) enum Operation {
    Record(String, i64),
    RecordState(String, i64, RunState),
    States(String, i64, i64, usize),
    Successes(String, i64, i64, usize),
    First(String, i64),
    State(String, i64),
    Read(Vec<Query>),
    Started,
    Forget(String, i64, i64),
    ForgetAll(Vec<(String, i64, i64)>),
    DropBefore(Vec<(String, i64)>),
    KeepLast(Vec<(String, u64)>),
    /// The last number is the lease in microseconds, as in `Renew`.
    Claim(String, i64, String, u64),
    /// This and the next three choose one of the claims granted so far.
    Renew(usize, u64),
    Release(usize),
    RecordClaimed(usize, RunRecord),
    TakeOver(usize, String, u64),
    /// Sets the clock forward or back.
    Advance(i64),
    RecordRuns(Vec<(String, i64, RunRecord)>),
    Reopen,
}

#[derive(Clone, Debug)]
struct Held {
    owner: String,
    token: i64,
    started: i64,
    attempts: u32,
    expires: i64,
}

/// What a history should contain, and the clock that it reads.
#[derive(Default)]
pub(crate) struct Model {
    runs: BTreeMap<(String, i64), RunRecord>,
    held: BTreeMap<(String, i64), Held>,
    granted: Vec<Claim>,
    clock: Arc<AtomicI64>,
}

impl Model {
    /// Returns the clock to create a history with.
    pub(crate) fn clock(&self) -> impl Fn() -> i64 + Send + Sync + 'static {
        let clock = Arc::clone(&self.clock);
        move || clock.load(Ordering::Relaxed)
    }

    fn now(&self) -> i64 {
        self.clock.load(Ordering::Relaxed)
    }

    fn expires(&self, lease: u64) -> i64 {
        let millis = lease / 1_000 + u64::from(!lease.is_multiple_of(1_000));
        self.now().saturating_add_unsigned(millis.max(1))
    }

    pub(crate) fn states(&self, job: &str, start: i64, end: i64) -> Vec<(i64, RunState)> {
        let runs = self.runs.iter().filter(|((of, at), _)| of == job && start <= *at && *at <= end);
        runs.map(|((_, at), record)| (*at, record.state)).collect()
    }

    fn successes(&self, job: &str, start: i64, end: i64) -> Vec<i64> {
        let mut states = self.states(job, start, end);
        states.retain(|(_, state)| *state == RunState::Succeeded);
        states.into_iter().map(|(at, _)| at).collect()
    }

    pub(crate) fn record(&mut self, job: &str, at: i64, record: impl Into<RunRecord>) {
        self.runs.insert((job.to_owned(), at), record.into());
    }

    fn drop_before(&mut self, before: &[(&str, i64)]) {
        let is_early =
            |job: &str, at| before.iter().any(|(of, instant)| *of == job && at < *instant);
        let now = self.now();
        self.runs.retain(|(job, at), _| !is_early(job, *at));
        self.held.retain(|(job, at), held| !is_early(job, *at) || held.expires > now);
    }

    /// Returns the instant of the first of a job's last `count` runs.
    fn oldest_of_last(&self, job: &str, count: u64) -> Option<i64> {
        let states = self.states(job, i64::MIN, i64::MAX);
        let count = usize::try_from(count.max(1)).unwrap_or(usize::MAX);
        let first = states.len().checked_sub(count)?;
        states.get(first).map(|(at, _)| *at)
    }

    fn forget(&mut self, job: &str, start: i64, end: i64) {
        let is_kept = |of: &str, at: i64| of != job || at < start || end < at;
        self.runs.retain(|(of, at), _| is_kept(of, *at));
        self.held.retain(|(of, at), _| is_kept(of, *at));
    }

    /// Returns a granted claim, and whether it is still held.
    fn claim(&self, index: usize) -> Option<(Claim, bool)> {
        let claim = self.granted.get(index.checked_rem(self.granted.len())?)?.clone();
        let held = self.held.get(&(claim.job.to_string(), claim.scheduled));
        let is_held = held.is_some_and(|held| held.token == claim.token);
        Some((claim, is_held))
    }

    /// Applies an operation to a history and to the model, which must agree.
    pub(crate) fn apply<H: Claims<Error: Debug>>(
        &mut self,
        history: &mut H,
        operation: &Operation,
    ) {
        match operation {
            Operation::Record(job, at) => {
                history.record(job, *at).expect("the record succeeds");
                self.record(job, *at, RunState::Succeeded);
            }
            Operation::RecordState(job, at, state) => {
                history.record_state(job, *at, *state).expect("the record succeeds");
                self.record(job, *at, *state);
            }
            Operation::RecordRuns(runs) => {
                let listed = runs.iter().map(|(job, at, record)| (&**job, *at, *record));
                history.record_runs(&listed.collect::<Vec<_>>()).expect("the records succeed");
                for (job, at, record) in runs {
                    self.record(job, *at, *record);
                }
            }
            Operation::Forget(job, start, end) => {
                history.forget(job, *start..=*end).expect("the removal succeeds");
                self.forget(job, *start, *end);
            }
            Operation::ForgetAll(ranges) => {
                let runs = ranges.iter().map(|(job, start, end)| (&**job, *start..=*end));
                history.forget_all(&runs.collect::<Vec<_>>()).expect("the removal succeeds");
                for (job, start, end) in ranges {
                    self.forget(job, *start, *end);
                }
            }
            Operation::DropBefore(jobs) => {
                let before: Vec<_> = jobs.iter().map(|(job, at)| (&**job, *at)).collect();
                history.drop_before(&before).expect("the removal succeeds");
                self.drop_before(&before);
            }
            Operation::KeepLast(jobs) => {
                let counts: Vec<_> = jobs.iter().map(|(job, count)| (&**job, *count)).collect();
                history.keep_last(&counts).expect("the removal succeeds");
                let before = counts
                    .iter()
                    .filter_map(|(job, count)| Some((*job, self.oldest_of_last(job, *count)?)));
                self.drop_before(&before.collect::<Vec<_>>());
            }
            Operation::Advance(by) => {
                self.clock.fetch_add(*by, Ordering::Relaxed);
            }
            Operation::Reopen => {}
            Operation::States(..)
            | Operation::Successes(..)
            | Operation::First(..)
            | Operation::State(..)
            | Operation::Read(..)
            | Operation::Started => self.read(history, operation),
            Operation::Claim(..)
            | Operation::Renew(..)
            | Operation::Release(..)
            | Operation::RecordClaimed(..)
            | Operation::TakeOver(..) => self.apply_claim(history, operation),
        }
    }

    fn read<H: Claims<Error: Debug>>(&self, history: &H, operation: &Operation) {
        match operation {
            Operation::States(job, start, end, stop) => {
                let mut expected = self.states(job, *start, *end);
                expected.truncate((*stop).max(1));
                assert_eq!(states(history, job, (*start, *end), *stop), expected);
            }
            Operation::Successes(job, start, end, stop) => {
                let mut expected = self.successes(job, *start, *end);
                expected.truncate((*stop).max(1));
                let mut found = Vec::new();
                let visited = history.successes(job, *start..=*end, &mut |success| {
                    found.push(success);
                    flow(found.len() < *stop)
                });
                visited.expect("the read succeeds");
                assert_eq!(found, expected);
            }
            Operation::First(job, at) => {
                let first = history.first_at_or_after(job, *at).expect("the read succeeds");
                assert_eq!(first, self.successes(job, *at, i64::MAX).first().copied());
            }
            Operation::State(job, at) => {
                let state = history.state(job, *at).expect("the read succeeds");
                let record = self.runs.get(&(job.clone(), *at));
                assert_eq!(state, record.map(|record| record.state));
                assert_eq!(history.run(job, *at).expect("the read succeeds"), record.copied());
                let last = self.runs.iter().rfind(|((of, _), _)| of == job);
                let last = last.map(|((_, at), record)| (*at, *record));
                assert_eq!(history.last_run(job).expect("the read succeeds"), last);
            }
            Operation::Read(queries) => self.read_all(history, queries),
            Operation::Started => {
                let started = history.started_runs().expect("the read succeeds");
                assert_eq!(started, self.started().collect::<Vec<_>>());
            }
            _ => unreachable!("a read"),
        }
    }

    fn read_all<H: Claims<Error: Debug>>(&self, history: &H, queries: &[Query]) {
        let mut expected = Vec::new();
        let mut listed = Vec::new();
        for (index, query) in queries.iter().enumerate() {
            let (job, (start, end), (only_successes, is_newest_first), (skip, limit)) = query;
            listed.push(RunQuery {
                job,
                range: *start..=*end,
                only_successes: *only_successes,
                is_newest_first: *is_newest_first,
                skip: *skip,
                limit: *limit,
            });
            let runs = self.runs.iter().map(|((of, at), record)| (of, *at, *record));
            let mut runs: Vec<_> = runs
                .filter(|(of, at, record)| {
                    let is_selected = !only_successes || record.state == RunState::Succeeded;
                    *of == job && start <= at && at <= end && is_selected
                })
                .map(|(_, at, record)| (index, at, record))
                .collect();
            if *is_newest_first {
                runs.reverse();
            }
            let [skip, limit] = [skip, limit].map(|it| usize::try_from(*it).unwrap_or(usize::MAX));
            expected.extend(runs.into_iter().skip(skip).take(limit));
        }
        // Once to the end, and once to a run in the middle.
        for stop in [usize::MAX, expected.len().div_ceil(2).max(1)] {
            let mut found = Vec::new();
            let read = history.read(&listed, &mut |index, at, record| {
                found.push((index, at, record));
                flow(found.len() < stop)
            });
            read.expect("the read succeeds");
            assert_eq!(found, expected[..stop.min(expected.len())]);
        }
    }

    fn started(&self) -> impl Iterator<Item = StartedRun> {
        let started = self.held.iter().filter(|(run, _)| !self.runs.contains_key(*run));
        started.map(|((job, scheduled), held)| StartedRun {
            claim: Claim { job: job.as_str().into(), scheduled: *scheduled, token: held.token },
            owner: held.owner.as_str().into(),
            started: held.started,
            attempts: held.attempts,
            expires: held.expires,
            has_expired: held.expires <= self.now(),
        })
    }

    fn apply_claim<H: Claims<Error: Debug>>(&mut self, history: &mut H, operation: &Operation) {
        let index = match operation {
            Operation::Claim(job, at, owner, lease) => {
                return self.apply_new_claim(history, (job, *at), owner, *lease);
            }
            Operation::Renew(index, _)
            | Operation::Release(index)
            | Operation::RecordClaimed(index, _)
            | Operation::TakeOver(index, ..) => *index,
            _ => unreachable!("a claim"),
        };
        let Some((claim, is_held)) = self.claim(index) else { return };
        let key = (claim.job.to_string(), claim.scheduled);
        match operation {
            Operation::Renew(_, lease) => {
                let renewed = history.renew(&claim, Duration::from_micros(*lease));
                assert_eq!(succeeded(renewed), is_held);
                let expires = self.expires(*lease);
                if is_held && let Some(held) = self.held.get_mut(&key) {
                    held.expires = expires;
                }
            }
            Operation::Release(_) => assert_eq!(succeeded(history.release(&claim)), is_held),
            Operation::RecordClaimed(_, record) => {
                assert_eq!(succeeded(history.record_claimed_run(&claim, *record)), is_held);
                if let Some(held) = self.held.get(&key).filter(|_| is_held) {
                    let record = RunRecord {
                        state: record.state,
                        started: record.started.or(Some(held.started)),
                        ended: record.ended.or(Some(self.now())),
                        attempts: record.attempts.or(Some(held.attempts)),
                    };
                    self.record(&claim.job, claim.scheduled, record);
                }
            }
            Operation::TakeOver(_, owner, lease) => {
                let taken = history.take_over(&claim, owner, Duration::from_micros(*lease));
                return match taken {
                    Ok(new) => {
                        assert!(is_held);
                        self.grant(key, new, owner, *lease);
                    }
                    Err(ClaimError::Lost) => assert!(!is_held),
                    Err(ClaimError::History(error)) => panic!("{error:?}"),
                };
            }
            _ => unreachable!("a claim"),
        }
        if is_held && !matches!(operation, Operation::Renew(..)) {
            self.held.remove(&key);
        }
    }

    fn apply_new_claim<H: Claims<Error: Debug>>(
        &mut self,
        history: &mut H,
        (job, at): (&str, i64),
        owner: &str,
        lease: u64,
    ) {
        let outcome = history.claim(job, at, owner, Duration::from_micros(lease));
        let outcome = outcome.expect("the claim succeeds");
        let key = (job.to_owned(), at);
        if let Some(state) = self.runs.get(&key) {
            assert_eq!(outcome, ClaimOutcome::Ended(state.state));
            return;
        }
        if let Some(Held { owner, expires, .. }) = self.held.get(&key)
            && self.now() < *expires
        {
            let owner = owner.as_str().into();
            assert_eq!(outcome, ClaimOutcome::Held { owner, expires: *expires });
            return;
        }
        let ClaimOutcome::Granted(claim) = outcome else { panic!("{outcome:?}") };
        self.grant(key, claim, owner, lease);
    }

    fn grant(&mut self, run: (String, i64), claim: Claim, owner: &str, lease: u64) {
        assert_eq!((&*claim.job, claim.scheduled), (&*run.0, run.1));
        let last = self.granted.last().map_or(0, |claim| claim.token);
        assert!(claim.token > last, "{} after {last}", claim.token);
        let old = self.held.get(&run).map(|held| (held.started, held.attempts));
        let (started, attempts) = old.unwrap_or((self.now(), 0));
        let (owner, token, attempts) = (owner.to_owned(), claim.token, attempts + 1);
        let expires = self.expires(lease);
        self.held.insert(run, Held { owner, token, started, attempts, expires });
        self.granted.push(claim);
    }

    /// Checks the records of all jobs.
    pub(crate) fn check<H: Claims<Error: Debug>>(&self, history: &H) {
        for (job, _) in self.runs.keys().chain(self.held.keys()) {
            let all = (i64::MIN, i64::MAX);
            assert_eq!(states(history, job, all, usize::MAX), self.states(job, all.0, all.1));
        }
    }
}

/// Returns whether a claim was not lost.
fn succeeded<E: Debug>(result: Result<(), ClaimError<E>>) -> bool {
    match result {
        Ok(()) => true,
        Err(ClaimError::Lost) => false,
        Err(ClaimError::History(error)) => panic!("{error:?}"),
    }
}

fn flow(continues: bool) -> ControlFlow<()> {
    if continues { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
}

/// Returns the states in a range, up to `stop` of them.
fn states<H: Claims<Error: Debug>>(
    history: &H,
    job: &str,
    (start, end): (i64, i64),
    stop: usize,
) -> Vec<(i64, RunState)> {
    let mut states = Vec::new();
    let query = RunQuery::new(job, start..=end);
    let visited = history.read(&[query], &mut |_, at, record| {
        states.push((at, record.state));
        flow(states.len() < stop)
    });
    visited.expect("the read succeeds");
    states
}
