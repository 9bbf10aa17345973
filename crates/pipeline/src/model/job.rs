//! [`Job`]: a job of a pipeline, with the needs of its runs.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::requirement::Requirement;
use super::timeline::Timeline;

/// A job of a pipeline.
pub(crate) struct Job {
    pub(crate) name: Arc<str>,
    pub(crate) timeline: Timeline,
    /// All of these must be met.
    pub(crate) needs: Vec<NeedTree>,
    /// The leaves of `needs`.
    pub(crate) requirements: Vec<Requirement>,
    /// The indices of the jobs that need this one.
    pub(crate) downstream: Vec<usize>,
}

/// A need. `J` identifies jobs: names at first, then the indices to which they are resolved.
pub(crate) enum NeedTree<J = usize> {
    Leaf(Requirement<J>),
    AnyOf(Vec<Self>),
    AllOf(Vec<Self>),
}

impl<J> NeedTree<J> {
    /// Resolves every job, or returns `None` if one of them is unknown.
    pub(crate) fn resolve<K>(
        &self,
        resolve: &mut impl FnMut(&J) -> Option<K>,
    ) -> Option<NeedTree<K>> {
        let all = |trees: &[Self], resolve: &mut _| -> Option<Vec<NeedTree<K>>> {
            // Resolves all of them before it fails, so that every unknown job is reported.
            let resolved: Vec<_> = trees.iter().map(|tree| tree.resolve(resolve)).collect();
            resolved.into_iter().collect()
        };
        Some(match self {
            Self::Leaf(Requirement { upstream, rule, settings }) => {
                let upstream = resolve(upstream)?;
                NeedTree::Leaf(Requirement { upstream, rule: *rule, settings: *settings })
            }
            Self::AnyOf(trees) => NeedTree::AnyOf(all(trees, resolve)?),
            Self::AllOf(trees) => NeedTree::AllOf(all(trees, resolve)?),
        })
    }

    fn collect_leaves<'a>(&'a self, leaves: &mut Vec<&'a Requirement<J>>) {
        match self {
            Self::Leaf(leaf) => leaves.push(leaf),
            Self::AnyOf(trees) | Self::AllOf(trees) => {
                for tree in trees {
                    tree.collect_leaves(leaves);
                }
            }
        }
    }
}

impl Job {
    pub(crate) fn new(name: Arc<str>, timeline: Timeline, needs: Vec<NeedTree>) -> Self {
        let mut leaves = Vec::new();
        for need in &needs {
            need.collect_leaves(&mut leaves);
        }
        let requirements = leaves.into_iter().copied().collect();
        Self { name, timeline, needs, requirements, downstream: Vec::new() }
    }
}
