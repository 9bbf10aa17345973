//! What becomes of an event where the clocks change.

use millicron_runtime::Schedule;

/// What becomes of an event whose civil time does not exist, since the clocks
/// were set forward over it.
///
/// [`ZonedSchedule`](crate::ZonedSchedule) has the table of what is done by
/// default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "it fires, or not, or where it is needed")]
pub enum Gap {
    /// It fires at the first instant after the gap. This is the default of a
    /// schedule with fixed times.
    Shift,
    /// It fires at the first instant after the gap, but not where another event
    /// follows that instant within less than the gap is long: then the schedule
    /// has gone on, and nothing is to be made up for. This is the default of a
    /// schedule that repeats. Where the clocks go from 02:00 to 03:00, `*:30:00` goes
    /// from 01:30 to 03:30, an hour later; shifted, it would fire at 03:00 too. And
    /// `2:*/30:00`, which would be passed over, fires once, at 03:00.
    Bridge,
    /// It does not fire.
    Skip,
}

/// What becomes of an event whose civil time comes twice, since the clocks were
/// set back over it.
///
/// [`ZonedSchedule`](crate::ZonedSchedule) has the table of what is done by
/// default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "once, once, or twice")]
pub enum Fold {
    /// It fires in the first pass, before the clocks are set back. This is the
    /// default of a schedule with fixed times.
    First,
    /// It fires in the second pass, after the clocks were set back.
    Second,
    /// It fires in both. This is the default of a schedule that repeats.
    Both,
}

/// What is done where the clocks change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Policy {
    pub(crate) gap: Gap,
    pub(crate) fold: Fold,
    /// Whether events are a few days from each other at the most, in the mean: which
    /// way a search goes first, whatever it finds.
    pub(crate) is_dense: bool,
}

/// A few days, in milliseconds.
const FEW_DAYS: u64 = 3 * 86_400_000;

impl Policy {
    /// What is done by default.
    #[inline]
    pub(crate) fn of(schedule: &Schedule) -> Self {
        let is_dense = schedule.is_denser_than(FEW_DAYS);
        if schedule.repeats() {
            Self { gap: Gap::Bridge, fold: Fold::Both, is_dense }
        } else {
            Self { gap: Gap::Shift, fold: Fold::First, is_dense }
        }
    }
}
