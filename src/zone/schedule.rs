//! [`ZonedSchedule`]: a schedule by the clocks of a zone.

use core::fmt;
use core::ops::RangeBounds;

use super::occurrence::Occurrence;
use super::policy::{Fold, Gap, Policy};
use super::{Zone, ZoneClock};
use crate::ask::{self, Ask, own_clock};
use crate::moment::Reading;
use crate::{CalendarDigits, Events, Instant, Schedule};

/// A schedule by the clocks of a zone, asked in instants; made by
/// [`Schedule::in_zone`].
///
/// The questions are those of [`Schedule`], and take any [`Instant`]. All that a
/// [`Schedule`] promises holds here too; events in a range go strictly upwards,
/// from both ends they are the same, and the event after the last one before an
/// event is that event.
///
/// # Where the clocks change
///
/// A civil time may not exist, in a *gap*, where the clocks are set forward, or
/// come twice, in a *fold*, where they are set back. What becomes of an event
/// there depends on the time part of the schedule. It **repeats** where hour,
/// minute, second or millisecond is `*` or `*/n`, and it has **fixed** times
/// otherwise.
///
/// | | fixed times: `2:30:00`, `1,3:30:00`, `9-17:00:00` | repeats: `*:30:00`, `*/4:00:00`, `2:*/15:00` |
/// | --- | --- | --- |
/// | in a gap | fires once, at the first instant after it: [`Gap::Shift`] | the same, but only where no event follows within less than the gap is long: [`Gap::Bridge`] |
/// | in a fold | fires once, in the first pass: [`Fold::First`] | fires in both passes: [`Fold::Both`] |
///
/// So what is fixed fires once a day for each of its times. What repeats goes by
/// real time where its step divides the change, as `*:*/15:00` does, or `*:30:00`
/// where clocks are set by an hour: it neither pauses nor bunches. Where the step is
/// longer, as that of `*/4:00:00`, one step is shorter or longer by the change.
///
/// - A list or a range of hours is fixed: `1,3:30:00` and `9-17:00:00` fire once
///   for each of these hours. So is one of minutes or seconds: `2:10,20:00`. A field is
///   a set, though, however it is written: `0-23` is `*`, `0,12` is `*/12`, and
///   `2:0,30:00` is `2:*/30:00`: these repeat. `*/n` begins at 0: `1,13` does not repeat;
///   and a step that leaves one value, as `*/24`, is that value.
/// - Several events that land on one instant fire once, as `2:10,20:00` after a gap
///   from 2 to 3 o'clock, or `2,3:00:00`.
/// - [`with_gap`](Self::with_gap) and [`with_fold`](Self::with_fold) choose
///   otherwise. [`occurrence`](Self::occurrence) tells of an event what became of
///   it.
///
/// ```
/// # #[cfg(feature = "jiff")] {
/// use jiff::{Zoned, tz::TimeZone};
/// use millicron::{Fold, Gap, Resolution, Schedule, schedule};
///
/// const NIGHTLY: Schedule = schedule!("2:30:00");
/// let nightly = NIGHTLY.in_zone(TimeZone::get("Europe/Berlin")?);
///
/// // On 2026-03-29 the clocks go from 02:00 to 03:00.
/// let saturday: Zoned = "2026-03-28T12:00:00+01:00[Europe/Berlin]".parse()?;
/// let next = nightly.next_event(&saturday).expect("there is one each night");
/// assert_eq!(next.to_string(), "2026-03-29T03:00:00+02:00[Europe/Berlin]");
/// let story = nightly.occurrence(&next).expect("it is an event");
/// assert_eq!(story.resolution, Resolution::Shifted);
/// assert_eq!(story.civil.to_string(), "2026-03-29 02:30:00.000");
///
/// let strict = nightly.clone().with_gap(Gap::Skip);
/// let next = strict.next_event(&saturday).expect("there is one most nights");
/// assert_eq!(next.to_string(), "2026-03-30T02:30:00+02:00[Europe/Berlin]");
///
/// // On 2026-10-25 they go from 03:00 back to 02:00.
/// let autumn: Zoned = "2026-10-25T00:00:00+02:00[Europe/Berlin]".parse()?;
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
/// A question costs up to two searches in civil time and two look-ups in the zone: one
/// look-up where no event is within a day or two of the instant. It takes a few more
/// around a change of the clocks; and where events are days from each other, but
/// one is near and not the answer, one more backwards, and in a schedule that repeats.
/// [`count`](Self::count) and `nth` of [`events`](Self::events) take some for each change
/// of the clocks in the range.
#[derive(Clone)]
pub struct ZonedSchedule<Z> {
    schedule: Schedule,
    zone: Z,
    policy: Policy,
}

/// The events of a range, by the clocks of a zone; made by
/// [`ZonedSchedule::events`].
///
/// Each event takes a search, with its look-ups in the zone. `nth`, `count` and
/// `last` do not enumerate. The zone is borrowed: to return or to store the events,
/// ask [`Schedule::events`] in a type that has a zone of its own.
pub type ZonedEvents<'a, M, Z> = Events<M, ZoneClock<&'a Z>>;

impl<Z: Zone> ZonedSchedule<Z> {
    pub(crate) fn new(schedule: Schedule, zone: Z) -> Self {
        let policy = Policy::of(&schedule.0);
        Self { schedule, zone, policy }
    }

