//! The rules of pipelines once more, from what the documentation says of them, with
//! lists of events where the library has arithmetic.

use std::collections::BTreeSet;

use jiff::Timestamp;
use jiff::civil::Weekday;
use jiff::tz::TimeZone;
use millicron::Schedule;
#[cfg(feature = "jiff")]
use millicron::ZonedSchedule;
use millicron::dependency::{Builder, Need, Pipeline, Readiness, Reason, Unit, Waiting};

use super::{DAY, HOUR, MINUTE, SECOND};
use crate::oracle::calendar::days;
use crate::oracle::text::Sets;
use crate::oracle::{END, Oracle, START};

/// When a job runs: a text, perhaps by the clocks of a zone.
#[derive(Clone, Debug)]
pub(crate) struct When {
    pub(crate) text: String,
    pub(crate) zone: Option<TimeZone>,
}

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

fn schedule(when: &When) -> Schedule {
    when.text.parse().expect("a schedule")
}

#[cfg(feature = "jiff")]
fn zoned(when: &When) -> Option<ZonedSchedule<TimeZone>> {
    Some(schedule(when).in_zone(when.zone.clone()?))
}

#[cfg(not(feature = "jiff"))]
fn zoned(_: &When) -> Option<Schedule> {
    None
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

/// The events of one schedule.
struct Clock {
    sets: Sets,
    civil: Oracle,
    zone: Option<TimeZone>,
    #[cfg(feature = "jiff")]
    zoned: Option<ZonedSchedule<TimeZone>>,
}

impl Clock {
    fn new(when: &When) -> Self {
        Self {
            sets: Sets::read(&when.text).expect("a well-formed text"),
            civil: Oracle::new(&when.text),
            zone: when.zone.clone(),
            #[cfg(feature = "jiff")]
            zoned: zoned(when),
        }
    }

    fn nearest(&self, instant: i64) -> Option<i64> {
        #[cfg(feature = "jiff")]
        if let Some(zoned) = &self.zoned {
            return zoned.nearest_event(instant);
        }
        self.civil.nearest(instant)
    }

    fn nearest_prev(&self, instant: i64) -> Option<i64> {
        #[cfg(feature = "jiff")]
        if let Some(zoned) = &self.zoned {
            return zoned.nearest_prev_event(instant);
        }
        self.civil.nearest_prev(instant)
    }

    /// Where the unit begins that an instant is in, or one some units before that.
    fn start(&self, unit: Unit, back: u32, instant: i64) -> i64 {
        (0..back).fold(self.floor(unit, instant), |start, _| self.floor(unit, start - 1))
    }

    fn floor(&self, unit: Unit, instant: i64) -> i64 {
        match &self.zone {
            Some(zone) => floor_in(zone, unit, instant),
            None => floor(unit, instant),
        }
    }

    /// Where the years of schedules begin.
    fn first_year(&self) -> i64 {
        self.floor(Unit::Year, START + 100 * DAY)
    }

    fn period(&self) -> Period {
        let unit = unit(&self.sets);
        Period { unit, count: most_in(unit, &self.sets) }
    }
}

/// Where a unit of civil time begins.
pub(crate) fn floor(unit: Unit, instant: i64) -> i64 {
    let down_to = |length: i64| instant - instant.rem_euclid(length);
    match unit {
        Unit::Millisecond => instant,
        Unit::Second => down_to(SECOND),
        Unit::Minute => down_to(MINUTE),
        Unit::Hour => down_to(HOUR),
        Unit::Day => down_to(DAY),
        // It was a Thursday.
        Unit::Week => instant - (instant + 3 * DAY).rem_euclid(7 * DAY),
        Unit::Month => first_day(instant, |date| date.day == 1),
        Unit::Year => first_day(instant, |date| date.day == 1 && date.month == 1),
    }
}

/// The last day of a kind that is not after an instant; long ago where there is none.
fn first_day(instant: i64, is_first: impl Fn(&crate::oracle::calendar::Date) -> bool) -> i64 {
    let over = days().partition_point(|date| date.number * DAY <= instant);
    let date = days()[..over].iter().rev().find(|date| is_first(date));
    date.map_or(START - 1000 * DAY, |date| date.number * DAY)
}

/// Where a unit begins by the clocks of a zone.
fn floor_in(zone: &TimeZone, unit: Unit, instant: i64) -> i64 {
    let now = Timestamp::from_millisecond(instant).expect("an instant").to_zoned(zone.clone());
    let day = now.start_of_day().expect("a day");
    let start = match unit {
        Unit::Day => day,
        Unit::Week => {
            let since_monday = now.weekday().since(Weekday::Monday);
            let monday = now.date() - jiff::Span::new().days(since_monday);
            monday.to_zoned(zone.clone()).expect("a day").start_of_day().expect("a day")
        }
        Unit::Month => now.first_of_month().and_then(|day| day.start_of_day()).expect("a day"),
        Unit::Year => now.first_of_year().and_then(|day| day.start_of_day()).expect("a day"),
        // Pipelines in zones are drawn with whole hours of offset.
        _ => return floor(unit, instant),
    };
    start.timestamp().as_millisecond()
}

/// A unit of the calendar, and how many events there are in one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Period {
    pub(crate) unit: Unit,
    pub(crate) count: u64,
}

