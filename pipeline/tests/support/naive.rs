//! The rules of pipelines once more, from what the documentation says of them, with
//! lists of events where the library has arithmetic.

use std::collections::BTreeSet;

use millicron::Unit;
use millicron_pipeline::{Builder, Need, Pipeline, Readiness, Reason, Waiting};

use super::DAY;
use super::clock::{Clock, Period, When, schedule, zoned};
use crate::oracle::{END, START};

/// A need, of a job by its place.
#[derive(Clone, Debug)]
pub(crate) struct Wish {
    pub(crate) what: What,
    pub(crate) back: Back,
}

/// How far a need looks back, and by which unit, if not by the larger cycle.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Back {
    pub(crate) events: u32,
    pub(crate) cycles: u32,
    pub(crate) unit: Option<Unit>,
}

impl Back {
    /// What is chosen of a need goes for those in it.
    fn within(self, outer: Self) -> Self {
        Self {
            events: self.events + outer.events,
            cycles: self.cycles + outer.cycles,
            unit: self.unit.or(outer.unit),
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum What {
    Latest(usize),
    All(usize),
    AtLeast(u64, usize),
    Previous,
    AnyOf(Vec<Wish>),
    AllOf(Vec<Wish>),
}

#[derive(Clone, Debug)]
pub(crate) struct Task {
    pub(crate) when: When,
    /// What it ran by before, each until an instant, in order.
    pub(crate) former: Vec<(When, i64)>,
    pub(crate) needs: Vec<Wish>,
}

/// A pipeline, and the stretch of time that is looked at.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) since: Option<i64>,
    pub(crate) from: i64,
    pub(crate) horizon: i64,
    pub(crate) tasks: Vec<Task>,
}

/// The name of the job at a place.
pub(crate) fn name(place: usize) -> String {
    format!("job {place}")
}

impl Draft {
    /// The same for the library.
    pub(crate) fn builder(&self) -> Builder {
        let mut builder = Pipeline::builder();
        if let Some(since) = self.since {
            builder = builder.since(since);
        }
        for (place, task) in self.tasks.iter().enumerate() {
            let needs: Vec<Need<'static>> = task.needs.iter().map(need).collect();
            let Task { when, former, .. } = task;
            builder = match zoned(when) {
                Some(zoned) => builder.job(&name(place), zoned, needs),
                None => builder.job(&name(place), schedule(when), needs),
            };
            for (when, until) in former {
                builder = match zoned(when) {
                    Some(zoned) => builder.formerly(&name(place), zoned, *until),
                    None => builder.formerly(&name(place), schedule(when), *until),
                };
            }
        }
        builder
    }
}

/// A need for the library. It borrows, so a few bytes are given away.
fn need(wish: &Wish) -> Need<'static> {
    let named = |place: &usize| -> &'static str { Box::leak(name(*place).into_boxed_str()) };
    let all = |wishes: &[Wish]| -> &'static [Need<'static>] {
        Box::leak(wishes.iter().map(need).collect())
    };
    let need = match &wish.what {
        What::Latest(of) => Need::latest(named(of)),
        What::All(of) => Need::all(named(of)),
        What::AtLeast(count, of) => Need::at_least(*count, named(of)),
        What::Previous => Need::self_previous(),
        What::AnyOf(wishes) => Need::any_of(all(wishes)),
        What::AllOf(wishes) => Need::all_of(all(wishes)),
    };
    let need = need.events_back(wish.back.events).cycles_back(wish.back.cycles);
    match wish.back.unit {
        Some(unit) => need.by(unit),
        None => need,
    }
}

/// While a job runs by one schedule.
struct Era {
    clock: Clock,
    period: Period,
    from: i64,
    /// Before this instant.
    until: i64,
    /// From where on its runs count.
    anew: i64,
    /// Whether that is the beginning.
    is_first: bool,
}

/// The events of a job, as a list as far as the horizon.
pub(crate) struct Line {
    eras: Vec<Era>,
    pub(crate) events: Vec<i64>,
    horizon: i64,
}

impl Line {
    fn new(draft: &Draft, task: &Task) -> Self {
        let since = draft.since.unwrap_or(START - 10_000 * DAY);
        let mut eras: Vec<Era> = Vec::new();
        let mut from = since;
        let last = (&task.when, i64::MAX);
        for (when, until) in task.former.iter().map(|(when, until)| (when, *until)).chain([last]) {
            if until <= from {
                continue;
            }
            let clock = Clock::new(when);
            let period = clock.period();
            let (anew, is_first) = match eras.last() {
                Some(before) if !period.is_longer_than(before.period) => {
                    (before.anew, before.is_first)
                }
                before => (from, before.is_none()),
            };
            eras.push(Era { clock, period, from, until, anew, is_first });
            from = until;
        }
        let mut line = Self { eras, events: Vec::new(), horizon: draft.horizon };
        for era in &line.eras {
            let mut next = era.clock.nearest(era.from);
            while let Some(event) =
                next.filter(|event| *event < era.until && *event <= draft.horizon)
            {
                line.events.push(event);
                next = era.clock.nearest(event + 1);
            }
        }
        line
    }