    /// The same, with another choice for events in a gap; the default is told
    /// [above](Self#where-the-clocks-change).
    #[must_use]
    pub fn with_gap(self, gap: Gap) -> Self {
        Self { policy: Policy { gap, ..self.policy }, ..self }
    }

    /// The same, with another choice for events in a fold; the default is told
    /// [above](Self#where-the-clocks-change).
    #[must_use]
    pub fn with_fold(self, fold: Fold) -> Self {
        Self { policy: Policy { fold, ..self.policy }, ..self }
    }

    /// What becomes of events in a gap.
    #[must_use]
    pub const fn gap(&self) -> Gap {
        self.policy.gap
    }

    /// What becomes of events in a fold.
    #[must_use]
    pub const fn fold(&self) -> Fold {
        self.policy.fold
    }

    /// The schedule in civil time.
    #[must_use]
    pub const fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The zone.
    #[must_use]
    pub const fn zone(&self) -> &Z {
        &self.zone
    }

    #[inline]
    pub(crate) fn clock(&self) -> ZoneClock<&Z> {
        ZoneClock::new(Some(&self.zone), Some(self.policy))
    }

    #[inline]
    pub(crate) fn ask<'a>(&'a self, clock: &'a ZoneClock<&'a Z>) -> Ask<'a, ZoneClock<&'a Z>> {
        Ask { schedule: &self.schedule.0, clock }
    }

    /// The first event after an instant; `None` where there is none.
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
    #[inline]
    pub fn next_event<M: Instant>(&self, instant: M) -> Option<M::Answer> {
        self.ask(&self.clock()).next(&instant, &M::clock(Some(&instant)))
    }

    /// The first event at or after an instant; `None` where there is none.
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
    #[inline]
    pub fn nearest_event<M: Instant>(&self, instant: M) -> Option<M::Answer> {
        self.ask(&self.clock()).nearest(&instant, &M::clock(Some(&instant)))
    }

    /// The last event before an instant; `None` where there is none.
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
    #[inline]
    pub fn prev_event<M: Instant>(&self, instant: M) -> Option<M::Answer> {
        self.ask(&self.clock()).prev(&instant, &M::clock(Some(&instant)))
    }

    /// The last event at or before an instant; `None` where there is none.
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
    #[inline]
    pub fn nearest_prev_event<M: Instant>(&self, instant: M) -> Option<M::Answer> {
        self.ask(&self.clock()).nearest_prev(&instant, &M::clock(Some(&instant)))
    }

    /// Whether an instant is an event.
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
    #[inline]
    pub fn matches<M: Instant>(&self, instant: M) -> bool {
        self.ask(&self.clock()).matches(&instant)
    }

    /// The event that an instant is, and its story: the civil time it stands for,
    /// and whether that was shifted, or came twice. `None` where the instant is
    /// no event.
    ///
    /// Any answer can be asked about, also each event of a range.
    ///
    /// ```
    /// # #[cfg(feature = "jiff")] {
    /// use jiff::{Zoned, tz::TimeZone};
    /// use millicron::{Resolution, Schedule, schedule};
    ///
    /// const HALF_PAST: Schedule = schedule!("*:30:00");
    /// let london = HALF_PAST.in_zone(TimeZone::get("Europe/London")?);
    ///
    /// let night: Zoned = "2026-10-25T00:00:00+01:00[Europe/London]".parse()?;
    /// let stories = london.events(night..).filter_map(|event| london.occurrence(event));
    /// let stories: Vec<_> = stories.map(|it| (it.civil.hour(), it.resolution)).take(4).collect();
    /// assert_eq!(stories, [
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
        let Reading { millis, is_exact } = instant.reading();
        let clock = self.clock();
        let search = clock.search(&self.schedule.0).filter(|_| is_exact)?;
        let (civil, resolution) = search.occurrence(millis)?;
        let instant = M::at(&M::clock(Some(&instant)), millis)?;
        Some(Occurrence { instant, civil: CalendarDigits::from_millis(civil), resolution })
    }

    /// The events of a range, from both ends.
    ///
    /// `..` in a type whose values have a zone of their own has no events, since
    /// nothing tells the zone to answer in; ask in `i64` there. Where the two ends have
    /// different zones, the answers are in that of the start. A range of references
    /// does not tell the type: `events::<Zoned>(&start..)`.
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
    pub fn events<M: Instant>(&self, range: impl RangeBounds<M>) -> ZonedEvents<'_, M, Z> {
        ask::events(&self.schedule.0, self.clock(), &range)
    }

    /// How many events a range has. They are not enumerated: it takes some
    /// look-ups for each change of the clocks in the range; in a zone that does not tell
    /// its changes, one for every six days. `..` in a type whose values have a zone of
    /// their own holds nothing, as in [`events`](Self::events).
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
    pub fn count<M: Instant>(&self, range: impl RangeBounds<M>) -> u64 {
        self.ask(&self.clock()).count(&range, &own_clock(&range))
    }
}

impl<Z: fmt::Debug> fmt::Debug for ZonedSchedule<Z> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { schedule, zone, policy: Policy { gap, fold, .. } } = self;
        f.debug_struct("ZonedSchedule")
            .field("schedule", schedule)
            .field("zone", zone)
            .field("gap", gap)
            .field("fold", fold)
            .finish()
    }
}
