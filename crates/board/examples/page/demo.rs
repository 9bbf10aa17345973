//! [`Demo`]: jobs in memory, which tests and the example let run.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use millicron::{Language, ZonedSchedule};
use millicron_board::{
    Action, ActionKind, Changes, Conflict, Draft, Editor, Invalid, Job, JobState, Need, Output,
    Pattern, Preview, Run, RunState, Runs, Source, SourceError,
};

/// The bytes of output that are kept of each run.
const KEPT: usize = 64 << 10;

/// Names that try to break out of the page.
pub(crate) const HOSTILE: [&str; 10] = [
    "9999-99-99T99:99:99+99:99",
    "<img src=x onerror=\"document.title='hacked'\">",
    "</script><script>document.title='hacked'</script>",
    "a/b?c#d%2F&amp;\"'`",
    ".",
    "..",
    "=",
    "javascript:alert(1)",
    "\u{202e}reversed\u{202c} \u{1b}[31mred",
    "no-spaces-at-all-in-a-very-long-name-that-does-not-fit-on-any-phone-however-wide-it-may-be-0123456789",
];

/// Returns output that tries to break out of the page: 10 MB, with markup, escape sequences and invalid UTF-8.
pub(crate) fn hostile_output() -> Vec<u8> {
    let mut output = vec![b'x'; 10 << 20];
    output.extend(b"\n<img src=x onerror=\"document.title='hacked'\"><script>document.title='hacked'</script>\n");
    output.extend(b"\x1b]0;title\x07\x1b]8;;javascript:alert(1)\x1b\\link\x1b]8;;\x1b\\ \x1b[2J\x1b[H\x1b[31mred\x1b[0m\n");
    output.extend(b"\xff\xfe invalid \xc3\x28 \xe2\x82\n10 %\r50 %\r100 %\nthe end\n");
    output
}

/// Jobs in memory.
#[derive(Debug, Default)]
pub(crate) struct Demo {
    jobs: Mutex<Jobs>,
    actions: Vec<ActionKind>,
    can_edit: bool,
}

#[derive(Debug, Default)]
struct Jobs {
    version: u64,
    all: BTreeMap<String, Entry>,
    removed: Vec<(u64, String)>,
    needs: Vec<Need>,
    /// What visitors did, the latest last.
    acts: Vec<(String, Action)>,
}

#[derive(Debug)]
struct Entry {
    job: Job,
    pattern: Option<ZonedSchedule<TimeZone>>,
    /// The earliest first.
    runs: Vec<Recorded>,
    /// The version in which it changed.
    version: u64,
}

#[derive(Debug)]
struct Recorded {
    run: Run,
    /// The position of the first byte that is kept.
    start: u64,
    output: Vec<u8>,
}

/// Returns the time in milliseconds since 1970.
pub(crate) fn now() -> i64 {
    Timestamp::now().as_millisecond()
}

impl Demo {
    /// Returns no jobs, of which schedules can be changed.
    pub(crate) fn editable(self) -> Self {
        Self { can_edit: true, ..self }
    }

    /// Offers all actions.
    pub(crate) fn with_actions(self) -> Self {
        use ActionKind::{Cancel, Pause, Resume, Run};
        Self { actions: vec![Run, Pause, Resume, Cancel], ..self }
    }

    fn lock(&self) -> MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a job, or replaces it.
    ///
    /// # Errors
    ///
    /// The schedule or the zone is invalid.
    pub(crate) fn add(
        &self,
        name: &str,
        schedule: &str,
        zone: &str,
        tags: &[&str],
    ) -> Result<(), SourceError> {
        let tags = tags.iter().map(|&tag| tag.to_owned()).collect();
        let entry = entry(name, schedule, zone, tags)?;
        self.lock().put(entry);
        Ok(())
    }

    /// Changes what is shown of a job.
    pub(crate) fn change(&self, name: &str, change: impl FnOnce(&mut Job)) {
        self.lock().change(name, |entry| change(&mut entry.job));
    }

    /// Starts a run, and returns its number.
    pub(crate) fn start(&self, name: &str, scheduled: i64, started: i64) -> i64 {
        let mut id = 0;
        self.lock().change(name, |entry| {
            id = entry.runs.last().map_or(1, |last| last.run.id + 1);
            let mut run = Run::new(id, scheduled);
            (run.started, run.attempts) = (Some(started), 1);
            entry.runs.push(Recorded { run, start: 0, output: Vec::new() });
            entry.count();
            let pattern = entry.pattern.as_ref();
            entry.job.next = pattern.and_then(|it| it.next_event(now().max(scheduled)));
        });
        id
    }

