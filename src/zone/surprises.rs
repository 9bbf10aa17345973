//! [`Surprises`]: the events that clock changes affect.

use core::fmt;
use core::iter::{Flatten, FusedIterator};

use millicron_runtime::{Schedule, Walk};

use super::search::{CHANGES, Change, Direction};
use super::union::{Members, UnionSearch, members_at};
use super::{DAY, FIRST, Gap, LAST, Zone, ZoneScale, ZonedSchedule};
use crate::moment::Sealed;
use crate::query::{ScaleOf, bounds, scale_of};
use crate::{CalendarDigits, Instant, Moment, MomentRange};

/// An event that a clock change affects, returned by
/// [`ZonedSchedule::surprises`](crate::ZonedSchedule::surprises).
///
/// Its `Display` writes a sentence, without a full stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Surprise<T> {
    /// The civil time of the event in the schedule.
    pub civil: CalendarDigits,
    /// The instant at which the event fires; `None` if it does not.
    pub instant: Option<T>,
    /// How the clock change affects the event.
    pub effect: ClockEffect,
    /// The clock change.
    pub clocks: ClockChange,
}

impl<T> fmt::Display for Surprise<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { civil, effect, clocks: ClockChange { from, to }, .. } = self;
        write!(f, "{civil} {effect}: the clocks go from {from} to {to}")
    }
}

/// How a clock change affects an event.
///
/// The first four apply to civil times in a gap, depending on [`Gap`]; the others to civil times in
/// a fold, depending on [`Fold`](crate::Fold). `Display` writes the effect in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "all effects of the policies")]
pub enum ClockEffect {
    /// The event fires at the first instant after the gap.
    Shifted,
    /// The event falls on the first instant after the gap, where another event fires instead: the
    /// event at that civil time, or else the first one in the gap. [`Surprise::instant`] is that
    /// instant.
    Merged,
    /// The event does not fire, because another one follows soon after the gap: [`Gap::Bridge`].
    Bridged,
    /// The event does not fire: [`Gap::Skip`].
    Skipped,
    /// The event fires in this pass only: [`Fold::First`](crate::Fold::First) or
    /// [`Fold::Second`](crate::Fold::Second).
    Chosen(Pass),
    /// The event fires in both passes, and this is one of them: [`Fold::Both`](crate::Fold::Both).
    Doubled(Pass),
}

/// One of the two times at which a civil time in a fold occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a fold has two passes")]
pub enum Pass {
    /// Before the clocks are set back.
    First,
    /// After the clocks were set back.
    Second,
}

impl fmt::Display for ClockEffect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Shifted => "fires at the first instant after the gap",
            Self::Merged => "falls on another event at the first instant after the gap",
            Self::Bridged => "does not fire, as another event follows soon after the gap",
            Self::Skipped => "does not fire",
            Self::Chosen(Pass::First) => "fires in the first pass only",
            Self::Chosen(Pass::Second) => "fires in the second pass only",
            Self::Doubled(Pass::First) => "fires in both passes, the first time",
            Self::Doubled(Pass::Second) => "fires in both passes, the second time",
        })
    }
}

/// A clock change in civil time. If `from` is before `to`, the clocks are set forward, and the
/// civil times from `from` to before `to` are a gap. Otherwise, those from `to` to before `from`
/// are a fold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "before and after")]
pub struct ClockChange {
    /// The civil time that the clocks would have reached at the change.
    pub from: CalendarDigits,
    /// The civil time that the clocks show at the change instead.
    pub to: CalendarDigits,
}

impl<Z: Zone> ZonedSchedule<Z> {
    /// Returns a double-ended iterator over the events of a range that clock changes affect: the
    /// events in [gaps and folds](Self#clock-changes), and how the policies handle each of them.
    ///
    /// They are ordered by the instant at which they fire. All events in a gap, even those that do
    /// not fire, are placed at the first instant after it, in the order of their civil times. An
    /// event that fires in both passes of a fold is listed twice.
    ///
    /// The iterator goes from one clock change to the next and searches only the civil times in the
    /// gap or the fold, so the number of events in between does not matter. In a zone that does not
    /// know its [spans](Zone::offset_span), this takes an offset lookup for every six days.
    ///
    /// [Without either end](MomentRange#time-zones), a range of a type with a time zone has no
    /// surprises.
    ///
    /// ```
    /// # #[cfg(feature = "jiff")] {
    /// use jiff::{ZonedDateTime, tz::TimeZone};
    /// use millicron::{ClockEffect, Pass, Schedule, schedule};
    ///
    /// const NIGHTLY: Schedule = schedule!("2:30:00");
    /// let nightly = NIGHTLY.in_zone(TimeZone::get("Europe/Berlin")?);
    ///
    /// let start: ZonedDateTime = "2026-01-01T00:00:00[Europe/Berlin]".parse()?;
    /// let end: ZonedDateTime = "2027-01-01T00:00:00[Europe/Berlin]".parse()?;
    /// let surprises: Vec<_> = nightly.surprises(start..end).collect();
    /// assert_eq!(surprises.len(), 2);
    ///
    /// let [spring, autumn] = &surprises[..] else { unreachable!() };
    /// assert_eq!(spring.civil.to_string(), "2026-03-29 02:30:00.000");
    /// assert_eq!(spring.effect, ClockEffect::Shifted);
    /// let fires = spring.instant.as_ref().map(ZonedDateTime::to_string);
    /// assert_eq!(fires.as_deref(), Some("2026-03-29T03:00:00+02:00[Europe/Berlin]"));
    ///
    /// assert_eq!(autumn.effect, ClockEffect::Chosen(Pass::First));
    /// assert_eq!(
    ///     autumn.to_string(),
    ///     "2026-10-25 02:30:00.000 fires in the first pass only: \
    ///      the clocks go from 2026-10-25 03:00:00.000 to 2026-10-25 02:00:00.000",
    /// );
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn surprises<R: MomentRange<Moment: Instant>>(
        &self,
        range: R,
    ) -> Surprises<'_, <R::Moment as Moment>::Answer, Z> {
        Surprises::new(&self.schedule().0, self.scale(), &range)
    }
}

