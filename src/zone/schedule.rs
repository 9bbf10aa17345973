//! [`ZonedSchedule`]: a schedule in the local time of a zone.
#![expect(
    clippy::inline_always,
    reason = "a constant schedule stays constant where it is searched, whatever the program around it"
)]

use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::Bound;

use super::occurrence::Occurrence;
use super::policy::{Chosen, Fold, Gap, Policy};
use super::search::{Search, instant_of};
use super::table::TabledZone;
use super::union::UnionSearch;
use super::{Zone, ZoneScale, ZoneTable};
use crate::query::{Query, start_of};
use crate::timescale::Sought;
use crate::{CalendarDigits, Events, Instant, Moment, MomentRange, Position, Schedule};

/// A schedule in the local time of a zone. Create it with [`Schedule::in_zone`], with
/// [`parse`](Self#method.parse) from a text such as `*.*.* Mon-Fri 09:30:00 America/New_York`, or
/// from [days that count from an instant](crate::IntervalBuilder::in_zone).
///
/// It has the query methods of [`Schedule`], which accept any [`Instant`], and gives the same
/// guarantees: the events of a range are strictly ascending and the same from both ends, and
/// `next_event` and `prev_event` are inverses of each other.
///
/// # Clock changes
///
/// When the clocks are set forward, the skipped civil times do not exist: a *gap*. When they are
/// set back, the repeated civil times occur twice: a *fold*. How an event there is handled depends
/// on the time part of the schedule. The schedule **repeats** if it has a window of
/// several events, or if its hour, minute, second or millisecond is `*` or `*/n`; otherwise it has **fixed** times.
///
/// | | fixed times: `2:30:00`, `1,3:30:00`, `9-17:00:00` | repeats: `*:30:00`, `2:*/15:00`, `1:00:00..5:00:00/15m` |
/// | --- | --- | --- |
/// | in a gap | fires once, at the first instant after the gap: [`Gap::Shift`] | the same, unless another event follows within less than the length of the gap: [`Gap::Bridge`] |
/// | in a fold | fires once, in the first pass: [`Fold::First`] | fires in both passes: [`Fold::Both`] |
///
/// So each fixed time fires once a day. A schedule that repeats keeps its pace in real time if its
/// step divides the change, like `*:*/15:00`, or `*:30:00` when the clocks change by an hour. If
/// the step is longer, the result depends on where its events are. If none is in the gap or the
/// fold, as with `*/4:00:00` in Berlin, one step becomes shorter or longer by the change.
/// `*/2:30:00` has an event there, at 2:30. In spring it fires at 0:30, 3:00 and 4:30, an hour and
/// a half apart, because 4:30 is not less than an hour after the gap. In autumn it fires at 0:30,
/// twice at 2:30, and at 4:30.
///
/// - Lists and ranges are fixed: `1,3:30:00` and `9-17:00:00` fire once for each of these hours,
///   `2:10,20:00` once for each of these minutes, and `0-22:30:00` once for each hour but the last.
/// - But a field is a set, however it is written: `0-23` is `*`, and `2:0,30:00` is `2:*/30:00`.
///   `0,18` repeats, because it is the same as `*/18`; `0,11` does not, because `*/11` also
///   contains the hour 22. `*/n` starts at 0, so `1,13` does not repeat; and a step that leaves one
///   value, such as `0-23/24`, is that value.
/// - Events that fall on the same instant fire once, such as those of `2:10,20:00` or `2,3:00:00`
///   after a gap from 2 to 3 o'clock. The event at that civil time wins, here 3:00; if there is
///   none, the first event in the gap, here 2:10.
/// - [The guide](mod@crate::zone#examples-around-clock-changes) has tables of examples.
///   [`surprises`](Self::surprises) lists all events of a range that clock changes affect, and
///   [`describe`](Self::describe) says how they are handled.
/// - [`with_gap`](Self::with_gap) and [`with_fold`](Self::with_fold) override the defaults.
///   [`occurrence`](Self::occurrence) reports how an event was resolved.
///
/// ```
/// # #[cfg(feature = "jiff")] {
/// use jiff::{ZonedDateTime, tz::TimeZone};
/// use millicron::{Fold, Gap, Resolution, Schedule, schedule};
///
/// const NIGHTLY: Schedule = schedule!("2:30:00");
/// let nightly = NIGHTLY.in_zone(TimeZone::get("Europe/Berlin")?);
///
/// // On 2026-03-29 the clocks go from 02:00 to 03:00.
/// let saturday: ZonedDateTime = "2026-03-28T12:00:00+01:00[Europe/Berlin]".parse()?;
/// let next = nightly.next_event(&saturday).expect("an event each night");
/// assert_eq!(next.to_string(), "2026-03-29T03:00:00+02:00[Europe/Berlin]");
/// let occurrence = nightly.occurrence(&next).expect("an event");
/// assert_eq!(occurrence.resolution, Resolution::Shifted);
/// assert_eq!(occurrence.civil.to_string(), "2026-03-29 02:30:00.000");
///
/// let strict = nightly.clone().with_gap(Gap::Skip);
/// let next = strict.next_event(&saturday).expect("an event on most nights");
/// assert_eq!(next.to_string(), "2026-03-30T02:30:00+02:00[Europe/Berlin]");
///
/// // On 2026-10-25 they go from 03:00 back to 02:00.
/// let autumn: ZonedDateTime = "2026-10-25T00:00:00+02:00[Europe/Berlin]".parse()?;
/// let day = autumn.clone()..autumn.tomorrow()?;
/// let fires = |fold| nightly.clone().with_fold(fold).events(day.clone()).next();
/// assert_eq!(fires(Fold::First).map(|at| at.offset().seconds()), Some(7200));
/// assert_eq!(fires(Fold::Second).map(|at| at.offset().seconds()), Some(3600));
/// assert_eq!(nightly.with_fold(Fold::Both).count(day), 2);
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Cost
///
/// In a zone with a [table](Zone::table), a query takes two to three times as long as in civil time,
/// and a [`count`](Self::count) of a century takes about 1 µs. With the feature `std`, a
/// `jiff::tz::TimeZone` and a `ChronoZone` of `chrono-tz` have a table of 1 to 3 KiB. It is created
/// when the zone is first used, in 20 µs (jiff) or 0.5 ms (chrono-tz), and kept until the program
/// ends. At most 256 zones of each crate have one.
///
/// In other zones, a query takes up to two searches in civil time and two offset lookups. It takes
/// one lookup if no event is within a day or two of the instant, and a few more near a clock
/// change, or if a nearby event of a sparse schedule turns out not to be the answer. `count`, and
/// `nth` of [`events`](Self::events), take a few lookups for each clock change in the range.
///
/// A schedule keeps the rules of the zone with which it was created. After a reset of jiff's time
/// zone database, look the zone up again and create a new schedule from it.
#[derive(Clone)]
pub struct ZonedSchedule<Z> {
    pub(super) schedule: Schedule,
    pub(super) zone: Z,
    /// The offsets of the zone, in a form that is faster to search.
    pub(super) table: Option<&'static ZoneTable>,
    pub(super) policy: Policy,
    /// The policies that were chosen, if they are not the default ones. The members of a union may have
    /// different defaults.
    pub(super) chosen: Chosen,
}