    /// Appends to the output of the latest run.
    pub(crate) fn write(&self, name: &str, output: &[u8]) {
        self.lock().change(name, |entry| {
            let Some(last) = entry.runs.last_mut() else { return };
            last.run.has_output = true;
            last.output.extend_from_slice(output);
            let excess = last.output.len().saturating_sub(KEPT);
            last.output.drain(..excess);
            last.start += excess as u64;
            entry.count();
        });
    }

    /// Ends the latest run.
    pub(crate) fn end(&self, name: &str, ended: i64, state: RunState, message: Option<&str>) {
        self.lock().change(name, |entry| {
            let Some(last) = entry.runs.last_mut() else { return };
            (last.run.ended, last.run.state) = (Some(ended), state);
            last.run.message = message.map(str::to_owned);
            entry.count();
        });
    }

    /// Lets a job need another one.
    pub(crate) fn need(&self, upstream: &str, downstream: &str, label: &str) {
        self.lock().needs.push(Need::new(upstream, downstream, label));
    }

    /// Returns what visitors did, the latest last.
    pub(crate) fn acts(&self) -> Vec<(String, Action)> {
        self.lock().acts.clone()
    }
}

/// Reads a job.
fn entry(name: &str, text: &str, zone: &str, tags: Vec<String>) -> Result<Entry, SourceError> {
    let mut job = Job::new(name);
    job.tags = tags;
    let tz =
        if zone.is_empty() { TimeZone::UTC } else { TimeZone::get(zone).map_err(Invalid::new)? };
    job.zone = (!zone.is_empty()).then(|| zone.to_owned());
    text.clone_into(&mut job.schedule);
    let mut pattern = None;
    if !text.is_empty() {
        let reading = Language::recognize(text).map_err(Invalid::new)?;
        job.description = reading.language.describe(&reading.schedule).to_string();
        let schedule = reading.schedule.in_zone(tz);
        job.next = schedule.next_event(now());
        job.overdue_at = job.next.map(|next| next + 60_000);
        pattern = Some(schedule);
    }
    Ok(Entry { job, pattern, runs: Vec::new(), version: 0 })
}

impl Entry {
    /// Updates what the job says of its runs.
    fn count(&mut self) {
        let in_progress = self.runs.iter().filter(|it| it.run.ended.is_none());
        self.job.running = in_progress.count() as u64;
        self.job.last = self.runs.last().map(|it| it.run.clone());
        let outcomes = self.runs.iter().rev().take(30).map(|it| it.run.state);
        self.job.outcomes = outcomes.collect();
        self.job.outcomes.reverse();
    }
}

impl Jobs {
    fn put(&mut self, mut entry: Entry) {
        self.version += 1;
        entry.version = self.version;
        self.all.insert(entry.job.name.clone(), entry);
    }

    fn change(&mut self, name: &str, change: impl FnOnce(&mut Entry)) {
        if let Some(entry) = self.all.get_mut(name) {
            self.version += 1;
            entry.version = self.version;
            change(entry);
        }
    }

    fn remove(&mut self, name: &str) -> bool {
        self.version += 1;
        self.removed.push((self.version, name.to_owned()));
        self.all.remove(name).is_some()
    }
}

impl Source for Demo {
    fn changes(&self, since: Option<u64>) -> Result<Changes, SourceError> {
        let jobs = self.lock();
        let since = since.filter(|&since| since <= jobs.version);
        let mut changes = Changes::default();
        changes.version = jobs.version;
        changes.is_complete = since.is_none();
        let newer = jobs.all.values().filter(|it| since.is_none_or(|since| it.version > since));
        changes.jobs = newer.map(|it| it.job.clone()).collect();
        let removed = jobs.removed.iter().filter(|it| since.is_some_and(|since| it.0 > since));
        let removed = removed.filter(|it| !jobs.all.contains_key(&it.1));
        changes.removed = removed.map(|it| it.1.clone()).collect();
        Ok(changes)
    }

    fn job(&self, name: &str) -> Result<Option<Job>, SourceError> {
        Ok(self.lock().all.get(name).map(|it| it.job.clone()))
    }

    fn pattern(&self, name: &str) -> Result<Option<Pattern>, SourceError> {
        let jobs = self.lock();
        let pattern = jobs.all.get(name).and_then(|it| it.pattern.clone());
        Ok(pattern.map(Pattern::Schedule))
    }

