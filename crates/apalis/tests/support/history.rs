//! A history that fails or hangs on demand.

use std::fmt;
use std::ops::{ControlFlow, RangeInclusive};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use millicron_pipeline::{
    Claim, ClaimError, ClaimOutcome, Claims, History, RunQuery, RunRecord, SqliteError,
    SqliteHistory, StartedRun,
};

/// A method of a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    Read,
    Claim,
    Renew,
    Release,
}

/// How future calls behave.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Behavior {
    #[default]
    Work,
    Fail(Call),
    /// The calls of a method hang until the behavior is changed.
    Hang(Call),
    /// Each call of a method takes a while.
    Delay(Call, Duration),
}

/// The history of a machine, which records its calls.
pub(crate) struct FaultyHistory {
    inner: SqliteHistory,
    faults: Faults,
}

/// Decides how the calls of a [`FaultyHistory`] behave.
#[derive(Clone, Default)]
pub(crate) struct Faults(Arc<(Mutex<State>, Condvar)>);

#[derive(Default)]
struct State {
    behavior: Behavior,
    calls: Vec<Call>,
}

#[derive(Debug)]
pub(crate) enum Fault {
    Told,
    Sqlite(SqliteError),
}

impl FaultyHistory {
    pub(crate) fn new(inner: SqliteHistory) -> (Self, Faults) {
        let faults = Faults::default();
        (Self { inner, faults: faults.clone() }, faults)
    }
}

impl Faults {
    pub(crate) fn set(&self, behavior: Behavior) {
        self.0.0.lock().expect("no panic").behavior = behavior;
        self.0.1.notify_all();
    }

    pub(crate) fn count(&self, call: Call) -> usize {
        let state = self.0.0.lock().expect("no panic");
        state.calls.iter().filter(|other| **other == call).count()
    }

    fn call(&self, call: Call) -> Result<(), Fault> {
        let mut state = self.0.0.lock().expect("no panic");
        state.calls.push(call);
        while matches!(state.behavior, Behavior::Hang(hanging) if hanging == call) {
            state = self.0.1.wait(state).expect("no panic");
        }
        let behavior = state.behavior;
        drop(state);
        match behavior {
            Behavior::Delay(delayed, delay) if delayed == call => std::thread::sleep(delay),
            Behavior::Fail(failing) if failing == call => return Err(Fault::Told),
            _ => {}
        }
        Ok(())
    }
}

impl From<SqliteError> for Fault {
    fn from(error: SqliteError) -> Self {
        Self::Sqlite(error)
    }
}

fn convert(error: ClaimError<SqliteError>) -> ClaimError<Fault> {
    match error {
        ClaimError::Lost => ClaimError::Lost,
        ClaimError::History(error) => ClaimError::History(error.into()),
    }
}

impl History for FaultyHistory {
    type Error = Fault;

    fn record_runs(&mut self, runs: &[(&str, i64, RunRecord)]) -> Result<(), Fault> {
        Ok(self.inner.record_runs(runs)?)
    }

    fn read(
        &self,
        queries: &[RunQuery<'_>],
        visit: &mut dyn FnMut(usize, i64, RunRecord) -> ControlFlow<()>,
    ) -> Result<(), Fault> {
        self.faults.call(Call::Read)?;
        Ok(self.inner.read(queries, visit)?)
    }

    fn forget_all(&mut self, runs: &[(&str, RangeInclusive<i64>)]) -> Result<(), Fault> {
        Ok(self.inner.forget_all(runs)?)
    }

    fn drop_before(&mut self, jobs: &[(&str, i64)]) -> Result<(), Fault> {
        Ok(self.inner.drop_before(jobs)?)
    }
}

impl Claims for FaultyHistory {
    fn claim(
        &mut self,
        job: &str,
        scheduled: i64,
        owner: &str,
        lease: Duration,
    ) -> Result<ClaimOutcome, Fault> {
        self.faults.call(Call::Claim)?;
        Ok(self.inner.claim(job, scheduled, owner, lease)?)
    }

    fn renew(&mut self, claim: &Claim, lease: Duration) -> Result<(), ClaimError<Fault>> {
        self.faults.call(Call::Renew)?;
        self.inner.renew(claim, lease).map_err(convert)
    }

    fn release(&mut self, claim: &Claim) -> Result<(), ClaimError<Fault>> {
        self.faults.call(Call::Release)?;
        self.inner.release(claim).map_err(convert)
    }

    fn record_claimed_run(
        &mut self,
        claim: &Claim,
        record: RunRecord,
    ) -> Result<(), ClaimError<Fault>> {
        self.inner.record_claimed_run(claim, record).map_err(convert)
    }

    fn take_over(
        &mut self,
        claim: &Claim,
        owner: &str,
        lease: Duration,
    ) -> Result<Claim, ClaimError<Fault>> {
        self.inner.take_over(claim, owner, lease).map_err(convert)
    }

    fn started_runs(&self) -> Result<Vec<StartedRun>, Fault> {
        Ok(self.inner.started_runs()?)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Told => f.write_str("told to fail"),
            Self::Sqlite(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Fault {}
