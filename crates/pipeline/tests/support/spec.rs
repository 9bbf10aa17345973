//! Descriptions of pipelines, for the library and the model.

use std::time::Duration;

use millicron::Unit;
use millicron_pipeline::{Need, Pipeline, PipelineBuilder};

use super::events::{ScheduleSpec, schedule, zoned};

/// A need. Jobs are identified by their indices.
#[derive(Clone, Debug)]
pub(crate) struct NeedSpec {
    pub(crate) kind: NeedKind,
    pub(crate) settings: Settings,
}

/// How far a need looks back, and what it accepts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Settings {
    pub(crate) events: u32,
    pub(crate) periods: u32,
    pub(crate) millis: i64,
    pub(crate) unit: Option<Unit>,
    pub(crate) limit: Option<Limit>,
    pub(crate) accepts_ended: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Limit {
    Millis(i64),
    Unit(Unit),
}

impl Settings {
    /// Combines these with the settings of an enclosing need.
    pub(crate) fn within(self, outer: Self) -> Self {
        Self {
            events: self.events + outer.events,
            periods: self.periods + outer.periods,
            millis: self.millis + outer.millis,
            unit: self.unit.or(outer.unit),
            limit: self.limit.or(outer.limit),
            accepts_ended: self.accepts_ended | outer.accepts_ended,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum NeedKind {
    Last(usize),
    Latest(usize),
    Classic(usize),
    All(usize),
    AllData(usize, Unit),
    AtLeast(u64, usize),
    Previous,
    AnyOf(Vec<NeedSpec>),
    AllOf(Vec<NeedSpec>),
}

#[derive(Clone, Debug)]
pub(crate) struct JobSpec {
    pub(crate) when: ScheduleSpec,
    /// The previous schedules, each with the instant at which it was replaced, in order.
    pub(crate) previous: Vec<(ScheduleSpec, i64)>,
    pub(crate) needs: Vec<NeedSpec>,
}

/// A description of a pipeline, and the tested time range.
#[derive(Clone, Debug)]
pub(crate) struct PipelineSpec {
    pub(crate) since: Option<i64>,
    pub(crate) from: i64,
    pub(crate) horizon: i64,
    pub(crate) jobs: Vec<JobSpec>,
}

/// Returns the name of the job at an index.
pub(crate) fn name(index: usize) -> String {
    format!("job {index}")
}

impl PipelineSpec {
    /// Returns a builder for the described pipeline.
    pub(crate) fn builder(&self) -> PipelineBuilder {
        let mut builder = Pipeline::builder();
        if let Some(since) = self.since {
            builder = builder.since(since);
        }
        for (index, job) in self.jobs.iter().enumerate() {
            let needs: Vec<Need<'static>> = job.needs.iter().map(to_need).collect();
            let JobSpec { when, previous, .. } = job;
            builder = match zoned(when) {
                Some(zoned) => builder.job(&name(index), zoned, needs),
                None => builder.job(&name(index), schedule(when), needs),
            };
            for (when, until) in previous {
                builder = match zoned(when) {
                    Some(zoned) => builder.previous_schedule(&name(index), zoned, *until),
                    None => builder.previous_schedule(&name(index), schedule(when), *until),
                };
            }
        }
        builder
    }
}

/// Converts to a need of the library. Needs borrow their parts, so this leaks a few bytes.
fn to_need(spec: &NeedSpec) -> Need<'static> {
    let named = |index: &usize| -> &'static str { Box::leak(name(*index).into_boxed_str()) };
    let all = |needs: &[NeedSpec]| -> &'static [Need<'static>] {
        Box::leak(needs.iter().map(to_need).collect())
    };
    let mut need = match &spec.kind {
        NeedKind::Last(of) => Need::last(named(of)),
        NeedKind::Latest(of) => Need::latest(named(of)),
        NeedKind::Classic(of) => Need::classic(named(of)),
        NeedKind::All(of) => Need::all(named(of)),
        NeedKind::AllData(of, unit) => Need::all_data(named(of), *unit),
        NeedKind::AtLeast(count, of) => Need::at_least(*count, named(of)),
        NeedKind::Previous => Need::self_previous(),
        NeedKind::AnyOf(needs) => Need::any_of(all(needs)),
        NeedKind::AllOf(needs) => Need::all_of(all(needs)),
    };
    let Settings { events, periods, millis, unit, limit, accepts_ended } = spec.settings;
    need = need.events_back(events).periods_back(periods).time_back(duration(millis));
    if let Some(unit) = unit {
        need = need.period(unit);
    }
    need = match limit {
        Some(Limit::Millis(millis)) => need.within(duration(millis)),
        Some(Limit::Unit(unit)) => need.within_unit(unit),
        None => need,
    };
    if accepts_ended { need.ended() } else { need }
}

fn duration(millis: i64) -> Duration {
    Duration::from_millis(millis.unsigned_abs())
}
