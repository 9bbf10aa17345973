//! The events of a schedule by the clocks of a zone.
//!
//! Where the offset stays the same, events follow each other as they do in civil
//! time. So most questions take two searches in civil time, and two look-ups in the
//! zone at the most:
//!
//! - Where no event is near, whatever the offset, the answer is the first one there is:
//!   one look-up, of the offsets at which the clocks show it.
//! - Where events are dense, the answer is near. If the offset is the same before the one
//!   instant and after the other, the clocks did not change between, and that is it.
//! - Else it takes the offset at the instant, and those of the answer.
//!
//! All else is done around a change. Tried and no better: to look at the offsets two days
//! before and after the answer, in place of those at which the clocks show it.

use millicron_runtime::Schedule;

use super::occurrence::Resolution;
use super::policy::Policy;
use super::{APART, DAY, Fold, Gap, Offsets, Zone};

/// The first and the last instant that a zone is asked about: 25 days, more than
/// an offset can be, before and after the civil times of schedules.
pub(super) const FIRST: i64 = 946_684_800_000 - 25 * DAY;
/// See [`FIRST`].
pub(super) const LAST: i64 = 4_133_980_799_999 + 25 * DAY;

/// Two instants that are no further from each other than this, and have the same
/// offset, have no change between them: that would take two. By civil time it is the
/// same, as offsets are less than a day.
const NEAR: i64 = APART - 2 * DAY;

/// No zone has more changes between these, since they are so far apart. It bounds
/// what a zone that lies can take.
#[expect(clippy::cast_possible_truncation, reason = "some six thousand")]
pub(super) const CHANGES: usize = ((LAST - FIRST) / APART) as usize + 1;

/// What is asked: a schedule, by the clocks of a zone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Search<'a, Z> {
    pub(super) schedule: &'a Schedule,
    pub(super) zone: &'a Z,
    pub(super) policy: Policy,
}

/// A change of the clocks: the first instant with the new offset, and the two
/// offsets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    pub(super) at: i64,
    pub(super) before: i64,
    pub(super) after: i64,
}

impl Change {
    /// What the clocks would have shown, had they not been set.
    const fn old_civil(self) -> i64 {
        self.at + self.before
    }

    /// What the clocks show.
    const fn new_civil(self) -> i64 {
        self.at + self.after
    }
}