impl<Z: PartialEq> PartialEq for ZonedSchedule<Z> {
    fn eq(&self, other: &Self) -> bool {
        let Self { schedule, zone, table: _, policy: _, chosen } = self;
        *schedule == other.schedule && *zone == other.zone && *chosen == other.chosen
    }
}

impl<Z: Eq> Eq for ZonedSchedule<Z> {}

impl<Z: Hash> Hash for ZonedSchedule<Z> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { schedule, zone, table: _, policy: _, chosen } = self;
        (schedule, zone, chosen).hash(state);
    }
}

impl Schedule {
    /// Returns the schedule in the local time of a zone. The result has the same methods, which
    /// accept instants. [`ZonedSchedule`] explains how events are handled when the clocks change.
    ///
    /// ```
    /// # #[cfg(feature = "jiff")] {
    /// use jiff::{Timestamp, tz::TimeZone};
    /// use millicron::{Schedule, schedule};
    ///
    /// const OPENING: Schedule = schedule!("*.*.* 1-5 09:30:00");
    /// let new_york = OPENING.in_zone(TimeZone::get("America/New_York")?);
    ///
    /// let now: Timestamp = "2026-03-06T18:00:00Z".parse()?; // a Friday
    /// let next: Timestamp = "2026-03-09T13:30:00Z".parse()?; // summer time began on Sunday
    /// assert_eq!(new_york.next_event(now), Some(next));
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// To read a schedule and its zone from one text, parse a `ZonedSchedule`:
    ///
    /// ```
    /// # #[cfg(feature = "jiff")] {
    /// use jiff::tz::TimeZone;
    /// use millicron::{Schedule, ZonedSchedule, schedule};
    ///
    /// const OPENING: Schedule = schedule!("*.*.* 1-5 09:30:00");
    /// let new_york = OPENING.in_zone(TimeZone::get("America/New_York")?);
    ///
    /// let parsed: ZonedSchedule<TimeZone> = "*.*.* 1-5 09:30:00 America/New_York".parse()?;
    /// assert_eq!(parsed, new_york);
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn in_zone<Z: Zone>(&self, zone: Z) -> ZonedSchedule<Z> {
        let policy = Policy::of(&self.0);
        let (schedule, chosen) = (self.clone(), Chosen::default());
        ZonedSchedule { schedule, table: zone.table(), zone, policy, chosen }
    }
}

