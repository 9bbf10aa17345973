//! [`Fake`]: a source in memory.

use std::sync::{Arc, Mutex, MutexGuard};

use jiff::tz::TimeZone;
use millicron::Schedule;
use millicron_board::{
    Action, ActionKind, Changes, Conflict, Draft, Editor, Invalid, Job, Need, Output, Pattern,
    Preview, Run, RunState, Runs, Source, SourceError,
};

/// A source in memory, which is shared by its clones.
#[derive(Clone, Default)]
pub(crate) struct Fake(Arc<Mutex<State>>);

#[derive(Default)]
pub(crate) struct State {
    pub(crate) version: u64,
    /// The jobs, each with the version in which it changed last.
    pub(crate) jobs: Vec<(u64, Job)>,
    pub(crate) runs: Vec<Run>,
    pub(crate) output: Vec<u8>,
    pub(crate) is_complete: bool,
    pub(crate) unlisted: u64,
    pub(crate) acts: Vec<(String, Action)>,
    pub(crate) stored: Vec<Draft>,
    /// How often it was asked for changes.
    pub(crate) asked: u64,
    pub(crate) fails: bool,
    pub(crate) panics: bool,
}

impl Fake {
    pub(crate) fn with(names: &[&str]) -> Self {
        let fake = Self::default();
        for name in names {
            fake.change(Job::new(*name));
        }
        fake
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("no test panics meanwhile")
    }

    /// Adds or changes a job.
    pub(crate) fn change(&self, job: Job) {
        let mut state = self.state();
        state.version += 1;
        let version = state.version;
        state.jobs.retain(|(_, it)| it.name != job.name);
        state.jobs.push((version, job));
    }
}

fn schedule(text: &str) -> Result<Pattern, SourceError> {
    let schedule: Schedule = text.parse().map_err(Invalid::new)?;
    Ok(Pattern::Schedule(schedule.in_zone(TimeZone::get("Europe/Berlin")?)))
}

impl Source for Fake {
    fn changes(&self, since: Option<u64>) -> Result<Changes, SourceError> {
        let mut state = self.state();
        state.asked += 1;
        let (fails, panics) = (state.fails, state.panics);
        let mut changes = Changes::default();
        (changes.version, changes.unlisted) = (state.version, state.unlisted);
        changes.is_complete = since.is_none_or(|since| since > state.version);
        let since = since.filter(|_| !changes.is_complete).unwrap_or_default();
        let jobs = state.jobs.iter().filter(|(version, _)| *version > since);
        changes.jobs = jobs.map(|(_, job)| job.clone()).collect();
        drop(state);
        assert!(!panics, "as the test wants it");
        if fails { Err("the database is gone".into()) } else { Ok(changes) }
    }

    fn job(&self, name: &str) -> Result<Option<Job>, SourceError> {
        let state = self.state();
        Ok(state.jobs.iter().find(|(_, job)| job.name == name).map(|(_, job)| job.clone()))
    }

    fn pattern(&self, name: &str) -> Result<Option<Pattern>, SourceError> {
        let job = self.job(name)?;
        job.filter(|job| !job.schedule.is_empty()).map(|job| schedule(&job.schedule)).transpose()
    }

    fn runs(&self, _: &str, before: Option<i64>, limit: usize) -> Result<Runs, SourceError> {
        let state = self.state();
        let runs = state.runs.iter().rev().filter(|run| before.is_none_or(|id| run.id < id));
        let mut runs: Vec<_> = runs.take(limit + 1).cloned().collect();
        let has_more = runs.len() > limit;
        runs.truncate(limit);
        Ok(Runs::new(runs, has_more))
    }

    fn output(&self, _: &str, run: i64, from: u64) -> Result<Option<Output>, SourceError> {
        let state = self.state();
        let from = usize::try_from(from)?.min(state.output.len());
        let bytes = state.output[from..].to_vec();
        Ok((run == 1).then(|| Output::new(from as u64, bytes, state.is_complete)))
    }

    fn needs(&self) -> Result<Vec<Need>, SourceError> {
        Ok(vec![Need::new("load", "report", "the last 24 runs")])
    }

    fn waits_for(&self, job: &str) -> Result<Vec<String>, SourceError> {
        Ok(if job == "report" { vec!["load has not run".to_owned()] } else { Vec::new() })
    }

    fn actions(&self) -> &[ActionKind] {
        &[ActionKind::Run, ActionKind::Pause, ActionKind::Cancel]
    }

    fn act(&self, job: &str, action: Action) -> Result<bool, SourceError> {
        self.state().acts.push((job.to_owned(), action));
        Ok(self.job(job)?.is_some())
    }

    fn editor(&self) -> Option<&dyn Editor> {
        Some(self)
    }
}

impl Editor for Fake {
    fn preview(&self, draft: &Draft) -> Result<Preview, SourceError> {
        Ok(Preview::new(format!("as in {}", draft.schedule), schedule(&draft.schedule)?))
    }

    fn draft(&self, job: &str) -> Result<Option<Draft>, SourceError> {
        Ok(self.state().stored.iter().find(|draft| draft.name == job).cloned())
    }

    fn store(&self, draft: &Draft) -> Result<(), SourceError> {
        if draft.version == Some(1) {
            return Err(Conflict::new("somebody was faster").into());
        }
        self.preview(draft)?;
        self.state().stored.push(draft.clone());
        Ok(())
    }

    fn remove(&self, job: &str) -> Result<bool, SourceError> {
        let mut state = self.state();
        let before = state.stored.len();
        state.stored.retain(|draft| draft.name != job);
        Ok(state.stored.len() < before)
    }
}

/// Returns a run that has succeeded.
pub(crate) fn succeeded(id: i64, started: i64, ended: i64) -> Run {
    let mut run = Run::new(id, started);
    (run.started, run.ended) = (Some(started), Some(ended));
    run.state = RunState::Succeeded;
    run
}
