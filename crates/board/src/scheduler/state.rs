//! [`State`]: the runs of all jobs, and which jobs have changed.

use std::collections::{BTreeMap, HashMap};
use std::time::SystemTime;

use millicron_scheduler::{Event, JobName};

use super::runs::{Change, JobRuns, Name, reason_of};

/// How many changed jobs are remembered.
const MOST_CHANGED: usize = 50_000;
/// Of how many jobs the last run is kept, however many runs of others there are.
const MOST_JOBS: usize = 10_000;
/// How many jobs are remembered after they have ended.
const MOST_ENDED: usize = 1000;

/// The runs of all jobs, and which jobs have changed.
#[derive(Debug)]
pub(super) struct State {
    /// The most runs of a job.
    pub(super) most_of_job: usize,
    /// The most runs in all.
    pub(super) most: usize,
    version: u64,
    /// Changes up to this version are not known any more.
    forgotten: u64,
    /// The jobs by the version of their last change.
    changed: BTreeMap<u64, Name>,
    versions: HashMap<Name, u64>,
    jobs: HashMap<Name, Logged>,
    /// The job of each run, by age.
    ages: BTreeMap<u64, Name>,
    /// The jobs that have ended, by the version of that.
    ended: BTreeMap<u64, Name>,
    /// How often jobs were added, or may have been.
    pub(super) added: u64,
}

/// What is known about a job.
#[derive(Debug, Default)]
struct Logged {
    runs: JobRuns,
    /// The version in which it ended, if it has.
    ended: Option<u64>,
    /// Whether it was cancelled, and is not shown any more.
    is_cancelled: bool,
}

impl State {
    pub(super) fn new(most_of_job: usize, most: usize) -> Self {
        Self {
            most_of_job,
            most,
            version: 1,
            forgotten: 0,
            changed: BTreeMap::new(),
            versions: HashMap::new(),
            jobs: HashMap::new(),
            ages: BTreeMap::new(),
            ended: BTreeMap::new(),
            added: 0,
        }
    }

    pub(super) const fn version(&self) -> u64 {
        self.version
    }

    /// Returns the jobs that have changed since a version. `None` if that is not known.
    pub(super) fn changed_since(&self, since: u64) -> Option<Vec<Name>> {
        let is_known = (self.forgotten..=self.version).contains(&since) && since > 0;
        is_known.then(|| self.changed.range(since + 1..).map(|(_, name)| name.clone()).collect())
    }

    pub(super) fn runs(&self, job: &str) -> Option<&JobRuns> {
        self.jobs.get(job).map(|logged| &logged.runs)
    }

    /// Whether a job had no further events, and its runs are still known.
    pub(super) fn has_ended(&self, job: &str) -> bool {
        self.jobs.get(job).is_some_and(|logged| logged.ended.is_some() && !logged.is_cancelled)
    }

    /// Returns the jobs that had no further events.
    pub(super) fn ended(&self) -> impl Iterator<Item = &Name> {
        self.ended.values().filter(|name| self.has_ended(name))
    }

    /// Notes that something about a job has changed.
    pub(super) fn touch(&mut self, job: &Name) {
        self.version += 1;
        if let Some(before) = self.versions.insert(job.clone(), self.version) {
            self.changed.remove(&before);
        }
        self.changed.insert(self.version, job.clone());
        if self.changed.len() > MOST_CHANGED
            && let Some((version, oldest)) = self.changed.pop_first()
        {
            self.versions.remove(&oldest);
            self.forgotten = version;
        }
    }

