//! Reads needs, and resolves the names of jobs to indices.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::error::{PipelineProblem, Setting};
use crate::model::job::{Job, NeedTree, Requirement};
use crate::model::need::{Kind, Need, NeedSettings, Rule};
use crate::model::timeline::SharedRecurrence;

/// The maximum depth of nested needs.
const MAX_DEPTH: usize = 64;

/// A job whose needs still refer to other jobs by name.
pub(crate) struct UnresolvedJob {
    pub(crate) name: Arc<str>,
    pub(crate) recurrence: SharedRecurrence,
    pub(crate) needs: Vec<NeedTree>,
    pub(crate) requirements: Vec<NamedRequirement>,
    pub(crate) problems: Vec<PipelineProblem>,
}

/// A requirement that refers to the other job by name.
pub(crate) struct NamedRequirement {
    upstream: Arc<str>,
    rule: Rule,
    settings: NeedSettings,
    is_alternative: bool,
}

impl UnresolvedJob {
    pub(crate) fn new(name: &str, recurrence: SharedRecurrence) -> Self {
        let (needs, requirements, problems) = Default::default();
        Self { name: name.into(), recurrence, needs, requirements, problems }
    }

    /// Adds a need, unless it is nested too deeply.
    pub(crate) fn add(&mut self, need: &Need<'_>) {
        let tree = self.tree(need, NeedSettings::default(), false, MAX_DEPTH);
        if tree.is_none() {
            let job = (&*self.name).into();
            self.problems.push(PipelineProblem::TooDeep { job, max: MAX_DEPTH });
        }
        self.needs.extend(tree);
    }

    fn tree(
        &mut self,
        need: &Need<'_>,
        outer: NeedSettings,
        is_alternative: bool,
        depth: usize,
    ) -> Option<NeedTree> {
        let depth = depth.checked_sub(1)?;
        let settings = need.settings.within(outer);
        let mut trees = |needs: &[Need<'_>], is_alternative| {
            let tree = |need| self.tree(need, settings, is_alternative, depth);
            needs.iter().map(tree).collect::<Option<Vec<_>>>()
        };
        let tree = match need.kind {
            Kind::AnyOf(needs) => NeedTree::AnyOf(trees(needs, is_alternative || needs.len() > 1)?),
            Kind::AllOf(needs) => NeedTree::AllOf(trees(needs, is_alternative)?),
            Kind::Runs(rule, upstream) => {
                let upstream = upstream.map_or_else(|| Arc::clone(&self.name), Arc::from);
                let requirement = NamedRequirement { upstream, rule, settings, is_alternative };
                self.requirements.push(requirement);
                NeedTree::Leaf(self.requirements.len() - 1)
            }
        };
        for setting in [Setting::Period, Setting::AgeLimit] {
            if need.settings.has(setting) && !uses(need, setting, outer.periods) {
                let job = (&*self.name).into();
                self.problems.push(PipelineProblem::UnusedSetting { job, setting });
            }
        }
        Some(tree)
    }
}

/// Returns whether a setting of a need has an effect on the need or on one inside it that does not
/// override the setting.
fn uses(need: &Need<'_>, setting: Setting, outer_periods: u32) -> bool {
    let periods = need.settings.periods.saturating_add(outer_periods);
    match need.kind {
        Kind::Runs(rule, _) => rule.uses(setting, periods),
        Kind::AnyOf(needs) | Kind::AllOf(needs) => {
            needs.iter().any(|need| !need.settings.has(setting) && uses(need, setting, periods))
        }
    }
}

/// Finds jobs by name, and collects problems with names.
pub(crate) struct Resolver {
    pub(crate) indices: BTreeMap<Arc<str>, usize>,
    /// The names of all jobs, for problems.
    all: Arc<[Arc<str>]>,
    pub(crate) problems: Vec<PipelineProblem>,
}

impl Resolver {
    pub(crate) fn new<'a>(names: impl Iterator<Item = &'a Arc<str>>) -> Self {
        let mut indices = BTreeMap::new();
        let mut problems = Vec::new();
        for (index, name) in names.enumerate() {
            if indices.insert(Arc::clone(name), index).is_some() {
                problems.push(PipelineProblem::DuplicateJob { job: (&**name).into() });
            }
        }
        let all = indices.keys().cloned().collect();
        Self { indices, all, problems }
    }

    /// Returns the index of a job that another one needs.
    pub(crate) fn resolve(&mut self, job: &str, needed_by: Option<&str>) -> Option<usize> {
        let index = self.indices.get(job).copied();
        if index.is_none() {
            let (job, needed_by) = (job.into(), needed_by.map(Into::into));
            let known = Arc::clone(&self.all);
            self.problems.push(PipelineProblem::UnknownJob { job, needed_by, known });
        }
        index
    }

    /// Resolves the requirements of a job. Unknown jobs are problems, so no pipeline with gaps is
    /// built.
    pub(crate) fn requirements(
        &mut self,
        job: &str,
        requirements: Vec<NamedRequirement>,
    ) -> Vec<Requirement> {
        let resolve = |NamedRequirement { upstream, rule, settings, is_alternative }| {
            let upstream = self.resolve(&upstream, Some(job))?;
            Some(Requirement { upstream, rule, settings, is_alternative })
        };
        requirements.into_iter().filter_map(resolve).collect()
    }
}

/// Fills each job's list of downstream jobs, and measures the gaps that needs compare.
pub(crate) fn link(jobs: &mut [Job]) {
    for index in 0..jobs.len() {
        for Requirement { upstream, rule, .. } in jobs[index].requirements.clone() {
            let downstream = &mut jobs[upstream].downstream;
            // Indices ascend, so a duplicate can only be the last one.
            if downstream.last() != Some(&index) {
                downstream.push(index);
            }
            if rule == Rule::Classic {
                jobs[index].timeline.measure_gaps();
                jobs[upstream].timeline.measure_gaps();
            }
        }
    }
}
