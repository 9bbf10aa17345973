//! The model's rules of needs.

use std::collections::BTreeSet;

use millicron::Unit;
use millicron_pipeline::{Readiness, Reason, Waiting};

use super::model::{Model, TimelineModel, Version};
use super::spec::{Limit, NeedKind, NeedSpec, Settings};

/// What a need requires for one run.
#[derive(Debug)]
pub(crate) enum Required {
    Nothing,
    /// A success at or after the first instant. The run is likely to use the successes up to the
    /// second instant.
    CheckPoint(i64, i64),
    /// The last run, or the next one if the last is too old.
    Last(i64, Age),
    /// The given number of these runs.
    Runs(Vec<i64>, u64),
}

/// Why the last run or the next one is required.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Age {
    Recent,
    /// The last run.
    TooOld(i64),
    NoRun,
}

/// A reason why a run waits, to compare with the library.
#[derive(Debug, PartialEq)]
pub(crate) enum ModelReason {
    CheckPoint(String, i64),
    Last { job: String, run: i64, age: Age },
    Runs { job: String, missing: Vec<i64>, needed: u64 },
    AnyOf(Vec<Vec<ModelReason>>),
}

/// The check period of a run: its units, counted back from the unit that contains the anchor.
struct UnitsBack<'a> {
    version: &'a Version,
    unit: Unit,
    first: u32,
    last: u32,
}

impl UnitsBack<'_> {
    fn start(&self, anchor: i64) -> i64 {
        self.version.events.start(self.unit, self.first, anchor)
    }

    fn last_unit(&self, anchor: i64) -> i64 {
        self.version.events.start(self.unit, self.last, anchor)
    }

    /// Returns the start of the unit after the period. That unit exists, because the period looks
    /// back.
    fn end(&self, anchor: i64) -> i64 {
        self.version.events.start(self.unit, self.last - 1, anchor)
    }
}

/// A run of a job, and the job that it needs.
struct Question<'a> {
    own: &'a TimelineModel,
    of: &'a TimelineModel,
    scheduled: i64,
    settings: Settings,
}

impl Model {
    pub(super) fn required(
        &self,
        job: usize,
        scheduled: i64,
        need: &NeedSpec,
        settings: Settings,
    ) -> (usize, Required) {
        let upstream = match &need.kind {
            NeedKind::Last(of)
            | NeedKind::Latest(of)
            | NeedKind::Classic(of)
            | NeedKind::All(of)
            | NeedKind::AllData(of, _)
            | NeedKind::AtLeast(_, of) => *of,
            NeedKind::Previous | NeedKind::AnyOf(_) | NeedKind::AllOf(_) => job,
        };
        let [own, of] = [&self.lines[job], &self.lines[upstream]];
        let question = Question { own, of, scheduled, settings };
        (upstream, question.answer(&need.kind).unwrap_or(Required::Nothing))
    }
}

impl Question<'_> {
    fn answer(&self, kind: &NeedKind) -> Option<Required> {
        let Settings { events, periods, millis, .. } = self.settings;
        let mut run = self.scheduled;
        for _ in 0..events {
            run = self.own.before(run)?;
        }
        let anchor = run - millis;
        match kind {
            NeedKind::Latest(_) => self.check_point(&self.period(), anchor),
            NeedKind::Classic(_) => self.check_point(&self.gap_period(), anchor),
            NeedKind::Last(_) => {
                let until = if periods == 0 { anchor } else { self.period().end(anchor) - 1 };
                self.last(until)
            }
            NeedKind::Previous => {
                let until = if periods == 0 { anchor } else { self.period().end(anchor) };
                let reset = self.own.version(self.scheduled).reset;
                let run = self.own.before(until).filter(|run| *run >= reset)?;
                Some(Required::Runs(vec![run], 1))
            }
            NeedKind::AllData(_, unit) => Some(all_of(self.with_data(*unit, anchor))),
            NeedKind::AtLeast(count, _) => {
                let runs = self.interval(run, anchor);
                let all = u64::try_from(runs.len()).expect("the count fits");
                Some(Required::Runs(runs, *count.min(&all)))
            }
            _ => Some(all_of(self.interval(run, anchor))),
        }
    }

    fn versions(&self) -> [&Version; 2] {
        [self.own.version(self.scheduled), self.of.version(self.scheduled)]
    }

    /// Returns the check period of a need that may set its unit.
    fn period(&self) -> UnitsBack<'_> {
        let [own, of] = self.versions();
        let Settings { periods, unit, .. } = self.settings;
        let (unit, version) = match unit {
            Some(unit) => (unit, own),
            None if of.period.is_longer_than(own.period) => (of.period.unit, of),
            None => (own.period.unit, own),
        };
        UnitsBack { version, unit, first: periods, last: periods }
    }

    /// Returns the check period derived from gaps.
    fn gap_period(&self) -> UnitsBack<'_> {
        let [own, of] = self.versions();
        let gaps = [own, of].map(|version| version.events.shortest_gap());
        let version = if gaps[1] > gaps[0] { of } else { own };
        let (unit, count) = version.events.gap_units();
        let periods = self.settings.periods;
        UnitsBack { version, unit, first: count * (periods + 1) - 1, last: count * periods }
    }

    fn check_point(&self, period: &UnitsBack<'_>, anchor: i64) -> Option<Required> {
        let [own, of] = self.versions();
        let events = &period.version.events;
        let (start, first_year) = (period.start(anchor), events.first_year());
        let begins = self.of.nearest(of.reset)?;
        let is_after = events.floor(period.unit, begins) > period.last_unit(anchor);
        let is_cut = start < of.reset.max(first_year);
        if is_after && (self.settings.periods > 0 || is_cut && of.is_initial) {
            return None;
        }
        let from = start.max(own.reset).max(of.reset);
        // If upstream will never run again, its last run is the check point.
        let check_point = self.of.nearest(from).or_else(|| self.of.last())?;
        let until = if self.settings.periods == 0 { anchor } else { period.end(anchor) - 1 };
        let until = until.min(anchor).max(check_point);
        (check_point >= of.reset).then_some(Required::CheckPoint(check_point, until))
    }

    fn last(&self, until: i64) -> Option<Required> {
        let [own, of] = self.versions();
        let last = self.of.before(until + 1).filter(|event| *event >= of.reset);
        let oldest = match self.settings.limit {
            None => return last.map(|event| Required::Last(event, Age::Recent)),
            Some(Limit::Millis(millis)) => until - millis,
            Some(Limit::Unit(unit)) => own.events.floor(unit, until),
        };
        match (last, self.of.nearest(until + 1)) {
            (Some(last), _) if last >= oldest => Some(Required::Last(last, Age::Recent)),
            (None, _) if oldest < of.reset.max(own.events.first_year()) => None,
            (last, Some(next)) => Some(Required::Last(next, last.map_or(Age::NoRun, Age::TooOld))),
            (last, None) => last.map(|event| Required::Last(event, Age::Recent)),
        }
    }

    /// Returns the runs whose data begins in the previous unit: the runs that follow an event in
    /// it.
    fn with_data(&self, unit: Unit, anchor: i64) -> Vec<i64> {
        let [own, of] = self.versions();
        let start = own.events.start(unit, self.settings.periods + 1, anchor);
        let end = own.events.start(unit, self.settings.periods, anchor);
        let beyond = self.of.nearest(self.of.horizon + 1);
        let mut runs = Vec::new();
        let mut before = None;
        for event in self.of.events.iter().copied().chain(beyond) {
            let begins_before_end = match before {
                Some(before) => before < end && end > of.reset,
                None => end > of.reset,
            };
            let begins_after_start = start < of.reset || before.is_some_and(|it| it >= start);
            if event >= of.reset && begins_before_end && begins_after_start {
                runs.push(event);
            }
            before = Some(event);
        }
        runs
    }

    /// Returns the runs in the data interval, or in an earlier period as a whole.
    fn interval(&self, run: i64, anchor: i64) -> Vec<i64> {
        let Settings { periods, millis, .. } = self.settings;
        let (from, until) = if periods == 0 {
            (self.own.before(run).map_or(i64::MIN, |before| before - millis + 1), anchor + 1)
        } else {
            (self.period().start(anchor), self.period().end(anchor))
        };
        self.of.between(from.max(self.of.version(self.scheduled).reset), until)
    }
}