    fn era(&self, instant: i64) -> &Era {
        self.eras.iter().find(|era| instant < era.until).expect("the last one")
    }

    fn last_era(&self) -> &Era {
        self.eras.last().expect("a schedule")
    }

    /// The first event at or after an instant. No schedule changes after the horizon.
    pub(crate) fn nearest(&self, instant: i64) -> Option<i64> {
        let listed = self.events.iter().copied().find(|event| *event >= instant);
        let last = self.last_era();
        listed.or_else(|| last.clock.nearest(instant.max(self.horizon + 1).max(last.from)))
    }

    /// The last event before an instant, which is not after the horizon.
    pub(crate) fn before(&self, instant: i64) -> Option<i64> {
        let place = self.events.partition_point(|event| *event < instant);
        self.events.get(place.checked_sub(1)?).copied()
    }

    fn last(&self) -> Option<i64> {
        let last = self.last_era();
        let beyond = last.clock.nearest_prev(i64::MAX).filter(|event| *event > self.horizon);
        beyond.or_else(|| self.events.last().copied())
    }

    /// The listed events from an instant on, before another.
    fn between(&self, from: i64, until: i64) -> Vec<i64> {
        let is_in = |event: &i64| (from..until).contains(event);
        self.events.iter().copied().filter(is_in).collect()
    }
}

/// What a need comes to for one run.
#[derive(Debug)]
pub(crate) enum Demand {
    Nothing,
    /// A success at or after it.
    CheckPoint(i64),
    /// So many of these.
    Runs(Vec<i64>, u64),
}

/// Why a run waits, to be held against what the library says.
#[derive(Debug, PartialEq)]
pub(crate) enum Why {
    CheckPoint(String, i64),
    Runs { job: String, missing: Vec<i64>, needed: u64 },
    AnyOf(Vec<Vec<Why>>),
}

/// Which runs have succeeded, of each job.
pub(crate) type Done = Vec<BTreeSet<i64>>;

/// A pipeline, understood.
pub(crate) struct Model {
    pub(crate) lines: Vec<Line>,
    needs: Vec<Vec<Wish>>,
}

impl Model {
    pub(crate) fn new(draft: &Draft) -> Self {
        Self {
            lines: draft.tasks.iter().map(|task| Line::new(draft, task)).collect(),
            needs: draft.tasks.iter().map(|task| task.needs.clone()).collect(),
        }
    }

    /// Why a run waits; nothing where it may start.
    pub(crate) fn waits(&self, job: usize, scheduled: i64, done: &Done) -> Vec<Why> {
        self.all(job, scheduled, done, &self.needs[job], Back::default())
    }

    fn all(
        &self,
        job: usize,
        scheduled: i64,
        done: &Done,
        wishes: &[Wish],
        back: Back,
    ) -> Vec<Why> {
        let each = wishes.iter().map(|wish| self.ask(job, scheduled, done, wish, back));
        each.collect::<Vec<_>>().into_iter().flatten().collect()
    }

    fn ask(&self, job: usize, scheduled: i64, done: &Done, wish: &Wish, back: Back) -> Vec<Why> {
        let back = wish.back.within(back);
        match &wish.what {
            What::AllOf(wishes) => self.all(job, scheduled, done, wishes, back),
            What::AnyOf(wishes) => {
                let each = wishes.iter().map(|wish| self.ask(job, scheduled, done, wish, back));
                let each: Vec<Vec<Why>> = each.collect();
                if each.iter().any(Vec::is_empty) { Vec::new() } else { vec![Why::AnyOf(each)] }
            }
            _ => {
                let (upstream, demand) = self.demand(job, scheduled, wish, back);
                unmet(&demand, &done[upstream], name(upstream)).into_iter().collect()
            }
        }
    }

    /// What each leaf of the needs of a run comes to.
    pub(crate) fn demands(&self, job: usize, scheduled: i64) -> Vec<(usize, Demand)> {
        let mut demands = Vec::new();
        self.list(job, scheduled, &self.needs[job], Back::default(), &mut demands);
        demands
    }

