//! [`ZonedDescription`]: the meaning of a schedule in a time zone, in plain English.

use core::fmt;

use super::policy::Policy;
use super::{Fold, Gap, Zone, ZonedSchedule};
use crate::Description;

/// The meaning of a schedule in a time zone in plain English, returned by
/// [`ZonedSchedule::describe`].
///
/// Its `Display` writes two sentences, without a full stop at the end and without allocating: the
/// [description](Description) of the schedule with the name of the zone, and how events are handled
/// when the clocks change. Of a union, whose members may have fixed times or repeat, the second one
/// says it for each kind if they differ.
#[derive(Clone, Debug)]
pub struct ZonedDescription<'a> {
    schedule: Description,
    zone: Option<&'a str>,
    changes: ClockChanges,
    /// How events of fixed times are handled, if `changes` is only about members that repeat.
    of_fixed_times: Option<ClockChanges>,
}

/// How events are handled when the clocks change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ClockChanges {
    gap: Gap,
    fold: Fold,
    /// Whether another event follows is decided for each member of a union.
    is_of_union: bool,
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
        let members = self.schedule.0.members();
        let is_of_union = !members.is_empty();
        let changes = ClockChanges { gap: self.gap(), fold: self.fold(), is_of_union };
        let policies = members.iter().map(|member| self.chosen.for_schedule(member));
        let mut of_members =
            policies.map(|Policy { gap, fold, .. }| ClockChanges { gap, fold, ..changes });
        ZonedDescription {
            schedule: self.schedule().describe(),
            zone: self.zone().name(),
            changes,
            of_fixed_times: of_members.find(|member| *member != changes),
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
        let Self { schedule, zone, changes, of_fixed_times } = self;
        write!(f, "{schedule}, in {}. ", zone.unwrap_or("local time"))?;
        match of_fixed_times {
            None => write!(f, "Events{changes}"),
            Some(fixed) => {
                write!(f, "For fixed times, events{fixed}; for times that repeat, events{changes}")
            }
        }
    }
}

impl fmt::Display for ClockChanges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(" that the clocks skip ")?;
        f.write_str(match self.gap {
            Gap::Skip => "do not fire",
            _ => "fire at the first instant after the gap",
        })?;
        if self.gap == Gap::Bridge {
            let of_member = if self.is_of_union { " of the same schedule" } else { "" };
            write!(
                f,
                ", unless another event{of_member} follows within less than the length of the gap"
            )?;
        }
        f.write_str("; events that the clocks repeat fire in ")?;
        f.write_str(match self.fold {
            Fold::First => "the first pass only",
            Fold::Second => "the second pass only",
            Fold::Both => "both passes",
        })
    }
}