    pub(super) fn handle(&mut self, event: &Event) {
        if matches!(event, Event::Lost { .. }) {
            return self.lose();
        }
        let Some((name, is_given)) = event.job_name().and_then(shown) else { return };
        let limits = (self.version + 1, self.most_of_job);
        let (age, most) = limits;
        match event {
            Event::Started { run } => self.update(&name, |runs| runs.start(run, age, most)),
            Event::Finished { run, outcome, duration, retry_after } => self.update(&name, |runs| {
                runs.finish(run, (outcome, *duration), retry_after.is_some(), limits)
            }),
            Event::Skipped { first, count, reason, .. } => {
                let reason = reason_of(*reason);
                self.update(&name, |runs| runs.skip(*first, (*count, reason), limits));
            }
            Event::RetriesCancelled { retries, .. } => self.give_up(&name, retries),
            Event::Added { .. } => {
                self.added += 1;
                self.set_ended(&name, false, false);
            }
            Event::Exhausted { .. } if is_given => self.set_ended(&name, true, false),
            // Its runs are known if another job replaces it.
            Event::Cancelled { retries, .. } if is_given => {
                self.give_up(&name, retries);
                self.set_ended(&name, true, true);
            }
            Event::Exhausted { .. } | Event::Cancelled { .. } => self.forget(&name),
            _ => {}
        }
        self.touch(&name);
    }

    fn give_up(&mut self, name: &Name, retries: &[SystemTime]) {
        if let Some(logged) = self.jobs.get_mut(name) {
            logged.runs.give_up(retries);
        }
    }

    /// Records that a run of a job was skipped.
    pub(super) fn skip(&mut self, name: &Name, scheduled: SystemTime, reason: &str) {
        let limits = (self.version + 1, self.most_of_job);
        self.update(name, |runs| runs.skip(scheduled, (1, reason), limits));
        self.touch(name);
    }

    /// Changes the runs of a job.
    fn update(&mut self, name: &Name, change: impl FnOnce(&mut JobRuns) -> Change) {
        let logged = self.jobs.entry(name.clone()).or_default();
        let Change { added, dropped } = change(&mut logged.runs);
        self.ages.extend(added.map(|age| (age, name.clone())));
        for age in dropped {
            self.ages.remove(&age);
        }
        while self.ages.len() > self.most
            && let Some((_, oldest)) = self.ages.pop_first()
        {
            let Some(logged) = self.jobs.get_mut(&oldest) else { continue };
            // The last run of each job stays, uncounted: it says how the job is.
            if !logged.runs.drop_oldest() {
                if self.jobs.len() <= MOST_JOBS {
                    continue;
                }
                self.forget(&oldest);
            }
            self.touch(&oldest);
        }
    }

    fn set_ended(&mut self, name: &Name, has_ended: bool, is_cancelled: bool) {
        let Some(logged) = self.jobs.get_mut(name) else { return };
        logged.is_cancelled = is_cancelled;
        let version = has_ended.then_some(self.version + 1);
        if let Some(before) = std::mem::replace(&mut logged.ended, version) {
            self.ended.remove(&before);
        }
        self.ended.extend(version.map(|version| (version, name.clone())));
        if self.ended.len() > MOST_ENDED
            && let Some((_, oldest)) = self.ended.pop_first()
        {
            self.forget(&oldest);
            self.touch(&oldest);
        }
    }

    /// Forgets the runs of a job.
    fn forget(&mut self, name: &Name) {
        let Some(logged) = self.jobs.remove(name) else { return };
        for age in logged.runs.ages() {
            self.ages.remove(&age);
        }
        if let Some(version) = logged.ended {
            self.ended.remove(&version);
        }
    }

    /// Drops what may be wrong because events were lost.
    fn lose(&mut self) {
        for logged in self.jobs.values_mut() {
            for age in logged.runs.drop_unfinished() {
                self.ages.remove(&age);
            }
        }
        self.added += 1;
        self.version += 1;
        self.forgotten = self.version;
    }
}

/// Returns the name of a job as it is shown, and whether it was given one. `None` for those that are not shown.
pub(super) fn shown(name: &JobName) -> Option<(Name, bool)> {
    match name {
        JobName::Given(name) => Some((name.clone(), true)),
        JobName::Internal(_) => None,
        other => Some((other.to_string().into(), false)),
    }
}
