//! [`NeedEntry`]: a need of a job in a file.

use std::collections::HashSet;
use std::time::Duration;

use millicron::Unit;
use millicron_pipeline::{Need, PipelineProblem as Problem};

/// A need of each run of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NeedEntry {
    pub(crate) rule: NeedRule,
    pub(crate) within: Option<Within>,
    pub(crate) period: Option<Unit>,
    pub(crate) events_back: u32,
    pub(crate) periods_back: u32,
    pub(crate) time_back: Duration,
    pub(crate) ended: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NeedRule {
    Last(String),
    All(String),
    AllData(String, Unit),
    AtLeast(u64, String),
    Latest(String),
    Classic(String),
    Previous,
    AnyOf(Vec<NeedEntry>),
    AllOf(Vec<NeedEntry>),
}

/// The maximum age of a run that is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Within {
    Age(Duration),
    Unit(Unit),
}

impl NeedEntry {
    pub(crate) const fn new(rule: NeedRule) -> Self {
        Self {
            rule,
            within: None,
            period: None,
            events_back: 0,
            periods_back: 0,
            time_back: Duration::ZERO,
            ended: false,
        }
    }

    /// Calls a function with these needs as [`Need`]s.
    ///
    /// A [`Need`] of a group borrows the needs in the group, so they cannot be returned.
    pub(crate) fn with_needs(entries: &[Self], then: &mut dyn FnMut(&[Need<'_>])) {
        go_on(Vec::new(), entries, then);
    }

    /// Whether this is a need of the job's own previous run.
    pub(crate) const fn is_previous(&self) -> bool {
        matches!(self.rule, NeedRule::Previous)
    }

    /// Adds the names of the needed jobs, except for the job itself.
    pub(super) fn collect_jobs<'n>(&'n self, jobs: &mut HashSet<&'n str>) {
        match &self.rule {
            NeedRule::Last(job)
            | NeedRule::All(job)
            | NeedRule::AllData(job, _)
            | NeedRule::AtLeast(_, job)
            | NeedRule::Latest(job)
            | NeedRule::Classic(job) => {
                jobs.insert(job);
            }
            NeedRule::Previous => {}
            NeedRule::AnyOf(group) | NeedRule::AllOf(group) => {
                for need in group {
                    need.collect_jobs(jobs);
                }
            }
        }
    }

    /// Returns the need if some jobs are not needed; `None` if nothing else is.
    pub(super) fn without(&self, is_left_out: &dyn Fn(&str) -> bool) -> Option<Self> {
        let without = |need: &Self| need.without(is_left_out);
        let rule = match &self.rule {
            NeedRule::AnyOf(group) => {
                NeedRule::AnyOf(group.iter().map(without).collect::<Option<_>>()?)
            }
            NeedRule::AllOf(group) => {
                let rest = group.iter().filter_map(without).collect::<Vec<_>>();
                NeedRule::AllOf(Some(rest).filter(|rest| !rest.is_empty())?)
            }
            rule => {
                let mut jobs = HashSet::new();
                self.collect_jobs(&mut jobs);
                jobs.into_iter().all(|job| !is_left_out(job)).then(|| rule.clone())?
            }
        };
        Some(Self { rule, ..self.clone() })
    }

    /// Returns the need, unless it is a group.
    fn leaf(&self) -> Option<Need<'_>> {
        let need = match &self.rule {
            NeedRule::Last(job) => Need::last(job),
            NeedRule::All(job) => Need::all(job),
            NeedRule::AllData(job, unit) => Need::all_data(job, *unit),
            NeedRule::AtLeast(count, job) => Need::at_least(*count, job),
            NeedRule::Latest(job) => Need::latest(job),
            NeedRule::Classic(job) => Need::classic(job),
            NeedRule::Previous => Need::self_previous(),
            NeedRule::AnyOf(_) | NeedRule::AllOf(_) => return None,
        };
        Some(self.set_on(need))
    }

    fn set_on<'n>(&self, mut need: Need<'n>) -> Need<'n> {
        need = match self.within {
            Some(Within::Age(age)) => need.within(age),
            Some(Within::Unit(unit)) => need.within_unit(unit),
            None => need,
        };
        if let Some(period) = self.period {
            need = need.period(period);
        }
        if !self.time_back.is_zero() {
            need = need.time_back(self.time_back);
        }
        if self.ended {
            need = need.ended();
        }
        need.events_back(self.events_back).periods_back(self.periods_back)
    }
}

fn go_on<'n>(
    mut needs: Vec<Need<'n>>,
    entries: &'n [NeedEntry],
    then: &mut dyn FnMut(&[Need<'_>]),
) {
    for (index, entry) in entries.iter().enumerate() {
        match (&entry.rule, entry.leaf()) {
            (_, Some(need)) => needs.push(need),
            (NeedRule::AnyOf(group) | NeedRule::AllOf(group), None) => {
                let rest = entries.get(index + 1..).unwrap_or_default();
                let is_any = matches!(entry.rule, NeedRule::AnyOf(_));
                return go_on(Vec::new(), group, &mut |group| {
                    let group = if is_any { Need::any_of(group) } else { Need::all_of(group) };
                    let mut needs = needs.clone();
                    needs.push(entry.set_on(group));
                    go_on(needs, rest, then);
                });
            }
            (_, None) => {}
        }
    }
    then(&needs);
}

/// Returns the job that a problem of a pipeline is about.
pub(super) fn job_of(problem: &Problem) -> Option<&str> {
    match problem {
        Problem::UnknownJob { needed_by, .. } => needed_by.as_deref(),
        Problem::DependencyCycle { path, .. } => path.first().map(|job| &**job),
        Problem::DuplicateJob { job }
        | Problem::UnusedSetting { job, .. }
        | Problem::DuplicateChange { job, .. }
        | Problem::MixedZones { zoned: job, .. }
        | Problem::UnitWithoutZone { job, .. }
        | Problem::CivilTime { job }
        | Problem::TooDeep { job, .. }
        | Problem::NeverRuns { job }
        | Problem::NoAlternative { job }
        | Problem::ImpossibleNeed { job, .. } => Some(job),
        _ => None,
    }
}

/// Returns the message of a problem, with the keys of job files in place of the library's methods.
pub(super) fn message_of(problem: &Problem) -> String {
    // Each is part of a sentence, so that names of jobs are not replaced.
    const KEYS: [(&str, &str); 4] = [
        ("as with `periods_back(1)`", "as with `periods-back = 1`"),
        ("set by `within` or `within_unit`", "set by `within`"),
        ("with `periods_back` also", "with `periods-back` also"),
        ("`at_least` and `self_previous`", "`at-least` and `previous`"),
    ];
    let message = problem.to_string();
    KEYS.iter().fold(message, |message, (method, key)| message.replace(method, key))
}
