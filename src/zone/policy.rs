//! The policies for events in gaps and folds.

use millicron_runtime::Schedule;
use millicron_runtime::calendar::MILLIS_PER_DAY;

/// How to handle an event whose civil time is skipped because the clocks are set forward.
///
/// [`ZonedSchedule`](crate::ZonedSchedule#clock-changes) lists the defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "always, never, or where needed")]
pub enum Gap {
    /// The event fires at the first instant after the gap. The default for schedules with fixed
    /// times.
    Shift,
    /// The event fires at the first instant after the gap, unless another event is at that instant
    /// or follows it within less than the length of the gap, so that the schedule has already
    /// resumed. The default for schedules that repeat.
    ///
    /// The distance is measured from the first instant after the gap, not from the event in the
    /// gap. An event that follows after exactly the length of the gap is not near enough.
    ///
    /// When the clocks go from 02:00 to 03:00, `*:30:00` fires at 01:30 and 03:30, an hour apart;
    /// with `Shift` it would fire at 03:00 as well. `2:*/30:00` fires once, at 03:00; with `Skip`
    /// it would not fire that day. `*/2:00:00` fires at 03:00 for 02:00, because 04:00 is an hour
    /// after the gap.
    Bridge,
    /// The event does not fire.
    Skip,
}

/// How to handle an event whose civil time occurs twice because the clocks are set back.
///
/// [`ZonedSchedule`](crate::ZonedSchedule#clock-changes) lists the defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "the first, the second, or both")]
pub enum Fold {
    /// The event fires in the first pass, before the clocks are set back. The default for schedules
    /// with fixed times.
    First,
    /// The event fires in the second pass, after the clocks were set back.
    Second,
    /// The event fires in both passes. The default for schedules that repeat.
    Both,
}

/// The policies of a schedule in a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Policy {
    pub(crate) gap: Gap,
    pub(crate) fold: Fold,
    /// Whether the mean distance between events is more than 40 days. This decides what a search
    /// tries first, but does not affect the answer.
    pub(crate) is_sparse: bool,
}

/// 40 days, in milliseconds. Of events that are further apart, few are within the three days around an instant,
/// and many are behind the next clock change.
const SPARSE: u64 = 40 * MILLIS_PER_DAY.unsigned_abs();

/// The policies that were chosen in place of the default ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Chosen {
    pub(crate) gap: Option<Gap>,
    pub(crate) fold: Option<Fold>,
}

impl Chosen {
    /// Returns the policies for a schedule.
    #[inline]
    pub(crate) fn for_schedule(self, schedule: &Schedule) -> Policy {
        let default = Policy::of(schedule);
        Policy {
            gap: self.gap.unwrap_or(default.gap),
            fold: self.fold.unwrap_or(default.fold),
            ..default
        }
    }
}

impl Policy {
    /// Returns the default policies.
    #[inline]
    pub(crate) fn of(schedule: &Schedule) -> Self {
        Self::default_for(schedule.repeats(), !schedule.is_denser_than(SPARSE))
    }

    /// Returns the default policies of a compiled schedule, which repeats or not.
    pub(crate) const fn of_compiled(schedule: &Schedule, repeats: bool) -> Self {
        let is_sparse = match schedule.compiled_bounds() {
            Some(bounds) => !bounds.is_denser_than(SPARSE),
            None => false,
        };
        Self::default_for(repeats, is_sparse)
    }

    #[inline]
    const fn default_for(repeats: bool, is_sparse: bool) -> Self {
        if repeats {
            Self { gap: Gap::Bridge, fold: Fold::Both, is_sparse }
        } else {
            Self { gap: Gap::Shift, fold: Fold::First, is_sparse }
        }
    }
}
