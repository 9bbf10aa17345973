//! The events of a schedule by the clocks of a zone.
//!
//! Where the offset stays the same, events follow each other as they do in civil
//! time. So a question takes the offset at its instant, asks the schedule in civil
//! time, and takes the offset of what it answers. Where both are the same and the
//! answer is within a day, the clocks did not change between, and that is it: two
//! look-ups. All else is done around a change.

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

    fn is_in_fold(&self, civil: i64) -> bool {
        matches!(self.zone.offsets_of(civil), Offsets::Fold { .. })
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

    /// The first event after an instant.
    #[expect(clippy::needless_bitwise_bool, reason = "one branch is guessed rather than two")]
    #[inline]
    pub(super) fn after(&self, instant: i64) -> Option<i64> {
        let instant = instant.clamp(FIRST, LAST);
        let offset = self.offset_at(instant);
        let civil = instant + offset;
        // A second pass of earlier civil times may come before the next event.
        let is_far = || self.schedule.nearest_prev_event(civil).is_none_or(|it| it < civil - DAY);
        match self.schedule.next_event(civil) {
            Some(event) if self.policy.fold == Fold::Both && event - civil <= DAY => {
                let of_event = self.offset_at(event - offset);
                if of_event == offset {
                    return Some(event - offset);
                }
            }
            Some(event) => {
                let is_alone = self.policy.fold == Fold::First || is_far();
                if let Offsets::One(of_event) = self.zone.offsets_of(event) {
                    let of_event = i64::from(of_event);
                    let is_same = (event - civil <= NEAR) & (offset == of_event);
                    if is_alone | is_same || !self.is_in_fold(civil) {
                        return Some(event - of_event);
                    }
                }
            }
            None if is_far() => return None,
            None => {}
        }
        self.after_change(instant, offset)
    }

    /// See [`after`](Self::after), where the clocks change.
    #[cold]
    fn after_change(&self, instant: i64, offset: i64) -> Option<i64> {
        let mut civil = instant + offset + 1;
        if self.policy.fold != Fold::First
            && let Some((change, false)) = self.fold(instant, offset)
        {
            // The rest of the first pass is near, and has been looked at.
            civil = change.new_civil();
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
    #[expect(clippy::needless_bitwise_bool, reason = "one branch is guessed rather than two")]
    #[inline]
    pub(super) fn up_to(&self, instant: i64) -> Option<i64> {
        let instant = instant.clamp(FIRST, LAST);
        let offset = self.offset_at(instant);
        let civil = instant + offset;
        // A first pass of later civil times may come after the last event.
        let is_far = || self.schedule.next_event(civil).is_none_or(|it| it > civil + DAY);
        match self.schedule.nearest_prev_event(civil) {
            Some(event) if self.policy.fold == Fold::Both && civil - event <= DAY => {
                let of_event = self.offset_at(event - offset);
                if of_event == offset {
                    return Some(event - offset);
                }
            }
            Some(event) => {
                let is_alone = self.policy.fold == Fold::Second || is_far();
                if let Offsets::One(of_event) = self.zone.offsets_of(event) {
                    let of_event = i64::from(of_event);
                    let is_same = (civil - event <= NEAR) & (offset == of_event);
                    if is_alone | is_same || !self.is_in_fold(civil) {
                        return Some(event - of_event);
                    }
                }
            }
            None if is_far() => return None,
            None => {}
        }
        self.up_to_change(instant, offset)
    }

    /// See [`up_to`](Self::up_to), where the clocks change.
    #[cold]
    fn up_to_change(&self, instant: i64, offset: i64) -> Option<i64> {
        let mut civil = instant + offset;
        if self.policy.fold != Fold::Second
            && let Some((change, true)) = self.fold(instant, offset)
        {
            // The start of the second pass is near, and has been looked at.
            civil = change.old_civil() - 1;
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
