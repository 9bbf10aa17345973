//! What the processes did, according to their log.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::worker::{self, Work};

/// The logged history of a run.
#[derive(Debug, Default)]
pub(crate) struct RunAccount {
    /// The tasks that started it.
    pub(crate) tasks: BTreeSet<String>,
    /// The lines of the log in which it starts.
    starts: Vec<usize>,
    /// The lines of the log in which it ends.
    pub(crate) ends: Vec<usize>,
    /// How late its first start was, in milliseconds.
    lateness: i64,
}

/// The runs of all processes, by their keys.
#[derive(Debug)]
pub(crate) struct Account {
    pub(crate) runs: BTreeMap<String, RunAccount>,
    /// The first and the last instant of the events, in milliseconds.
    pub(crate) first: i64,
    pub(crate) last: i64,
}

impl Account {
    /// Reads a log. An incomplete line is ignored.
    pub(crate) fn read(log: &Path, first: i64, last: i64) -> Self {
        let text = fs::read_to_string(log).unwrap_or_default();
        let mut runs = BTreeMap::<String, RunAccount>::new();
        let lines = text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
        for (number, line) in lines.enumerate() {
            let words: Vec<_> = line.split(' ').collect();
            let run = runs.entry(words[1].to_owned()).or_default();
            match words[0] {
                "start" => {
                    run.tasks.insert(words[2].to_owned());
                    if run.starts.is_empty() {
                        run.lateness = words[3].parse().expect("a number");
                    }
                    run.starts.push(number);
                }
                _ => run.ends.push(number),
            }
        }
        Self { runs, first, last }
    }

    /// Returns the events whose execution has not completed.
    pub(crate) fn missing(&self, work: Work) -> Vec<String> {
        let keys = worker::expected(work, self.first, self.last);
        let is_done = |key: &str| self.runs.get(key).is_some_and(|run| !run.ends.is_empty());
        keys.into_iter().filter(|key| !is_done(key)).collect()
    }

    pub(crate) fn check(&self, work: Work) {
        assert_eq!(self.missing(work), [""; 0], "events that were not executed");
        for (key, run) in &self.runs {
            let instant = instant(key);
            assert!(run.lateness >= 0, "{key} started {} ms early", -run.lateness);
            assert!(instant >= self.first, "{key} is no event");
            match work {
                // Another process may execute the same task, but there is no second task.
                Work::Events => assert_eq!(run.tasks.len(), 1, "{key} was {:?}", run.tasks),
                Work::Pipeline => self.check_needs(key, run),
                Work::Stored | Work::Changes => {}
            }
        }
        let expected = worker::expected(work, self.first, self.last);
        let keys: BTreeSet<_> = expected.iter().map(String::as_str).collect();
        for key in self.runs.keys().filter(|key| instant(key) <= self.last) {
            assert!(keys.contains(&**key), "{key} is no event");
        }
    }

    /// Checks that all runs that a run needs had ended before it started.
    fn check_needs(&self, key: &str, run: &RunAccount) {
        let (job, instant) = key.split_once(':').expect("a key");
        let start = run.starts[0];
        for need in worker::needs(job) {
            let need = format!("{need}:{instant}");
            let ended = self.runs.get(&need).and_then(|run| run.ends.first());
            assert!(ended.is_some_and(|end| *end < start), "{key} has started before {need}");
        }
    }

    /// Returns the lateness of the first attempts of runs, in milliseconds: the median, the 99th
    /// percentile and the maximum.
    pub(crate) fn lateness(&self) -> [i64; 3] {
        let runs = self.runs.iter().filter(|(key, _)| instant(key) <= self.last);
        let mut lateness: Vec<_> = runs.map(|(_, run)| run.lateness).collect();
        lateness.sort_unstable();
        let last = lateness.len().saturating_sub(1);
        [last / 2, last * 99 / 100, last].map(|index| lateness.get(index).copied().unwrap_or(0))
    }

    /// Returns the number of executions that were repetitions.
    pub(crate) fn repeated(&self) -> usize {
        self.runs.values().map(|run| run.starts.len().saturating_sub(1)).sum()
    }
}

/// Returns the instant of a key.
pub(crate) fn instant(key: &str) -> i64 {
    key.split(':').nth(1).and_then(|instant| instant.parse().ok()).expect("a key with an instant")
}