/// A double-ended iterator over the events of a range that clock changes affect, returned by
/// [`ZonedSchedule::surprises`](crate::ZonedSchedule::surprises).
///
/// It finds the events one by one, and borrows the zone.
pub struct Surprises<'a, M: Moment, Z: Zone> {
    affected: Flatten<Flatten<Flatten<Changes<&'a Z>>>>,
    /// The timescale of the answers.
    own: M::Scale,
}

impl<'a, M: Moment, Z: Zone> Surprises<'a, M, Z> {
    fn new<R: MomentRange>(schedule: &Schedule, scale: ZoneScale<&'a Z>, range: &R) -> Self
    where
        R::Moment: Moment<Answer = M> + Sealed<Scale = M::Scale>,
    {
        let own: ScaleOf<R> = scale_of(range);
        let (start, end) = bounds(range, &own);
        Self {
            affected: Changes::new(schedule.clone(), scale, start, end)
                .flatten()
                .flatten()
                .flatten(),
            own,
        }
    }

    fn surprise(&self, event: Affected) -> Option<Surprise<M::Answer>> {
        let Affected { civil, instant, effect, change } = event;
        let instant = match instant {
            Some(instant) => Some(M::at(self.own.clone(), instant)?),
            None => None,
        };
        let digits = CalendarDigits::from_millis;
        let clocks =
            ClockChange { from: digits(change.old_civil()), to: digits(change.new_civil()) };
        Some(Surprise { civil: digits(civil), instant, effect, clocks })
    }
}

impl<M: Moment, Z: Zone> Iterator for Surprises<'_, M, Z> {
    type Item = Surprise<M::Answer>;

    fn next(&mut self) -> Option<Surprise<M::Answer>> {
        let event = self.affected.next()?;
        self.surprise(event)
    }

    fn last(mut self) -> Option<Surprise<M::Answer>> {
        self.next_back()
    }
}

impl<M: Moment, Z: Zone> DoubleEndedIterator for Surprises<'_, M, Z> {
    fn next_back(&mut self) -> Option<Surprise<M::Answer>> {
        let event = self.affected.next_back()?;
        self.surprise(event)
    }
}

impl<M: Moment, Z: Zone> FusedIterator for Surprises<'_, M, Z> {}

impl<M: Moment, Z: Zone> Clone for Surprises<'_, M, Z> {
    fn clone(&self) -> Self {
        Self { affected: self.affected.clone(), own: self.own.clone() }
    }
}

impl<M: Moment, Z: Zone> fmt::Debug for Surprises<'_, M, Z> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Surprises").finish_non_exhaustive()
    }
}

/// The clock changes that affect a range of instants, each with the events in its gap or fold.
#[derive(Clone)]
struct Changes<Z> {
    schedule: Schedule,
    scale: ZoneScale<Z>,
    /// The first and the last instant.
    start: i64,
    end: i64,
    /// The remaining changes are after `after`, up to and including `until`.
    after: i64,
    until: i64,
    /// The most changes that can remain. It bounds the work for a zone that violates its contract.
    left: usize,
}

impl<Z: Zone> Changes<Z> {
    fn new(schedule: Schedule, scale: ZoneScale<Z>, start: i64, end: i64) -> Self {
        let (start, end) = (start.max(FIRST), end.min(LAST));
        // The passes of a fold take at most a day.
        let (after, until) = if start > end {
            (0, 0)
        } else {
            ((start - DAY - 1).max(FIRST), (end + DAY).min(LAST))
        };
        Self { schedule, scale, start, end, after, until, left: CHANGES }
    }

    /// Takes the next change in a direction, and returns the events that it affects.
    fn take(&mut self, direction: Direction) -> Option<Stretches> {
        if self.left == 0 {
            return None;
        }
        let search = UnionSearch::of_any(&self.scale, &self.schedule)?;
        let change = match direction {
            Direction::Forward => search.any.first_change(self.after, self.until),
            Direction::Backward => search.any.last_change(self.after, self.until),
        };
        let range = self.after + 1..=self.until;
        let Some(change) = change.filter(|change| range.contains(&change.at)) else {
            self.left = 0;
            return None;
        };
        self.left -= 1;
        match direction {
            Direction::Forward => self.after = change.at,
            Direction::Backward => self.until = change.at - 1,
        }
        Some(Stretch::all(&search, change, [self.start, self.end]))
    }
}

