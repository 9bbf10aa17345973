//! Random pipelines. Their jobs have similar periods, so they interact often in a range with a few
//! hundred events of the fastest job.

use jiff::tz::TimeZone;
use millicron::Unit;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::events::ScheduleSpec;
use super::model::LAST;
use super::spec::{JobSpec, Limit, NeedKind, NeedSpec, PipelineSpec, Settings};
use super::{DAY, MINUTE, SECOND, at};
use crate::oracle::START;

/// The kinds of schedules, and the length of the tested range in milliseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    kinds: [u8; 2],
    length: i64,
    /// The check periods that needs set.
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
    /// Only earlier jobs, so that there is no dependency cycle.
    Earlier,
    /// Any job.
    Any,
}

/// What random pipelines may contain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpecOptions {
    pub(crate) graph: Graph,
    pub(crate) has_changed: bool,
    pub(crate) is_zoned: bool,
    /// Whether the pipeline began long before the tested range.
    pub(crate) started_long_before: bool,
}

/// Returns an expression whose period has the unit given by its kind, starting with seconds.
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

fn when(scale: Scale, zone: Option<TimeZone>) -> impl Strategy<Value = ScheduleSpec> {
    let [low, high] = scale.kinds;
    (low..=high, any::<[u8; 4]>()).prop_map(move |(kind, numbers)| ScheduleSpec {
        text: text(kind, numbers),
        zone: zone.clone(),
    })
}

/// Generates settings, which are mostly the default.
fn settings(scale: Scale, mostly: u32) -> impl Strategy<Value = Settings> {
    let far = || prop_oneof![3 * mostly => Just(0_u32), 2 => Just(1_u32), 1 => 2..=3_u32];
    let some_unit = move || select(scale.units.to_vec());
    let unit = prop_oneof![3 * mostly => Just(None), 1 => some_unit().prop_map(Some)];
    let millis = move || prop_oneof![0..scale.length / 50, 0..scale.length / 3];
    let back = prop_oneof![5 * mostly => Just(0_i64), 1 => millis()];
    let limit = prop_oneof![
        2 * mostly => Just(None),
        1 => millis().prop_map(|millis| Some(Limit::Millis(millis))),
        1 => some_unit().prop_map(|unit| Some(Limit::Unit(unit))),
    ];
    let accepts_ended = prop_oneof![4 * mostly => Just(false), 1 => Just(true)];
    (far(), far(), unit, back, limit, accepts_ended).prop_map(
        |(events, periods, unit, millis, limit, accepts_ended)| Settings {
            events,
            periods,
            millis,
            unit,
            limit,
            accepts_ended,
        },
    )
}

/// Generates a need for a job with any index; see [`assign_jobs`].
fn need(scale: Scale) -> impl Strategy<Value = NeedSpec> {
    let units = select(scale.units.to_vec());
    let kind = prop_oneof![
        3 => any::<usize>().prop_map(NeedKind::Last),
        3 => any::<usize>().prop_map(NeedKind::Latest),
        1 => any::<usize>().prop_map(NeedKind::Classic),
        3 => any::<usize>().prop_map(NeedKind::All),
        2 => (any::<usize>(), units).prop_map(|(of, unit)| NeedKind::AllData(of, unit)),
        1 => (1..=3_u64, any::<usize>()).prop_map(|(count, of)| NeedKind::AtLeast(count, of)),
        1 => Just(NeedKind::Previous),
    ];
    let leaf = (kind, settings(scale, 2)).prop_map(|(kind, settings)| NeedSpec { kind, settings });
    leaf.prop_recursive(2, 6, 3, move |inner| {
        let some = || vec(inner.clone(), 1..4);
        let kind = prop_oneof![some().prop_map(NeedKind::AnyOf), some().prop_map(NeedKind::AllOf)];
        (kind, settings(scale, 8)).prop_map(|(kind, settings)| NeedSpec { kind, settings })
    })
}

/// Removes the periods and ages that no need uses. Returns whether the need uses the period and the
/// age of an enclosing need.
fn drop_unused(need: &mut NeedSpec, outer_periods: u32) -> [bool; 2] {
    let periods = outer_periods + need.settings.periods;
    let mut uses = match &mut need.kind {
        NeedKind::Latest(_) => [true, false],
        NeedKind::Last(_) => [periods > 0, true],
        NeedKind::All(_) | NeedKind::AtLeast(..) | NeedKind::Previous => [periods > 0, false],
        NeedKind::Classic(_) | NeedKind::AllData(..) => [false, false],
        NeedKind::AnyOf(needs) | NeedKind::AllOf(needs) => {
            let each = needs.iter_mut().map(|need| drop_unused(need, periods));
            let each: Vec<[bool; 2]> = each.collect();
            [0, 1].map(|index| each.iter().any(|uses| uses[index]))
        }
    };
    if need.settings.unit.is_some() {
        need.settings.unit = need.settings.unit.filter(|_| uses[0]);
        uses[0] = false;
    }
    if need.settings.limit.is_some() {
        need.settings.limit = need.settings.limit.filter(|_| uses[1]);
        uses[1] = false;
    }
    uses
}