/// A double-ended iterator over the events of a range in a time zone, returned by
/// [`ZonedSchedule::events`](crate::ZonedSchedule::events) and
/// [`ZonedSchedule::upcoming`](crate::ZonedSchedule::upcoming).
///
/// In a zone that does not know the [span](Zone::offset_span) of an offset, each event takes a search, including offset
/// lookups. `nth`, `count` and `last` do not visit the events. The iterator borrows the zone. If you need to return or store the
/// iterator, query a [`Schedule`](crate::Schedule) with moments that carry their own zone.
pub type ZonedEvents<'a, M, Z> = Events<M, ZoneScale<&'a Z>>;

impl<Z: Zone> ZonedSchedule<Z> {
    /// Sets how events in a gap are handled. For the default, see [above](Self#clock-changes).
    #[must_use]
    pub fn with_gap(self, gap: Gap) -> Self {
        let is_default = self.all_default(|policy| policy.gap == gap);
        let chosen = Chosen { gap: (!is_default).then_some(gap), ..self.chosen };
        Self { policy: Policy { gap, ..self.policy }, chosen, ..self }
    }

    /// Sets how events in a fold are handled. For the default, see [above](Self#clock-changes).
    #[must_use]
    pub fn with_fold(self, fold: Fold) -> Self {
        let is_default = self.all_default(|policy| policy.fold == fold);
        let chosen = Chosen { fold: (!is_default).then_some(fold), ..self.chosen };
        Self { policy: Policy { fold, ..self.policy }, chosen, ..self }
    }

    /// Whether the default policies of the schedule, or of all members of a union, satisfy a condition.
    fn all_default(&self, is: impl Fn(Policy) -> bool) -> bool {
        match self.schedule.0.members() {
            [] => is(Policy::of(&self.schedule.0)),
            members => members.iter().map(Policy::of).all(is),
        }
    }

