//! Random pipelines: jobs of periods near each other, so that they meet often, in a
//! stretch of time that has a few hundred events of the fastest.

use jiff::tz::TimeZone;
use millicron::Unit;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::clock::When;
use super::naive::{Back, Draft, LAST, Task, What, Wish};
use super::{DAY, MINUTE, SECOND, at};
use crate::oracle::START;

/// Jobs of such kinds, in so long a stretch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    kinds: [u8; 2],
    length: i64,
    /// Cycles that are chosen.
    units: [Unit; 3],
}

const SCALES: [Scale; 4] = [
    Scale { kinds: [0, 3], length: 80 * SECOND, units: [Unit::Second, Unit::Minute, Unit::Hour] },
    Scale { kinds: [2, 4], length: 150 * MINUTE, units: [Unit::Minute, Unit::Hour, Unit::Day] },
    Scale { kinds: [3, 6], length: 12 * DAY, units: [Unit::Hour, Unit::Day, Unit::Week] },
    Scale { kinds: [4, 7], length: 500 * DAY, units: [Unit::Week, Unit::Month, Unit::Year] },
];

/// Which jobs a job may need.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Graph {
    /// Those before it, so that there is no circle.
    Earlier,
    /// Any.
    Any,
}

/// How a pipeline is drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    pub(crate) graph: Graph,
    pub(crate) has_former: bool,
    pub(crate) is_zoned: bool,
    /// Whether the pipeline began long before, so that its first runs do not matter.
    pub(crate) has_begun: bool,
}

/// A text of a kind: the unit of its period, from the second on up.
fn text(kind: u8, [a, b, c, d]: [u8; 4]) -> String {
    let [second, other] = [a % 60, b % 60];
    let [minute, hour, later] = [c % 60, d % 24, a % 24];
    let is_odd = (a ^ b) & 1 == 1;
    match (kind, is_odd) {
        (0, false) => format!("*:*:*.*/{}", [200, 250, 500][usize::from(c % 3)]),
        (0, true) => format!("*:*:*.{},{}", u16::from(a), 500 + u16::from(b)),
        (1, _) => "*:*:*".to_owned(),
        (2, false) => format!("*:*:*/{}", 15 + c % 30),
        (2, true) => format!("*:*:{second},{other}.{}", [0, 5][usize::from(d % 2)]),
        (3, false) => format!("*:*/{}:{second}", 7 + c % 30),
        (3, true) => format!("*:{minute},{other}:{second}"),
        (4, false) => format!("*/{}:{minute}:{second}", 2 + b % 11),
        (4, true) => format!("{hour},{later}:{minute}:{second}"),
        (5, false) => format!("*.*.* {} {hour}:{minute}:{second}", c % 7),
        (5, true) => format!("*.*.* {},{} {hour},{later}:{minute}:00", a % 7, b % 7),
        (6, false) => format!("*.*.{} {hour}:{minute}:00", 1 + c % 32),
        (6, true) => format!(
            "*.*.{},{} {} {hour}:00:00",
            1 + a % 32,
            1 + b % 32,
            ["*", "1-5"][usize::from(d % 2)]
        ),
        (_, false) => format!("*.{}.{} {hour}:{minute}:00", 1 + a % 12, 1 + b % 28),
        (_, true) => {
            format!("*.*/{}.{} {hour}:00:00", 1 + a % 6, [1, 15, 29, 32][usize::from(d % 4)])
        }
    }
}

fn when(scale: Scale, zone: Option<TimeZone>) -> impl Strategy<Value = When> {
    let [low, high] = scale.kinds;
    (low..=high, any::<[u8; 4]>())
        .prop_map(move |(kind, numbers)| When { text: text(kind, numbers), zone: zone.clone() })
}

/// How far back, and by which unit: mostly not at all, and by none.
fn back(scale: Scale, mostly: u32) -> impl Strategy<Value = Back> {
    let far = || prop_oneof![3 * mostly => Just(0_u32), 2 => Just(1_u32), 1 => 2..=3_u32];
    let unit =
        prop_oneof![3 * mostly => Just(None), 1 => select(scale.units.to_vec()).prop_map(Some)];
    (far(), far(), unit).prop_map(|(events, cycles, unit)| Back { events, cycles, unit })
}