    fn runs(&self, job: &str, before: Option<i64>, limit: usize) -> Result<Runs, SourceError> {
        let jobs = self.lock();
        let all = jobs.all.get(job).map(|it| &*it.runs).unwrap_or_default();
        let earlier = all.iter().rev().map(|it| &it.run);
        let earlier = earlier.filter(|run| before.is_none_or(|before| run.id < before));
        let mut runs: Vec<_> = earlier.take(limit + 1).cloned().collect();
        let has_more = runs.len() > limit;
        runs.truncate(limit);
        Ok(Runs::new(runs, has_more))
    }

    fn output(&self, job: &str, run: i64, from: u64) -> Result<Option<Output>, SourceError> {
        let jobs = self.lock();
        let runs = jobs.all.get(job).map(|it| &*it.runs).unwrap_or_default();
        let found = runs.iter().find(|it| it.run.id == run && it.run.has_output);
        Ok(found.map(|it| {
            let skipped = usize::try_from(from.saturating_sub(it.start)).unwrap_or(usize::MAX);
            let skipped = skipped.min(it.output.len());
            let bytes = it.output.get(skipped..).unwrap_or_default().to_vec();
            Output::new(it.start + skipped as u64, bytes, it.run.ended.is_some())
        }))
    }

    fn needs(&self) -> Result<Vec<Need>, SourceError> {
        Ok(self.lock().needs.clone())
    }

    fn waits_for(&self, job: &str) -> Result<Vec<String>, SourceError> {
        let jobs = self.lock();
        let needs = jobs.needs.iter().filter(|need| need.downstream == job);
        let last = needs.filter_map(|need| {
            jobs.all.get(&need.upstream)?.job.last.as_ref().map(|it| (need, it))
        });
        let unmet = last.filter(|(_, last)| last.state != RunState::Succeeded);
        let reason = |(need, last): (&Need, &Run)| {
            let time = Timestamp::from_millisecond(last.scheduled).unwrap_or_default();
            let time = time.strftime("%Y-%m-%d %H:%M:%S+00:00");
            format!("It waits for `{}` {time}, which has not succeeded", need.upstream)
        };
        Ok(unmet.map(reason).collect())
    }

    fn actions(&self) -> &[ActionKind] {
        &self.actions
    }

    fn act(&self, job: &str, action: Action) -> Result<bool, SourceError> {
        match action {
            Action::Run => {
                self.start(job, now(), now());
            }
            Action::Pause => self.change(job, |it| it.state = JobState::Paused),
            Action::Resume => self.change(job, |it| it.state = JobState::Waiting),
            Action::Cancel { .. } => {
                self.end(job, now(), RunState::Failed, Some("It was canceled."));
            }
            _ => return Err("this action is not offered".into()),
        }
        let mut jobs = self.lock();
        jobs.acts.push((job.to_owned(), action));
        Ok(jobs.all.contains_key(job))
    }

    fn editor(&self) -> Option<&dyn Editor> {
        self.can_edit.then_some(self)
    }
}

impl Editor for Demo {
    fn preview(&self, draft: &Draft) -> Result<Preview, SourceError> {
        let entry = entry(&draft.name, &draft.schedule, &draft.zone, Vec::new())?;
        let pattern = entry.pattern.ok_or_else(|| Invalid::new("the schedule is empty"))?;
        Ok(Preview::new(entry.job.description, Pattern::Schedule(pattern)))
    }

    fn draft(&self, job: &str) -> Result<Option<Draft>, SourceError> {
        let jobs = self.lock();
        Ok(jobs.all.get(job).map(|entry| {
            let mut draft = Draft::default();
            draft.name.clone_from(&entry.job.name);
            draft.schedule.clone_from(&entry.job.schedule);
            draft.zone = entry.job.zone.clone().unwrap_or_default();
            draft.tags.clone_from(&entry.job.tags);
            draft.version = Some(entry.version.cast_signed());
            draft
        }))
    }

    fn store(&self, draft: &Draft) -> Result<(), SourceError> {
        let made = entry(&draft.name, &draft.schedule, &draft.zone, draft.tags.clone())?;
        let mut jobs = self.lock();
        let stored = jobs.all.get(&draft.name).map(|it| it.version.cast_signed());
        if stored != draft.version {
            return Err(Conflict::new("somebody else has changed the job").into());
        }
        jobs.put(made);
        Ok(())
    }

    fn remove(&self, job: &str) -> Result<bool, SourceError> {
        Ok(self.lock().remove(job))
    }
}