/// Reduces the indices in a need to below `count`. If that is 0, the job needs itself.
fn assign_jobs(need: &mut NeedSpec, count: usize) {
    match &mut need.kind {
        NeedKind::Last(index)
        | NeedKind::Latest(index)
        | NeedKind::Classic(index)
        | NeedKind::All(index)
        | NeedKind::AllData(index, _)
        | NeedKind::AtLeast(_, index) => {
            if let Some(reduced) = index.checked_rem(count) {
                *index = reduced;
            } else {
                need.kind = NeedKind::Previous;
            }
        }
        NeedKind::Previous => {}
        NeedKind::AnyOf(needs) | NeedKind::AllOf(needs) => {
            for need in needs {
                assign_jobs(need, count);
            }
        }
    }
}

fn jobs(
    options: SpecOptions,
    scale: Scale,
    zone: Option<&TimeZone>,
) -> impl Strategy<Value = Vec<JobSpec>> + use<> {
    let most = if options.has_changed { 2 } else { 0 };
    // The instants of changes are in thousandths of the range.
    let previous = vec((when(scale, zone.cloned()), 0..1000_i64), 0..=most);
    let job = (when(scale, zone.cloned()), previous, vec(need(scale), 0..3));
    vec(job, 2..=6).prop_map(move |jobs| {
        let count = jobs.len();
        let each = jobs.into_iter().enumerate().map(|(index, (when, mut previous, mut needs))| {
            let of = if options.graph == Graph::Earlier { index } else { count };
            for need in &mut needs {
                assign_jobs(need, of);
                drop_unused(need, 0);
            }
            previous.sort_by_key(|(_, until)| *until);
            previous.dedup_by_key(|(_, until)| *until);
            JobSpec { when, previous, needs }
        });
        each.collect()
    })
}

/// Generates the start of the range; `None` is the start of all schedules. In a zone, the range
/// contains a transition if it is long enough.
fn start(options: SpecOptions, length: i64) -> BoxedStrategy<Option<i64>> {
    let days = [
        "2026-03-29 00:00:00",
        "2026-10-25 00:00:00",
        "2026-11-01 03:00:00",
        "2026-03-08 04:00:00",
    ];
    if options.is_zoned {
        let days: Vec<i64> = days.map(at).to_vec();
        return (select(days), 0..length).prop_map(|(day, before)| Some(day - before)).boxed();
    }
    let usual = at("2024-01-01 00:00:00")..at("2030-01-01 00:00:00");
    prop_oneof![
        3 => usual.clone().prop_map(Some),
        2 => usual.prop_map(|start| Some(start - start.rem_euclid(DAY))),
        1 => (0..3 * length).prop_map(|before| Some(LAST - before)),
        u32::from(!options.started_long_before) => Just(None),
    ]
    .boxed()
}

/// Generates a pipeline, which may be invalid.
pub(crate) fn spec(options: SpecOptions) -> impl Strategy<Value = PipelineSpec> {
    let zones = if options.is_zoned { &["Europe/Berlin", "America/New_York"][..] } else { &[] };
    let zones: Vec<Option<TimeZone>> = zones
        .iter()
        .map(|name| Some(crate::oracle::zoned::zone(name)))
        .chain((!options.is_zoned).then_some(None))
        .collect();
    (select(SCALES.to_vec()), select(zones)).prop_flat_map(move |(scale, zone)| {
        let length = scale.length;
        let start = start(options, length);
        (start, jobs(options, scale, zone.as_ref())).prop_map(move |(since, mut jobs)| {
            let from = since.unwrap_or(START);
            let since = since.filter(|_| !options.started_long_before);
            for (_, until) in jobs.iter_mut().flat_map(|job| &mut job.previous) {
                *until = from + *until * (length / 1000);
            }
            PipelineSpec { since, from, horizon: from + length, jobs }
        })
    })
}

/// Returns an instant in the range.
pub(crate) fn instant_of(spec: &PipelineSpec, thousandths: i64) -> i64 {
    spec.from + (spec.horizon - spec.from) / 1000 * thousandths
}

/// Generates look-backs for jobs of any kind, without a period or an age.
pub(crate) fn any_look_back() -> impl Strategy<Value = Settings> {
    settings(SCALES[2], 1).prop_map(|settings| Settings {
        unit: settings.unit.filter(|_| settings.periods > 0),
        limit: None,
        ..settings
    })
}