fn all_of(runs: Vec<i64>) -> Required {
    let all = u64::try_from(runs.len()).expect("the count fits");
    Required::Runs(runs, all)
}

/// The runs of a job that a need accepts.
pub(super) struct Ended<'a> {
    pub(super) succeeded: &'a BTreeSet<i64>,
    /// The failed and skipped runs; `None` if they do not count.
    pub(super) failed: Option<&'a BTreeSet<i64>>,
}

impl Ended<'_> {
    fn contains(&self, run: i64) -> bool {
        self.succeeded.contains(&run) || self.failed.is_some_and(|failed| failed.contains(&run))
    }
}

/// Returns why a requirement is not met; `None` if it is.
pub(super) fn unmet(required: &Required, done: &Ended<'_>, job: String) -> Option<ModelReason> {
    match required {
        Required::Nothing => None,
        Required::CheckPoint(instant, _) => {
            let mut ended = done.succeeded.iter().chain(done.failed.into_iter().flatten());
            let is_met = ended.any(|run| run >= instant);
            (!is_met).then_some(ModelReason::CheckPoint(job, *instant))
        }
        Required::Last(run, age) => {
            let (run, age) = (*run, *age);
            (!done.contains(run)).then_some(ModelReason::Last { job, run, age })
        }
        Required::Runs(runs, count) => {
            let missing: Vec<i64> =
                runs.iter().copied().filter(|run| !done.contains(*run)).collect();
            let succeeded = u64::try_from(runs.len() - missing.len()).expect("the count fits");
            let needed = count.saturating_sub(succeeded);
            (needed > 0).then_some(ModelReason::Runs { job, missing, needed })
        }
    }
}

/// Converts the library's answer.
pub(crate) fn reasons(readiness: &Readiness<'_>) -> Vec<ModelReason> {
    match readiness {
        Readiness::Ready => Vec::new(),
        Readiness::Waiting(waiting) => reasons_of(waiting),
    }
}

fn reasons_of(waiting: &Waiting<'_>) -> Vec<ModelReason> {
    let reason = |reason: &Reason<'_>| match reason {
        Reason::Latest { job, check_point, .. } => {
            ModelReason::CheckPoint((*job).to_owned(), *check_point)
        }
        Reason::Last { job, scheduled, expired, .. } => ModelReason::Last {
            job: (*job).to_owned(),
            run: *scheduled,
            age: match expired {
                None => Age::Recent,
                Some(expired) => expired.last.map_or(Age::NoRun, Age::TooOld),
            },
        },
        Reason::Runs { job, missing, needed } => ModelReason::Runs {
            job: (*job).to_owned(),
            missing: missing.instants().collect(),
            needed: *needed,
        },
        Reason::AnyOf(alternatives) => {
            ModelReason::AnyOf(alternatives.iter().map(reasons_of).collect())
        }
        other => panic!("unknown kind of reason: {other:?}"),
    };
    waiting.reasons().iter().map(reason).collect()
}
