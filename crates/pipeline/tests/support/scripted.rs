//! A history that calls a function before each read and each renewal.

use std::convert::Infallible;
use std::fmt;
use std::ops::{ControlFlow, RangeInclusive};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use millicron_pipeline::{
    Claim, ClaimError, ClaimOutcome, Claims, History, MemoryHistory, RunQuery, RunRecord,
    StartedRun,
};

/// A call of the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    Read,
    Renew,
}

/// What a call of the history does first. It fails if the script does.
type Script = Arc<dyn Fn(Call) -> Result<(), Down> + Send + Sync>;

/// A script that a test sets while the history is in use.
#[derive(Clone, Default)]
pub(crate) struct ScriptCell(Arc<Mutex<Option<Script>>>);

impl ScriptCell {
    pub(crate) fn set(&self, script: impl Fn(Call) -> Result<(), Down> + Send + Sync + 'static) {
        *self.0.lock().expect("no panic") = Some(Arc::new(script));
    }

    fn run(&self, call: Call) -> Result<(), Down> {
        let script = self.0.lock().expect("no panic").clone();
        script.map_or(Ok(()), |script| script(call))
    }
}

/// A history in memory, with a script.
pub(crate) struct Scripted {
    memory: MemoryHistory,
    script: ScriptCell,
}

impl Scripted {
    /// Returns a history in which leases do not expire.
    pub(crate) fn new() -> (Self, ScriptCell) {
        Self::with(MemoryHistory::new().with_clock(|| 0))
    }

    pub(crate) fn with(memory: MemoryHistory) -> (Self, ScriptCell) {
        let script = ScriptCell::default();
        (Self { memory, script: script.clone() }, script)
    }
}

#[derive(Debug)]
pub(crate) struct Down;

impl fmt::Display for Down {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no connection")
    }
}

impl std::error::Error for Down {}

fn unless_lost<T>(result: Result<T, ClaimError<Infallible>>) -> Result<T, ClaimError<Down>> {
    result.map_err(|_| ClaimError::Lost)
}

impl History for Scripted {
    type Error = Down;

    fn record_runs(&mut self, runs: &[(&str, i64, RunRecord)]) -> Result<(), Down> {
        let Ok(()) = self.memory.record_runs(runs);
        Ok(())
    }

    fn read(
        &self,
        queries: &[RunQuery<'_>],
        visit: &mut dyn FnMut(usize, i64, RunRecord) -> ControlFlow<()>,
    ) -> Result<(), Down> {
        self.script.run(Call::Read)?;
        let Ok(()) = self.memory.read(queries, visit);
        Ok(())
    }

    fn forget_all(&mut self, runs: &[(&str, RangeInclusive<i64>)]) -> Result<(), Down> {
        let Ok(()) = self.memory.forget_all(runs);
        Ok(())
    }

    fn drop_before(&mut self, jobs: &[(&str, i64)]) -> Result<(), Down> {
        let Ok(()) = self.memory.drop_before(jobs);
        Ok(())
    }
}

impl Claims for Scripted {
    fn claim(
        &mut self,
        job: &str,
        scheduled: i64,
        owner: &str,
        lease: Duration,
    ) -> Result<ClaimOutcome, Down> {
        let Ok(outcome) = self.memory.claim(job, scheduled, owner, lease);
        Ok(outcome)
    }

    fn renew(&mut self, claim: &Claim, lease: Duration) -> Result<(), ClaimError<Down>> {
        self.script.run(Call::Renew).map_err(ClaimError::History)?;
        unless_lost(self.memory.renew(claim, lease))
    }

    fn release(&mut self, claim: &Claim) -> Result<(), ClaimError<Down>> {
        unless_lost(self.memory.release(claim))
    }

    fn record_claimed_run(
        &mut self,
        claim: &Claim,
        record: RunRecord,
    ) -> Result<(), ClaimError<Down>> {
        unless_lost(self.memory.record_claimed_run(claim, record))
    }

    fn take_over(
        &mut self,
        claim: &Claim,
        owner: &str,
        lease: Duration,
    ) -> Result<Claim, ClaimError<Down>> {
        unless_lost(self.memory.take_over(claim, owner, lease))
    }

    fn started_runs(&self) -> Result<Vec<StartedRun>, Down> {
        let Ok(started) = self.memory.started_runs();
        Ok(started)
    }
}