    fn list(
        &self,
        job: usize,
        scheduled: i64,
        wishes: &[Wish],
        back: Back,
        demands: &mut Vec<(usize, Demand)>,
    ) {
        for wish in wishes {
            match &wish.what {
                What::AllOf(wishes) | What::AnyOf(wishes) => {
                    let back = wish.back.within(back);
                    self.list(job, scheduled, wishes, back, demands);
                }
                _ => {
                    let back = wish.back.within(back);
                    demands.push(self.demand(job, scheduled, wish, back));
                }
            }
        }
    }

    fn demand(&self, job: usize, scheduled: i64, wish: &Wish, back: Back) -> (usize, Demand) {
        let upstream = match &wish.what {
            What::Latest(of) | What::All(of) | What::AtLeast(_, of) => *of,
            _ => job,
        };
        let demand = self.demand_of(job, upstream, scheduled, &wish.what, back);
        (upstream, demand.unwrap_or(Demand::Nothing))
    }

    fn demand_of(
        &self,
        job: usize,
        upstream: usize,
        scheduled: i64,
        what: &What,
        back: Back,
    ) -> Option<Demand> {
        let [own, of] = [&self.lines[job], &self.lines[upstream]];
        let mut anchor = scheduled;
        let Back { events, cycles, unit } = back;
        for _ in 0..events {
            anchor = own.before(anchor)?;
        }
        let [own_era, of_era] = [own.era(scheduled), of.era(scheduled)];
        let (unit, clock) = match unit {
            Some(unit) => (unit, &own_era.clock),
            None if of_era.period.is_longer_than(own_era.period) => {
                (of_era.period.unit, &of_era.clock)
            }
            None => (own_era.period.unit, &own_era.clock),
        };
        let start = |cycles| clock.start(unit, cycles, anchor);
        match what {
            What::Latest(_) => {
                let begins = of.nearest(of_era.anew)?;
                let is_after = clock.floor(unit, begins) > start(cycles);
                let is_cut = start(cycles) < of_era.anew.max(clock.first_year());
                if is_after && (cycles > 0 || is_cut && of_era.is_first) {
                    return None;
                }
                let from = start(cycles).max(own_era.anew).max(of_era.anew);
                // Of a job that will never run again, the last run.
                let check_point = of.nearest(from).or_else(|| of.last())?;
                (check_point >= of_era.anew).then_some(Demand::CheckPoint(check_point))
            }
            What::Previous => {
                let until = if cycles == 0 { anchor } else { start(cycles - 1) };
                let run = own.before(until).filter(|run| *run >= own_era.anew)?;
                Some(Demand::Runs(vec![run], 1))
            }
            _ => {
                let (from, until) = if cycles == 0 {
                    (own.before(anchor).map_or(i64::MIN, |before| before + 1), anchor + 1)
                } else {
                    (start(cycles), start(cycles - 1))
                };
                let runs = of.between(from.max(of_era.anew), until);
                let all = u64::try_from(runs.len()).expect("a count");
                let needed =
                    if let What::AtLeast(count, _) = what { *count.min(&all) } else { all };
                Some(Demand::Runs(runs, needed))
            }
        }
    }
}

/// Why a demand is not met, if it is not.
fn unmet(demand: &Demand, done: &BTreeSet<i64>, job: String) -> Option<Why> {
    match demand {
        Demand::Nothing => None,
        Demand::CheckPoint(instant) => {
            let is_met = done.iter().any(|success| success >= instant);
            (!is_met).then_some(Why::CheckPoint(job, *instant))
        }
        Demand::Runs(runs, count) => {
            let missing: Vec<i64> =
                runs.iter().copied().filter(|run| !done.contains(run)).collect();
            let succeeded = u64::try_from(runs.len() - missing.len()).expect("a count");
            let needed = count.saturating_sub(succeeded);
            (needed > 0).then_some(Why::Runs { job, missing, needed })
        }
    }
}

/// What the library says, in the same form.
pub(crate) fn told(readiness: &Readiness<'_>) -> Vec<Why> {
    match readiness {
        Readiness::Ready => Vec::new(),
        Readiness::Waiting(waiting) => told_of(waiting),
    }
}

fn told_of(waiting: &Waiting<'_>) -> Vec<Why> {
    let reason = |reason: &Reason<'_>| match reason {
        Reason::Latest { job, check_point } => Why::CheckPoint((*job).to_owned(), *check_point),
        Reason::Runs { job, missing, needed } => Why::Runs {
            job: (*job).to_owned(),
            missing: missing.instants().collect(),
            needed: *needed,
        },
        Reason::AnyOf(alternatives) => Why::AnyOf(alternatives.iter().map(told_of).collect()),
        other => panic!("a reason of a kind that the tests do not know: {other:?}"),
    };
    waiting.reasons().iter().map(reason).collect()
}

/// The last instant of schedules.
pub(crate) const LAST: i64 = END;