impl Period {
    fn is_longer_than(self, other: Self) -> bool {
        self.unit > other.unit || self.unit == other.unit && self.count < other.count
    }
}

/// The unit above the highest field that does not hold everything.
pub(crate) fn unit(sets: &Sets) -> Unit {
    let holds_all_from = |set: &[bool], lowest: usize| set[lowest..].iter().all(|is_in| *is_in);
    let is_day = |date: &crate::oracle::calendar::Date| {
        sets.days[date.day] || sets.days[32] && date.last_of_month
    };
    if !holds_all_from(&sets.years, 2000) || !holds_all_from(&sets.months, 1) {
        Unit::Year
    } else if !days().iter().all(is_day) {
        Unit::Month
    } else if !holds_all_from(&sets.weekdays, 0) {
        Unit::Week
    } else if !holds_all_from(&sets.hours, 0) {
        Unit::Day
    } else if !holds_all_from(&sets.minutes, 0) {
        Unit::Hour
    } else if !holds_all_from(&sets.seconds, 0) {
        Unit::Minute
    } else if !holds_all_from(&sets.millis, 0) {
        Unit::Second
    } else {
        Unit::Millisecond
    }
}

/// The most events in one unit that begins in the range of schedules.
pub(crate) fn most_in(unit: Unit, sets: &Sets) -> u64 {
    let size = |set: &[bool]| set.iter().filter(|is_in| **is_in).count();
    let [hours, minutes] = [&sets.hours, &sets.minutes].map(|set| size(set));
    let [seconds, millis] = [&sets.seconds, &sets.millis].map(|set| size(set));
    let in_day = hours * minutes * seconds * millis;
    let most = match unit {
        Unit::Millisecond => 1,
        Unit::Second => millis,
        Unit::Minute => seconds * millis,
        Unit::Hour => minutes * seconds * millis,
        Unit::Day => in_day,
        Unit::Week => size(&sets.weekdays) * in_day,
        Unit::Month => most_days(sets, |date| (date.year, date.month)) * in_day,
        Unit::Year => most_days(sets, |date| (date.year, 0)) * in_day,
    };
    u64::try_from(most).expect("a count")
}

fn most_days(
    sets: &Sets,
    unit: impl Fn(&crate::oracle::calendar::Date) -> (usize, usize),
) -> usize {
    let mut counts = std::collections::BTreeMap::new();
    for date in days() {
        let is_day = sets.days[date.day] || sets.days[32] && date.last_of_month;
        if sets.years[date.year] && sets.months[date.month] && sets.weekdays[date.weekday] && is_day
        {
            *counts.entry(unit(date)).or_insert(0) += 1;
        }
    }
    counts.into_values().max().unwrap_or(0)
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
