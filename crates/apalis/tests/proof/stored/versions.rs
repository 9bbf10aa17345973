//! [`Versions`]: which version of a schedule owns an event, according to the test's own history.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::patterns::Pattern;
use super::table::{Records, Task};

/// The columns of a schedule that decide about its events.
#[derive(Clone, Debug, PartialEq, Deserialize)]
struct Definition {
    schedule: String,
    zone: Option<String>,
    payload: i64,
    paused: bool,
    starts_at: Option<i64>,
    ends_at: Option<i64>,
}

impl Definition {
    /// Returns the events after an instant, and until another one.
    fn events(&self, after: i64, until: i64) -> BTreeSet<i64> {
        if self.paused {
            return BTreeSet::new();
        }
        let after = self.starts_at.map_or(after, |start| after.max(start - 1));
        let until = self.ends_at.map_or(until, |end| until.min(end));
        Pattern::find(&self.schedule, self.zone.as_deref()).events(after, until).collect()
    }
}

/// The change from a version to the next one, in one transaction.
#[derive(Debug)]
struct Change {
    transaction: String,
    old: Option<Definition>,
    new: Option<Definition>,
    /// Those of all versions that the transaction had, even if only for a while.
    payloads: BTreeSet<i64>,
    /// The change was committed after the first instant, and before the second one.
    earliest: i64,
    latest: i64,
}

impl Change {
    /// Returns the uncertain events and their payloads, if the change was committed at an instant.
    fn events(&self, commit: i64) -> BTreeMap<i64, i64> {
        let spans = [(&self.old, self.earliest, commit), (&self.new, commit, self.latest)];
        let versions = spans.into_iter().filter_map(|(version, after, until)| {
            version.as_ref().map(|version| (version, version.events(after, until)))
        });
        let events = versions
            .flat_map(|(version, events)| events.into_iter().map(|event| (event, version.payload)));
        events.collect()
    }
}

/// The changes of all schedules.
#[derive(Debug)]
pub(crate) struct Versions {
    changes: BTreeMap<String, Vec<Change>>,
    triggered: BTreeMap<String, BTreeSet<i64>>,
    tasks: BTreeMap<String, BTreeMap<i64, Task>>,
}

/// What a proof has counted.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) versions: usize,
    pub(crate) events: usize,
    pub(crate) triggered: usize,
    pub(crate) tasks: usize,
    /// The changes whose instant is not known to the millisecond.
    pub(crate) uncertain: usize,
    /// The longest time from an event to its task, and the 99th percentile.
    pub(crate) latest_push: i64,
    pub(crate) late_push: i64,
}

impl Versions {
    pub(crate) fn new(records: Records) -> Self {
        let mut spans = BTreeMap::<String, (i64, i64)>::new();
        for row in &records.history {
            let span = spans.entry(row.transaction.clone()).or_insert((row.at, row.at));
            *span = (span.0.min(row.at), span.1.max(row.at));
        }
        let mut changes = BTreeMap::<String, Vec<Change>>::new();
        for row in records.history {
            let read = |text: Option<String>| -> Option<Definition> {
                text.map(|text| serde_json::from_str(&text).expect("a definition"))
            };
            let (old, new) = (read(row.old), read(row.new));
            let payloads = [&old, &new].into_iter().flatten().map(|it| it.payload);
            let payloads: BTreeSet<_> = payloads.collect();
            let changes = changes.entry(row.name).or_default();
            match changes.last_mut() {
                Some(last) if last.transaction == row.transaction => {
                    last.payloads.extend(payloads);
                    last.new = new;
                }
                last => {
                    assert_eq!(last.and_then(|last| last.new.as_ref()), old.as_ref());
                    let (earliest, latest) = spans[&row.transaction];
                    let transaction = row.transaction;
                    changes.push(Change { transaction, old, new, payloads, earliest, latest });
                }
            }
        }
        let mut triggered = BTreeMap::<String, BTreeSet<i64>>::new();
        for (name, at) in records.triggered {
            triggered.entry(name).or_default().insert(at);
        }
        let mut tasks = BTreeMap::<String, BTreeMap<i64, Task>>::new();
        for (key, all) in records.tasks {
            assert_eq!(all.len(), 1, "{key} is several tasks");
            let (name, instant) = key.split_once(':').expect("a key");
            let instant = instant.parse().expect("an instant");
            tasks.entry(name.to_owned()).or_default().insert(instant, all[0]);
        }
        Self { changes, triggered, tasks }
    }