    /// Returns how events in a gap are handled. If the members of a union are handled by their own
    /// kinds, it is how those that repeat are handled, if there are any.
    #[must_use]
    pub const fn gap(&self) -> Gap {
        self.policy.gap
    }

    /// Returns how events in a fold are handled; for a union, see [`gap`](Self::gap).
    #[must_use]
    pub const fn fold(&self) -> Fold {
        self.policy.fold
    }

    /// Returns the schedule in civil time.
    #[must_use]
    pub const fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// Returns the zone.
    #[must_use]
    pub const fn zone(&self) -> &Z {
        &self.zone
    }

    /// Whether the schedule has the policies for gaps and folds that [`Schedule::in_zone`] sets.
    #[cfg(feature = "serde")]
    pub(crate) fn has_default_policy(&self) -> bool {
        self.chosen == Chosen::default()
    }

    #[inline(always)]
    pub(crate) fn scale(&self) -> ZoneScale<&Z> {
        ZoneScale::new(&self.zone, self.table, self.policy, self.chosen)
    }

    /// Returns the timescale in which another schedule is searched in the same zone, with the default
    /// policies.
    pub(crate) fn scale_of(&self, schedule: &Schedule) -> ZoneScale<&Z> {
        ZoneScale::new(&self.zone, self.table, Policy::of(&schedule.0), Chosen::default())
    }

    #[inline(always)]
    pub(crate) fn query<'a, S>(&'a self, scale: &'a S) -> Query<'a, S> {
        Query { schedule: &self.schedule.0, scale }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn find<M: Instant>(&self, sought: Sought, instant: &M) -> Option<M::Answer> {
        let (sought, millis) = start_of(sought, instant);
        instant.answer(self.find_from(sought, millis)?)
    }

    /// A closure would not be inlined, and would read a constant schedule at run time.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn find_from(&self, sought: Sought, millis: i64) -> Option<i64> {
        if !self.schedule.0.members().is_empty() {
            return self.find_in_union(sought, millis);
        }
        match self.table {
            Some(table) => self.search(table, Some(table)).find_sought(sought, millis),
            None => self.find_without_table(sought, millis),
        }
    }

    /// The zone is a reference, as in a timescale, so that the searches are not compiled twice.
    #[inline]
    fn find_without_table(&self, sought: Sought, millis: i64) -> Option<i64> {
        self.search(&&self.zone, None).find_sought(sought, millis)
    }

