//! [`ZonedDescription`]: the meaning of a schedule in a time zone, in plain English.

use core::fmt;

use super::{Fold, Gap, Zone, ZonedSchedule};
use crate::Description;

/// The meaning of a schedule in a time zone in plain English, returned by
/// [`ZonedSchedule::describe`].
///
/// Its `Display` writes two sentences, without a full stop at the end and without allocating: the
/// [description](Description) of the schedule with the name of the zone, and how events are handled
/// when the clocks change.
#[derive(Clone, Debug)]
pub struct ZonedDescription<'a> {
    schedule: Description,
    zone: Option<&'a str>,
    gap: Gap,
    fold: Fold,
}

impl<Z: Zone> ZonedSchedule<Z> {
    /// Describes the schedule in plain English, with the [name](Zone::name) of the zone if it has
    /// one, and how events are handled when the clocks change. To list these events, use
    /// [`surprises`](Self::surprises).
    ///
    /// ```
    /// use millicron::{Fold, Gap, Schedule, Zone, schedule};
    ///
    /// struct Island;
    ///
    /// impl Zone for Island {
    ///     fn offset_at(&self, _: i64) -> i32 {
    ///         39_600_000
    ///     }
    ///     fn name(&self) -> Option<&str> {
    ///         Some("Pacific/Island")
    ///     }
    /// }
    ///
    /// const NIGHTLY: Schedule = schedule!("2:30:00");
    /// assert_eq!(
    ///     NIGHTLY.in_zone(Island).describe().to_string(),
    ///     "Every day at 02:30, in Pacific/Island. Events that the clocks skip fire at the first \
    ///      instant after the gap; events that the clocks repeat fire in the first pass only",
    /// );
    ///
    /// const OFTEN: Schedule = schedule!("*:*/15:00");
    /// assert_eq!(
    ///     OFTEN.in_zone(Island).with_gap(Gap::Skip).with_fold(Fold::Both).describe().to_string(),
    ///     "Every 15 minutes, in Pacific/Island. Events that the clocks skip do not fire; \
    ///      events that the clocks repeat fire in both passes",
    /// );
    /// ```
    #[must_use]
    pub fn describe(&self) -> ZonedDescription<'_> {
        ZonedDescription {
            schedule: self.schedule().describe(),
            zone: self.zone().name(),
            gap: self.gap(),
            fold: self.fold(),
        }
    }
}

impl ZonedDescription<'_> {
    /// Writes times of day with AM and PM, like [`Description::with_twelve_hour_clock`].
    #[must_use]
    pub fn with_twelve_hour_clock(self) -> Self {
        Self { schedule: self.schedule.with_twelve_hour_clock(), ..self }
    }
}

impl fmt::Display for ZonedDescription<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { schedule, zone, gap, fold } = self;
        let gap = match gap {
            Gap::Shift => "fire at the first instant after the gap",
            Gap::Bridge => {
                "fire at the first instant after the gap, unless another event follows within less \
                 than the length of the gap"
            }
            Gap::Skip => "do not fire",
        };
        let fold = match fold {
            Fold::First => "in the first pass only",
            Fold::Second => "in the second pass only",
            Fold::Both => "in both passes",
        };
        write!(f, "{schedule}, in {}. ", zone.unwrap_or("local time"))?;
        write!(f, "Events that the clocks skip {gap}; events that the clocks repeat fire {fold}")
    }
}