    /// Checks that each event of each version is one task, and that there is no other task.
    pub(crate) fn check(&self) -> Counts {
        let mut counts = Counts::default();
        let mut problems = Vec::new();
        let names = self.changes.keys().chain(self.tasks.keys()).collect::<BTreeSet<_>>();
        let mut commits = BTreeMap::<&str, BTreeSet<i64>>::new();
        for name in names {
            let Some(changes) = self.changes.get(name) else {
                problems.push(format!("tasks of {name}, which has never existed"));
                continue;
            };
            let mut after = i64::MIN;
            let mut version = None;
            for change in changes {
                self.check_span(name, version, after, change.earliest, &mut counts, &mut problems);
                let instants = self.commits(name, change);
                counts.uncertain += usize::from(change.earliest < change.latest);
                let all = commits.entry(&change.transaction).or_insert_with(|| instants.clone());
                all.retain(|instant| instants.contains(instant));
                if all.is_empty() {
                    problems.push(format!("{name}: no instant divides the events of {change:?}"));
                }
                counts.versions += usize::from(change.new.is_some());
                if let Some(commit) = instants.first() {
                    counts.events += change.events(*commit).len();
                }
                (after, version) = (change.latest, change.new.as_ref());
            }
            if let Some(version) = version.filter(|version| !version.paused) {
                problems.push(format!("{name} still has events: {version:?}"));
                continue;
            }
            self.check_span(name, version, after, i64::MAX, &mut counts, &mut problems);
        }
        self.count_pushes(&mut counts, &mut problems);
        for problem in problems.iter().take(20) {
            println!("{problem}");
        }
        assert!(problems.is_empty(), "{} problems, see above", problems.len());
        counts
    }

    /// Checks the tasks of a version after an instant, and until another one.
    fn check_span(
        &self,
        name: &str,
        version: Option<&Definition>,
        after: i64,
        until: i64,
        counts: &mut Counts,
        problems: &mut Vec<String>,
    ) {
        let events = version.map(|version| version.events(after, until)).unwrap_or_default();
        counts.events += events.len();
        let payloads = version.map(|version| version.payload);
        let payloads = events.into_iter().zip(payloads.into_iter().cycle()).collect();
        if let Err(problem) = self.compare(name, &payloads, after, until) {
            problems.push(format!("{name}, {version:?} after {after} until {until}: {problem}"));
        }
    }

    /// Returns the instants at which a change may have been committed, according to the tasks.
    fn commits(&self, name: &str, change: &Change) -> BTreeSet<i64> {
        let &Change { earliest, latest, .. } = change;
        let is_consistent =
            |commit: &i64| self.compare(name, &change.events(*commit), earliest, latest).is_ok();
        (earliest..=latest).filter(is_consistent).collect()
    }

    /// Compares events and their payloads with the tasks after an instant, and until another one.
    fn compare(
        &self,
        name: &str,
        events: &BTreeMap<i64, i64>,
        after: i64,
        until: i64,
    ) -> Result<(), String> {
        let span = (std::ops::Bound::Excluded(after), std::ops::Bound::Included(until));
        let (no_tasks, no_triggered) = (BTreeMap::new(), BTreeSet::new());
        if after >= until {
            return Ok(());
        }
        let tasks = self.tasks.get(name).unwrap_or(&no_tasks);
        let triggered = self.triggered.get(name).unwrap_or(&no_triggered);
        for instant in events.keys().chain(triggered.range(span)) {
            if !tasks.contains_key(instant) {
                let kind = if events.contains_key(instant) { "an event" } else { "a trigger" };
                return Err(format!("{kind} at {instant} is no task"));
            }
        }
        for (instant, task) in tasks.range(span) {
            let is_event = events.get(instant) == Some(&task.payload);
            let is_trigger =
                || triggered.contains(instant) && self.may_trigger(name, *instant, task);
            if !(is_event || is_trigger()) {
                let expected = events.get(instant);
                return Err(format!("{task:?} at {instant}, but expected payload {expected:?}"));
            }
        }
        Ok(())
    }

    /// Returns whether a task has the payload of the version that was triggered, or of a later one.
    fn may_trigger(&self, name: &str, instant: i64, task: &Task) -> bool {
        let changes = &self.changes[name];
        let first = changes.partition_point(|change| change.latest < instant).saturating_sub(1);
        changes[first..].iter().any(|change| change.payloads.contains(&task.payload))
    }

    /// Returns the upper bound of the errors about keys that exist, because a schedule was triggered at the
    /// instant of an event.
    pub(crate) fn triggered_events(&self) -> usize {
        let triggered = self.triggered.values().flatten();
        // A refused batch is divided until the task is found.
        triggered.filter(|instant| *instant % 50 == 0).count() * 20
    }

    fn count_pushes(&self, counts: &mut Counts, problems: &mut Vec<String>) {
        counts.triggered = self.triggered.values().map(BTreeSet::len).sum();
        let mut delays = Vec::new();
        for (name, tasks) in &self.tasks {
            for (instant, task) in tasks {
                delays.push(task.pushed - instant);
                if task.pushed < *instant {
                    problems.push(format!("{name}:{instant} was pushed early: {task:?}"));
                }
            }
        }
        delays.sort_unstable();
        counts.tasks = delays.len();
        counts.latest_push = delays.last().copied().unwrap_or(0);
        counts.late_push = delays.get(delays.len() * 99 / 100).copied().unwrap_or(0);
    }
}