    /// Returns the search of the schedule, which is no union, in its zone, or in a table in place of its
    /// zone. It does not refer to the timescale, so that it stays in registers.
    #[inline(always)]
    fn search<'a, Y>(&'a self, zone: &'a Y, table: Option<&'static ZoneTable>) -> Search<'a, Y> {
        let zone = TabledZone { zone, table };
        Search { schedule: self.schedule.0.by_ref(), zone, policy: self.policy }
    }

    #[inline(never)]
    fn find_in_union(&self, sought: Sought, millis: i64) -> Option<i64> {
        UnionSearch::of(&self.scale(), &self.schedule.0)?.find(sought, millis)
    }

    #[inline(never)]
    fn union_matches(&self, millis: i64) -> bool {
        let scale = self.scale();
        UnionSearch::of(&scale, &self.schedule.0)
            .is_some_and(|union| union.occurrence(millis).is_some())
    }

    /// Returns the first event after an instant.
    ///
    /// ```
    /// # use millicron::{Schedule, Zone, schedule};
    /// # struct Ahead;
    /// # impl Zone for Ahead {
    /// #     fn offset_at(&self, _: i64) -> i32 { 3_600_000 }
    /// # }
    /// # const NOON: Schedule = schedule!("12:00:00");
    /// let noon = NOON.in_zone(Ahead); // an hour ahead of UTC
    /// // 2021-02-28 11:00:00 UTC, in milliseconds since 1970-01-01 00:00:00 UTC.
    /// let at = 1_614_510_000_000;
    /// assert_eq!(noon.next_event(at), Some(at + 86_400_000));
    /// ```
    #[must_use]
    #[inline(always)]
    pub fn next_event<M: Instant>(&self, instant: M) -> Option<M::Answer> {
        self.find(Sought::Next, &instant)
    }

    /// Returns the first event at or after an instant.
    ///
    /// ```
    /// # use millicron::{Schedule, Zone, schedule};
    /// # struct Ahead;
    /// # impl Zone for Ahead {
    /// #     fn offset_at(&self, _: i64) -> i32 { 3_600_000 }
    /// # }
    /// # const NOON: Schedule = schedule!("12:00:00");
    /// let noon = NOON.in_zone(Ahead); // an hour ahead of UTC
    /// // 2021-02-28 11:00:00 UTC, in milliseconds since 1970-01-01 00:00:00 UTC.
    /// let at = 1_614_510_000_000;
    /// assert_eq!(noon.nearest_event(at), Some(at));
    /// ```
    #[must_use]
    #[inline(always)]
    pub fn nearest_event<M: Instant>(&self, instant: M) -> Option<M::Answer> {
        self.find(Sought::Nearest, &instant)
    }

    /// Returns the last event before an instant.
    ///
    /// ```
    /// # use millicron::{Schedule, Zone, schedule};
    /// # struct Ahead;
    /// # impl Zone for Ahead {
    /// #     fn offset_at(&self, _: i64) -> i32 { 3_600_000 }
    /// # }
    /// # const NOON: Schedule = schedule!("12:00:00");
    /// let noon = NOON.in_zone(Ahead); // an hour ahead of UTC
    /// // 2021-02-28 11:00:00 UTC, in milliseconds since 1970-01-01 00:00:00 UTC.
    /// let at = 1_614_510_000_000;
    /// assert_eq!(noon.prev_event(at), Some(at - 86_400_000));
    /// ```
    #[must_use]
    #[inline(always)]
    pub fn prev_event<M: Instant>(&self, instant: M) -> Option<M::Answer> {
        self.find(Sought::Prev, &instant)
    }

    /// Returns the last event at or before an instant.
    ///
    /// ```
    /// # use millicron::{Schedule, Zone, schedule};
    /// # struct Ahead;
    /// # impl Zone for Ahead {
    /// #     fn offset_at(&self, _: i64) -> i32 { 3_600_000 }
    /// # }
    /// # const NOON: Schedule = schedule!("12:00:00");
    /// let noon = NOON.in_zone(Ahead); // an hour ahead of UTC
    /// // 2021-02-28 11:00:00 UTC, in milliseconds since 1970-01-01 00:00:00 UTC.
    /// let at = 1_614_510_000_000;
    /// assert_eq!(noon.nearest_prev_event(at), Some(at));
    /// ```
    #[must_use]
    #[inline(always)]
    pub fn nearest_prev_event<M: Instant>(&self, instant: M) -> Option<M::Answer> {
        self.find(Sought::NearestPrev, &instant)
    }

    /// Returns whether an instant is an event.
    ///
    /// ```
    /// # use millicron::{Schedule, Zone, schedule};
    /// # struct Ahead;
    /// # impl Zone for Ahead {
    /// #     fn offset_at(&self, _: i64) -> i32 { 3_600_000 }
    /// # }
    /// # const NOON: Schedule = schedule!("12:00:00");
    /// let noon = NOON.in_zone(Ahead); // an hour ahead of UTC
    /// // 2021-02-28 11:00:00 UTC, in milliseconds since 1970-01-01 00:00:00 UTC.
    /// let at = 1_614_510_000_000;
    /// assert!(noon.matches(at) && !noon.matches(at + 3_600_000));
    /// ```
    #[must_use]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn matches<M: Instant>(&self, instant: M) -> bool {
        let Position { millis, is_exact } = instant.position();
        if !is_exact {
            return false;
        }
        if !self.schedule.0.members().is_empty() {
            return self.union_matches(millis);
        }
        match self.table {
            Some(table) => self.search(table, Some(table)).matches(millis),
            None => self.search(&&self.zone, None).matches(millis),
        }
    }

    /// Returns how the event at an instant was resolved: its civil time, and whether it was shifted
    /// or occurs twice. `None` if the instant is not an event.
    ///
    /// ```
    /// # #[cfg(feature = "jiff")] {
    /// use jiff::{ZonedDateTime, tz::TimeZone};
    /// use millicron::{Resolution, Schedule, schedule};
    ///
    /// const HALF_PAST: Schedule = schedule!("*:30:00");
    /// let london = HALF_PAST.in_zone(TimeZone::get("Europe/London")?);
    ///
    /// let night: ZonedDateTime = "2026-10-25T00:00:00+01:00[Europe/London]".parse()?;
    /// let occurrences = london.events(night..).filter_map(|event| london.occurrence(event));
    /// let resolved: Vec<_> = occurrences.map(|it| (it.civil.hour(), it.resolution)).take(4).collect();
    /// assert_eq!(resolved, [
    ///     (0, Resolution::Unique),
    ///     (1, Resolution::FirstPass),
    ///     (1, Resolution::SecondPass),
    ///     (2, Resolution::Unique),
    /// ]);
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn occurrence<M: Instant>(&self, instant: M) -> Option<Occurrence<M::Answer>> {
        let position = instant.position();
        if !position.is_exact {
            return None;
        }
        let (civil, resolution) = self.scale().occurrence(&self.schedule.0, position.millis)?;
        let instant = instant.answer(position.millis)?;
        Some(Occurrence { instant, civil: CalendarDigits::from_millis(civil), resolution })
    }

    /// Returns the local time at an instant in the schedule's zone, rounded down to the millisecond.
    ///
    /// ```
    /// # use millicron::{Schedule, Zone, schedule};
    /// # struct Ahead;
    /// # impl Zone for Ahead {
    /// #     fn offset_at(&self, _: i64) -> i32 { 3_600_000 }
    /// # }
    /// # const NOON: Schedule = schedule!("12:00:00");
    /// let noon = NOON.in_zone(Ahead); // an hour ahead of UTC
    /// // 2021-02-28 11:00:00 UTC, in milliseconds since 1970-01-01 00:00:00 UTC.
    /// let at = 1_614_510_000_000;
    /// assert_eq!(noon.local_time(at).to_string(), "2021-02-28 12:00:00.000");
    /// ```
    #[must_use]
    pub fn local_time<M: Instant>(&self, instant: M) -> CalendarDigits {
        let millis = instant.position().millis;
        // A table covers only the years of schedules; the zone may know others.
        CalendarDigits::from_millis(millis.saturating_add(self.zone.offset_at(millis).into()))
    }

    /// Returns the instant at a local time in the schedule's zone, in milliseconds since 1970-01-01 00:00:00
    /// UTC.
    ///
    /// In a fold, it is the instant in the first pass. In a gap, it is the last one before the gap, so that
    /// the next event may be at the end of the gap.
    ///
    /// ```
    /// # use millicron::{CalendarDigits, Schedule, Zone, schedule};
    /// # struct Ahead;
    /// # impl Zone for Ahead {
    /// #     fn offset_at(&self, _: i64) -> i32 { 3_600_000 }
    /// # }
    /// # const NOON: Schedule = schedule!("12:00:00");
    /// let noon = NOON.in_zone(Ahead); // an hour ahead of UTC
    /// let morning: CalendarDigits = "2021-02-28 08:00:00".parse()?;
    /// let next = noon.next_event(noon.instant(morning)).expect("an event each day");
    /// assert_eq!(noon.local_time(next).to_string(), "2021-02-28 12:00:00.000");
    /// # Ok::<(), millicron::DigitsError>(())
    /// ```
    #[must_use]
    pub fn instant(&self, local: CalendarDigits) -> i64 {
        instant_of(local.position(), &self.zone).millis
    }

    /// Returns a double-ended iterator over the events of a range.
    ///
    /// An empty or reversed range has no events. If the two ends have different time zones, the
    /// answers are in the zone of the start. [Without either end](MomentRange#time-zones), a range of
    /// a type with a time zone has no events.
    ///
    /// ```
    /// # use millicron::{Schedule, Zone, schedule};
    /// # struct Ahead;
    /// # impl Zone for Ahead {
    /// #     fn offset_at(&self, _: i64) -> i32 { 3_600_000 }
    /// # }
    /// # const NOON: Schedule = schedule!("12:00:00");
    /// let noon = NOON.in_zone(Ahead); // an hour ahead of UTC
    /// // 2021-02-28 11:00:00 UTC, in milliseconds since 1970-01-01 00:00:00 UTC.
    /// let at = 1_614_510_000_000;
    /// let mut events = noon.events(at..);
    /// assert_eq!(events.nth(7), Some(at + 7 * 86_400_000));
    /// ```
    #[must_use]
    pub fn events<R: MomentRange<Moment: Instant>>(
        &self,
        range: R,
    ) -> ZonedEvents<'_, <R::Moment as Moment>::Answer, Z> {
        Events::new(&self.schedule.0, self.scale(), &range)
    }

    /// Returns an iterator over the events after an instant.
    ///
    /// ```
    /// # use millicron::{Schedule, Zone, schedule};
    /// # struct Ahead;
    /// # impl Zone for Ahead {
    /// #     fn offset_at(&self, _: i64) -> i32 { 3_600_000 }
    /// # }
    /// # const NOON: Schedule = schedule!("12:00:00");
    /// let noon = NOON.in_zone(Ahead); // an hour ahead of UTC
    /// // 2021-02-28 11:00:00 UTC, in milliseconds since 1970-01-01 00:00:00 UTC.
    /// let at = 1_614_510_000_000;
    /// let mut events = noon.upcoming(at);
    /// assert_eq!(events.next(), Some(at + 86_400_000));
    /// ```
    #[must_use]
    pub fn upcoming<M: Instant>(&self, instant: M) -> ZonedEvents<'_, M::Answer, Z> {
        self.events((Bound::Excluded(instant), Bound::Unbounded))
    }

    /// Returns the number of events in a range, without visiting them. This takes a few lookups for
    /// each clock change in the range; in a zone that does not list its changes, one for every six
    /// days.
    ///
    /// ```
    /// # use millicron::{Schedule, Zone, schedule};
    /// # struct Ahead;
    /// # impl Zone for Ahead {
    /// #     fn offset_at(&self, _: i64) -> i32 { 3_600_000 }
    /// # }
    /// # const NOON: Schedule = schedule!("12:00:00");
    /// let noon = NOON.in_zone(Ahead); // an hour ahead of UTC
    /// // 2021-02-28 11:00:00 UTC, in milliseconds since 1970-01-01 00:00:00 UTC.
    /// let at = 1_614_510_000_000;
    /// assert_eq!(noon.count(at..at + 10 * 86_400_000), 10);
    /// ```
    #[must_use]
    pub fn count(&self, range: impl MomentRange<Moment: Instant>) -> u64 {
        self.query(&self.scale()).count(&range)
    }
}

impl<Z: fmt::Debug> fmt::Debug for ZonedSchedule<Z> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { schedule, zone, table: _, policy: Policy { gap, fold, .. }, chosen } = self;
        let mut debug = f.debug_struct("ZonedSchedule");
        debug.field("schedule", schedule).field("zone", zone).field("gap", gap).field("fold", fold);
        if !schedule.0.members().is_empty() {
            debug.field("chosen", chosen);
        }
        debug.finish()
    }
}