/// A need, of the place of any job; see [`settle`].
fn wish(scale: Scale) -> impl Strategy<Value = Wish> {
    let what = prop_oneof![
        3 => any::<usize>().prop_map(What::Latest),
        3 => any::<usize>().prop_map(What::All),
        1 => (1..=3_u64, any::<usize>()).prop_map(|(count, of)| What::AtLeast(count, of)),
        1 => Just(What::Previous),
    ];
    let leaf = (what, back(scale, 2)).prop_map(|(what, back)| Wish { what, back });
    leaf.prop_recursive(2, 6, 3, move |inner| {
        let some = || vec(inner.clone(), 1..4);
        let what = prop_oneof![some().prop_map(What::AnyOf), some().prop_map(What::AllOf)];
        (what, back(scale, 8)).prop_map(|(what, back)| Wish { what, back })
    })
}

/// Gives the jobs of a need their places: one of the first so many. Where there is none, the
/// job needs its own.
fn settle(wish: &mut Wish, of: usize) {
    match &mut wish.what {
        What::Latest(place) | What::All(place) | What::AtLeast(_, place) => {
            if let Some(settled) = place.checked_rem(of) {
                *place = settled;
            } else {
                wish.what = What::Previous;
            }
        }
        What::Previous => {}
        What::AnyOf(wishes) | What::AllOf(wishes) => {
            for wish in wishes {
                settle(wish, of);
            }
        }
    }
}

fn tasks(
    choice: Choice,
    scale: Scale,
    zone: Option<&TimeZone>,
) -> impl Strategy<Value = Vec<Task>> + use<> {
    let most = if choice.has_former { 2 } else { 0 };
    // When the schedule changed, in thousandths of the stretch.
    let former = vec((when(scale, zone.cloned()), 0..1000_i64), 0..=most);
    let task = (when(scale, zone.cloned()), former, vec(wish(scale), 0..3));
    vec(task, 2..=6).prop_map(move |tasks| {
        let count = tasks.len();
        let each = tasks.into_iter().enumerate().map(|(place, (when, mut former, mut needs))| {
            let of = if choice.graph == Graph::Earlier { place } else { count };
            for wish in &mut needs {
                settle(wish, of);
            }
            former.sort_by_key(|(_, until)| *until);
            former.dedup_by_key(|(_, until)| *until);
            Task { when, former, needs }
        });
        each.collect()
    })
}

/// Where a stretch begins. In a zone it holds a change of the clocks, if it is long.
fn start(choice: Choice, length: i64) -> BoxedStrategy<Option<i64>> {
    let days = [
        "2026-03-29 00:00:00",
        "2026-10-25 00:00:00",
        "2026-11-01 03:00:00",
        "2026-03-08 04:00:00",
    ];
    if choice.is_zoned {
        let days: Vec<i64> = days.map(at).to_vec();
        return (select(days), 0..length).prop_map(|(day, before)| Some(day - before)).boxed();
    }
    let usual = at("2024-01-01 00:00:00")..at("2030-01-01 00:00:00");
    prop_oneof![
        3 => usual.clone().prop_map(Some),
        2 => usual.prop_map(|start| Some(start - start.rem_euclid(DAY))),
        1 => (0..3 * length).prop_map(|before| Some(LAST - before)),
        // The beginning of all schedules.
        u32::from(!choice.has_begun) => Just(None),
    ]
    .boxed()
}

/// A pipeline that may have something wrong.
pub(crate) fn draft(choice: Choice) -> impl Strategy<Value = Draft> {
    let zones = if choice.is_zoned { &["Europe/Berlin", "America/New_York"][..] } else { &[] };
    let zones: Vec<Option<TimeZone>> = zones
        .iter()
        .map(|name| Some(crate::oracle::zoned::zone(name)))
        .chain((!choice.is_zoned).then_some(None))
        .collect();
    (select(SCALES.to_vec()), select(zones)).prop_flat_map(move |(scale, zone)| {
        let length = scale.length;
        let start = start(choice, length);
        (start, tasks(choice, scale, zone.as_ref())).prop_map(move |(since, mut tasks)| {
            let from = since.unwrap_or(START);
            let since = since.filter(|_| !choice.has_begun);
            for (_, until) in tasks.iter_mut().flat_map(|task| &mut task.former) {
                *until = from + *until * (length / 1000);
            }
            Draft { since, from, horizon: from + length, tasks }
        })
    })
}

/// An instant of a stretch.
pub(crate) fn instant_of(draft: &Draft, thousandths: i64) -> i64 {
    draft.from + (draft.horizon - draft.from) / 1000 * thousandths
}

/// How far a need may look back, whatever the jobs are.
pub(crate) fn any_back() -> impl Strategy<Value = Back> {
    back(SCALES[2], 1)
}