impl<Z: Zone> Iterator for Changes<Z> {
    type Item = Stretches;

    fn next(&mut self) -> Option<Stretches> {
        self.take(Direction::Forward)
    }
}

impl<Z: Zone> DoubleEndedIterator for Changes<Z> {
    fn next_back(&mut self) -> Option<Stretches> {
        self.take(Direction::Backward)
    }
}

/// An event that a change affects.
#[derive(Clone, Copy)]
struct Affected {
    civil: i64,
    instant: Option<i64>,
    effect: ClockEffect,
    change: Change,
}

/// The gap, or the first and the second pass of a fold, each if events fire in it.
type Stretches = [Option<Stretch>; 2];

/// The remaining events of civil times that a change resolves in the same way.
#[derive(Clone)]
struct Stretch {
    change: Change,
    schedule: Schedule,
    walk: Walk,
    rule: Rule,
}

/// How a change resolves the events of each member of a union. Any other schedule is its own only
/// member.
#[derive(Clone, Copy)]
enum Rule {
    /// The events of the firing members fall on the first instant after the gap. One is shifted
    /// there, unless that instant already has an event. The events of other members do not fire.
    Gap { firing: Members, shifted: Option<i64>, otherwise: ClockEffect },
    /// The events of the firing members fire in this pass, with this offset. Those of some members,
    /// which may be the same, also fire in the other pass.
    Pass { pass: Pass, offset: i64, firing: Members, in_other_pass: Members },
}

impl Stretch {
    /// Returns the events that a change affects and that are in a range of instants.
    fn all<Z: Zone>(
        search: &UnionSearch<'_, Z>,
        change: Change,
        [start, end]: [i64; 2],
    ) -> Stretches {
        let Change { at, before, after } = change;
        let stretch = |first, last, rule| {
            let walk = search.union.walk(first, last);
            Self { change, schedule: search.union.clone(), walk, rule }
        };
        if after > before {
            let is_inside = (start..=end).contains(&at);
            let (first, last) = (change.old_civil(), change.new_civil() - 1);
            let gap = || stretch(first, last, Rule::of_gap(search, change));
            return [is_inside.then(gap), None];
        }
        let [first, second] = search.firing_in_passes();
        [(Pass::First, before, first, second), (Pass::Second, after, second, first)].map(
            |(pass, offset, firing, in_other_pass)| {
                let first = change.new_civil().max(start + offset);
                let last = (change.old_civil() - 1).min(end + offset);
                let rule = Rule::Pass { pass, offset, firing, in_other_pass };
                (firing != 0).then(|| stretch(first, last, rule))
            },
        )
    }

    /// Returns how the change affects an event; `None` if the event does not belong here.
    fn affected(&self, civil: i64) -> Option<Affected> {
        let change = self.change;
        let members = members_at(&self.schedule, civil);
        let (instant, effect) = match self.rule {
            Rule::Gap { firing, otherwise, .. } if members & firing == 0 => (None, otherwise),
            Rule::Gap { shifted, .. } => {
                let is_shifted = shifted == Some(civil);
                let effect = if is_shifted { ClockEffect::Shifted } else { ClockEffect::Merged };
                (Some(change.at), effect)
            }
            Rule::Pass { firing, .. } if members & firing == 0 => return None,
            Rule::Pass { pass, offset, in_other_pass, .. } => {
                let is_doubled = members & in_other_pass != 0;
                let effect =
                    if is_doubled { ClockEffect::Doubled } else { ClockEffect::Chosen }(pass);
                (Some(civil - offset), effect)
            }
        };
        Some(Affected { civil, instant, effect, change })
    }
}

impl Rule {
    fn of_gap<Z: Zone>(search: &UnionSearch<'_, Z>, gap: Change) -> Self {
        let is_taken = search.union.matches(gap.new_civil());
        let members = search.searches().filter(|member| member.fires_after(gap));
        let first = members.filter_map(|it| it.schedule.nearest_event(gap.old_civil())).min();
        let is_skipped = search.searches().any(|member| member.policy.gap == Gap::Skip);
        Self::Gap {
            firing: search.firing_after(gap),
            shifted: first.filter(|_| !is_taken),
            otherwise: if is_skipped { ClockEffect::Skipped } else { ClockEffect::Bridged },
        }
    }
}

impl Iterator for Stretch {
    type Item = Affected;

    fn next(&mut self) -> Option<Affected> {
        loop {
            let civil = self.walk.next()?;
            if let Some(affected) = self.affected(civil) {
                return Some(affected);
            }
        }
    }
}

impl DoubleEndedIterator for Stretch {
    fn next_back(&mut self) -> Option<Affected> {
        loop {
            let civil = self.walk.next_back()?;
            if let Some(affected) = self.affected(civil) {
                return Some(affected);
            }
        }
    }
}
