//! [`Explanation`]: a job, in words.

use core::fmt;

use crate::demand::{Job, Leaf, Node};
use crate::need::{Back, Rule};
use millicron::Recurrence as _;
use millicron::Unit;

/// What a job is and needs, in words, by `Display`; made by
/// [`Pipeline::explain`](super::Pipeline::explain).
#[derive(Clone, Copy)]
pub struct Explanation<'a> {
    pub(crate) jobs: &'a [Job],
    pub(crate) job: &'a Job,
}

impl fmt::Display for Explanation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Job { name, timeline, needs, .. } = self.job;
        write!(f, "`{name}` runs")?;
        if let Some(schedule) = timeline.schedule() {
            write!(f, " at `{}`", schedule.expression())?;
        }
        if timeline.is_zoned() {
            f.write_str(" in local time")?;
        }
        write!(f, ", {}.", timeline.era(i64::MAX).cycle)?;
        if needs.is_empty() {
            return f.write_str(" It needs nothing.");
        }
        f.write_str(" A run needs")?;
        self.list(f, needs, 0)?;
        f.write_str(".")
    }
}

impl Explanation<'_> {
    fn list(&self, f: &mut fmt::Formatter<'_>, needs: &[Node], depth: usize) -> fmt::Result {
        for (index, need) in needs.iter().enumerate() {
            let separator = if index == 0 { "" } else { ";" };
            write!(f, "{separator}\n{:depth$}- ", "", depth = 2 * depth)?;
            match need {
                Node::Leaf(leaf) => self.leaf(f, leaf)?,
                Node::AnyOf(needs) => {
                    f.write_str("one of")?;
                    self.list(f, needs, depth + 1)?;
                }
                Node::AllOf(needs) => {
                    f.write_str("each of")?;
                    self.list(f, needs, depth + 1)?;
                }
            }
        }
        Ok(())
    }

    fn leaf(&self, f: &mut fmt::Formatter<'_>, leaf: &Leaf) -> fmt::Result {
        let Leaf { upstream, rule, back } = leaf;
        let Some(upstream) = self.jobs.get(*upstream) else { return Ok(()) };
        let [own, upstream_era] = [self.job, upstream].map(|job| job.timeline.era(i64::MAX));
        let (unit, _) = leaf.cycle(own, upstream_era);
        let name = &*upstream.name;
        let cycle = upstream_era.cycle;
        match rule {
            Rule::Latest => write!(
                f,
                "a success of `{name}` ({cycle}) at or after the check point: the first event of \
                 `{name}` at or after the start of {}",
                Period { unit, back: back.cycles }
            )?,
            Rule::Previous => f.write_str("the success of its own run before")?,
            Rule::All => write!(f, "every run of `{name}` ({cycle})")?,
            Rule::AtLeast(count) => write!(f, "at least {count} runs of `{name}` ({cycle})")?,
        }
        match (rule, back.cycles) {
            (Rule::Latest, _) | (Rule::Previous, 0) => {}
            (Rule::Previous, cycles) => {
                write!(f, ", up to the end of {}", Period { unit, back: cycles })?;
            }
            (_, 0) => f.write_str(" after its previous event and up to itself")?,
            (_, cycles) => write!(f, " in {}", Period { unit, back: cycles })?,
        }
        let Back { events, .. } = back;
        match events {
            0 => Ok(()),
            1 => f.write_str(", as for the run before"),
            _ => write!(f, ", as for the run {events} runs before"),
        }
    }
}

/// A unit of the calendar, so many before that of a run.
struct Period {
    unit: Unit,
    back: u32,
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { unit, back } = self;
        match back {
            0 => write!(f, "the {unit}"),
            1 => write!(f, "the {unit} before"),
            _ => write!(f, "the {unit} {back} {unit}s before"),
        }
    }
}

impl fmt::Debug for Explanation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
