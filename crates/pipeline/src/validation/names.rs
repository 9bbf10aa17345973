//! Reads needs, and resolves the names of jobs to indices.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::error::{PipelineProblem, Setting};
use crate::model::job::{Job, NeedTree};
use crate::model::need::{Kind, Need, NeedSettings, Rule};
use crate::model::requirement::Requirement;

/// The maximum depth of nested needs.
const MAX_DEPTH: usize = 64;

/// Converts the needs of a job to owned trees.
pub(crate) struct NeedReader<'j> {
    pub(crate) job: &'j str,
    pub(crate) problems: Vec<PipelineProblem>,
}

/// Which settings of the enclosing needs a need uses.
#[derive(Clone, Copy, Default)]
struct Usage {
    unit: bool,
    limit: bool,
}

impl Usage {
    fn or(self, other: Self) -> Self {
        Self { unit: self.unit || other.unit, limit: self.limit || other.limit }
    }
}

impl NeedReader<'_> {
    /// Converts a need of the job; `None` if it is nested too deeply.
    pub(crate) fn read(&mut self, need: &Need<'_>) -> Option<NeedTree<Arc<str>>> {
        let tree = self.tree(need, NeedSettings::default(), MAX_DEPTH);
        if tree.is_none() {
            self.problems.push(PipelineProblem::TooDeep { job: self.job.into(), max: MAX_DEPTH });
        }
        tree.map(|(tree, _)| tree)
    }

    fn tree(
        &mut self,
        need: &Need<'_>,
        outer: NeedSettings,
        depth: usize,
    ) -> Option<(NeedTree<Arc<str>>, Usage)> {
        let depth = depth.checked_sub(1)?;
        let settings = need.settings.within(outer);
        let leaf = |upstream: &str, rule: Rule| {
            let (unit, limit) = (rule.uses_period(settings.periods), rule == Rule::Last);
            let requirement = Requirement { upstream: upstream.into(), rule, settings };
            (NeedTree::Leaf(requirement), Usage { unit, limit })
        };
        let (tree, used) = match need.kind {
            Kind::Upstream(rule, upstream) => leaf(upstream, rule),
            Kind::SelfPrevious => leaf(self.job, Rule::Previous),
            Kind::AnyOf(needs) => {
                let (needs, used) = self.trees(needs, settings, depth)?;
                (NeedTree::AnyOf(needs), used)
            }
            Kind::AllOf(needs) => {
                let (needs, used) = self.trees(needs, settings, depth)?;
                (NeedTree::AllOf(needs), used)
            }
        };
        Some((tree, self.outer_usage(need, used)))
    }

    fn trees(
        &mut self,
        needs: &[Need<'_>],
        settings: NeedSettings,
        depth: usize,
    ) -> Option<(Vec<NeedTree<Arc<str>>>, Usage)> {
        let mut used = Usage::default();
        let mut trees = Vec::new();
        for need in needs {
            let (tree, of_need) = self.tree(need, settings, depth)?;
            used = used.or(of_need);
            trees.push(tree);
        }
        Some((trees, used))
    }

    /// Reports the settings of a need that nothing inside it uses. Returns which settings of the
    /// enclosing needs it uses, as its own settings hide theirs.
    fn outer_usage(&mut self, need: &Need<'_>, used: Usage) -> Usage {
        let is_set = [need.settings.unit.is_some(), need.settings.limit.is_some()];
        let settings = [(used.unit, Setting::Period), (used.limit, Setting::AgeLimit)];
        for (is_set, (is_used, setting)) in is_set.into_iter().zip(settings) {
            if is_set && !is_used {
                self.problems
                    .push(PipelineProblem::UnusedSetting { job: self.job.into(), setting });
            }
        }
        let [unit_is_set, limit_is_set] = is_set;
        Usage { unit: used.unit && !unit_is_set, limit: used.limit && !limit_is_set }
    }
}

/// Finds jobs by name, and collects problems with names.
pub(crate) struct Resolver {
    pub(crate) indices: BTreeMap<Arc<str>, usize>,
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