impl<Z: Zone> Search<'_, Z> {
    pub(super) fn offset_at(&self, instant: i64) -> i64 {
        self.zone.offset_at(instant).into()
    }

    /// The change that a civil time is left out or shown twice by.
    fn change(&self, civil: i64, before: i32, after: i32) -> Change {
        let (before, after) = (i64::from(before), i64::from(after));
        let (start, end) = (civil - before.max(after), civil - before.min(after));
        Change { at: self.next_change(start, end).unwrap_or(end), before, after }
    }

    /// The first change after one instant and up to another. A zone that tells of
    /// one elsewhere is not believed.
    pub(super) fn next_change(&self, after: i64, until: i64) -> Option<i64> {
        self.zone.next_change(after, until).filter(|change| (after + 1..=until).contains(change))
    }

    /// The change back over what the clocks show at an instant, and whether the
    /// instant is in its second pass.
    pub(super) fn fold(&self, instant: i64, offset: i64) -> Option<(Change, bool)> {
        let Offsets::Fold { before, after } = self.zone.offsets_of(instant + offset) else {
            return None;
        };
        Some((self.change(instant + offset, before, after), i64::from(after) == offset))
    }

    /// Whether an event in a gap fires after the gap, given that there is one.
    fn fires_after(&self, gap: Change) -> bool {
        match self.policy.gap {
            Gap::Shift => true,
            Gap::Skip => false,
            Gap::Bridge => {
                let end = gap.new_civil() + (gap.after - gap.before);
                self.schedule.nearest_event(gap.new_civil()).is_none_or(|next| next >= end)
            }
        }
    }

    /// How far before the one instant, and after the other, no change may be for all that
    /// lies between them to be as in civil time: a fold whose other pass is there decides
    /// whether an event fires here.
    const fn reach(&self) -> (i64, i64) {
        match self.policy.fold {
            Fold::First => (DAY, 0),
            Fold::Second => (0, DAY),
            Fold::Both => (0, 0),
        }
    }

    /// The first event after an instant.
    #[inline]
    pub(super) fn after(&self, instant: i64) -> Option<i64> {
        let instant = instant.clamp(FIRST, LAST);
        let event = self.schedule.next_event(instant - 2 * DAY)?;
        if event > instant + DAY {
            // Nothing is near what the clocks may show, nor what they may show again.
            if let Offsets::One(offset) = self.zone.offsets_of(event) {
                return Some(event - i64::from(offset));
            }
        } else if self.policy.is_dense {
            let (before, after) = self.reach();
            let offset = self.offset_at(instant - before);
            let civil = instant + offset;
            if let Some(event) = self.schedule.next_event(civil)
                && event - civil <= NEAR
                && self.offset_at(event - offset + after) == offset
            {
                return Some(event - offset);
            }
        } else {
            let offset = self.offset_at(instant);
            if let Some(event) = self.schedule.next_event(instant + offset)
                && let Offsets::One(of_event) = self.zone.offsets_of(event)
                // Else a second pass of earlier civil times may come before.
                && (self.policy.fold == Fold::First || self.offset_at(instant + DAY) == offset)
            {
                return Some(event - i64::from(of_event));
            }
        }
        self.after_change(instant)
    }

    /// See [`after`](Self::after), where the clocks may change.
    #[cold]
    fn after_change(&self, instant: i64) -> Option<i64> {
        let offset = self.offset_at(instant);
        let mut civil = instant + offset + 1;
        if self.policy.fold != Fold::First
            && let Some((change, false)) = self.fold(instant, offset)
        {
            let rest = self.schedule.nearest_event(civil);
            match rest.filter(|it| *it < change.old_civil()) {
                Some(event) if self.policy.fold == Fold::Both => {
                    return Some(event - change.before);
                }
                _ => civil = change.new_civil(),
            }
        }
        for _ in 0..CHANGES {
            let event = self.schedule.nearest_event(civil)?;
            match self.zone.offsets_of(event) {
                Offsets::One(offset) => return Some(event - i64::from(offset)),
                Offsets::Gap { before, after } => {
                    let change = self.change(event, before, after);
                    if self.fires_after(change) {
                        return Some(change.at);
                    }
                    civil = change.new_civil().max(event + 1);
                }
                Offsets::Fold { before, after } => {
                    let (first, second) = (event - i64::from(before), event - i64::from(after));
                    match self.policy.fold {
                        Fold::First | Fold::Both if first > instant => return Some(first),
                        Fold::Second | Fold::Both => return Some(second),
                        Fold::First => {
                            let change = self.change(event, before, after);
                            civil = change.old_civil().max(event + 1);
                        }
                    }
                }
            }
        }
        None
    }

    /// The last event up to an instant: the mirror image of [`after`](Self::after).
    #[inline]
    pub(super) fn up_to(&self, instant: i64) -> Option<i64> {
        let instant = instant.clamp(FIRST, LAST);
        let event = self.schedule.nearest_prev_event(instant + 2 * DAY)?;
        if event < instant - DAY {
            if let Offsets::One(offset) = self.zone.offsets_of(event) {
                return Some(event - i64::from(offset));
            }
        } else if self.policy.is_dense {
            let (before, after) = self.reach();
            let offset = self.offset_at(instant + after);
            let civil = instant + offset;
            if let Some(event) = self.schedule.nearest_prev_event(civil)
                && civil - event <= NEAR
                && self.offset_at(event - offset - before) == offset
            {
                return Some(event - offset);
            }
        } else {
            let offset = self.offset_at(instant);
            if let Some(event) = self.schedule.nearest_prev_event(instant + offset)
                && let Offsets::One(of_event) = self.zone.offsets_of(event)
                // Else a first pass of later civil times may come after.
                && (self.policy.fold == Fold::Second || self.offset_at(instant - DAY) == offset)
            {
                return Some(event - i64::from(of_event));
            }
        }
        self.up_to_change(instant)
    }

    /// See [`up_to`](Self::up_to), where the clocks may change.
    #[cold]
    fn up_to_change(&self, instant: i64) -> Option<i64> {
        let offset = self.offset_at(instant);
        let mut civil = instant + offset;
        if self.policy.fold != Fold::Second
            && let Some((change, true)) = self.fold(instant, offset)
        {
            let start = self.schedule.nearest_prev_event(civil);
            match start.filter(|it| *it >= change.new_civil()) {
                Some(event) if self.policy.fold == Fold::Both => return Some(event - change.after),
                _ => civil = change.old_civil() - 1,
            }
        }
        for _ in 0..CHANGES {
            let event = self.schedule.nearest_prev_event(civil)?;
            match self.zone.offsets_of(event) {
                Offsets::One(offset) => return Some(event - i64::from(offset)),
                Offsets::Gap { before, after } => {
                    let change = self.change(event, before, after);
                    if self.fires_after(change) {
                        return Some(change.at);
                    }
                    civil = (change.old_civil() - 1).min(event - 1);
                }
                Offsets::Fold { before, after } => {
                    let (first, second) = (event - i64::from(before), event - i64::from(after));
                    match self.policy.fold {
                        Fold::Second | Fold::Both if second <= instant => return Some(second),
                        Fold::First | Fold::Both => return Some(first),
                        Fold::Second => {
                            let change = self.change(event, before, after);
                            civil = (change.new_civil() - 1).min(event - 1);
                        }
                    }
                }
            }
        }
        None
    }

    /// The civil time that an instant is the event of, and how it came to be.
    pub(super) fn occurrence(&self, instant: i64) -> Option<(i64, Resolution)> {
        if !(FIRST..=LAST).contains(&instant) {
            return None;
        }
        let offset = self.offset_at(instant);
        let civil = instant + offset;
        if !self.schedule.matches(civil) {
            return Some((self.shifted_to(instant, offset)?, Resolution::Shifted));
        }
        let Offsets::Fold { after, .. } = self.zone.offsets_of(civil) else {
            return Some((civil, Resolution::Unique));
        };
        let is_second = i64::from(after) == offset;
        match (self.policy.fold, is_second) {
            (Fold::First | Fold::Both, false) => Some((civil, Resolution::FirstPass)),
            (Fold::Second | Fold::Both, true) => Some((civil, Resolution::SecondPass)),
            _ => None,
        }
    }

    /// The first event of the gap before an instant, where that is what fires
    /// at the instant.
    pub(super) fn shifted_to(&self, instant: i64, offset: i64) -> Option<i64> {
        // Most instants have no event for so long before that it can not be.
        let last = self.schedule.prev_event(instant + offset)?;
        if self.policy.gap == Gap::Skip || last < instant + offset - DAY {
            return None;
        }
        let before = self.offset_at(instant - 1);
        let gap = Change { at: instant, before, after: offset };
        if last >= gap.old_civil() && self.fires_after(gap) {
            self.schedule.nearest_event(gap.old_civil())
        } else {
            None
        }
    }
}
