//! [`Schedule`]: a compiled or parsed schedule, queried in milliseconds.
//!
//! The `millicron` crate wraps it in its public type.

use core::fmt;
use core::hash::{Hash, Hasher};

#[cfg(feature = "alloc")]
use crate::handle::Owned;
use crate::handle::{
    Compiled, CompiledPlan, CompiledUnion, PlanHandle, PlanRef, Schedule, instant, offset,
};
#[cfg(feature = "alloc")]
use crate::parse::Located;
use crate::parse::parse;
#[cfg(feature = "alloc")]
use crate::parsed::Parsed;
use crate::search::{Bounds, DAY};
#[cfg(feature = "alloc")]
use crate::union::{any_of, parse_union};
#[cfg(feature = "alloc")]
use crate::{Calendars, Dialect, Spans};
use crate::{Expression, ScheduleRef, Walk};

impl Schedule {
    /// Returns the compiled schedule that `S` represents.
    #[must_use]
    #[inline]
    pub const fn compiled<S: Compiled>() -> Self {
        Self(PlanHandle::Compiled(const { &CompiledPlan::of::<S>() }))
    }

    /// Parses a schedule, in a dialect if there is one.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not a schedule in the language, has a time zone, or has no
    /// events.
    #[cfg(feature = "alloc")]
    pub fn parse(dialect: Option<Dialect>, text: &str) -> Result<Self, crate::ParseError> {
        Self::parse_with(dialect, text, &())
    }

    /// Parses a schedule, in a dialect if there is one, with calendars by name.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not a schedule in the language, has a time zone, names a
    /// calendar that is not known, or has no events.
    #[cfg(feature = "alloc")]
    pub fn parse_with(
        dialect: Option<Dialect>,
        text: &str,
        calendars: &dyn Calendars,
    ) -> Result<Self, crate::ParseError> {
        let mut located = Located::MIDNIGHTS;
        let schedule = Self::parse_into(&mut located, dialect, text, calendars)?;
        crate::compile::refuse_zone(dialect, text, located.spans.zone)?;
        Ok(schedule)
    }

    /// Parses a schedule or a union, in a dialect if there is one, with calendars by name. Also
    /// returns where the parts of the text are.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not a schedule in the language, names a calendar that is not
    /// known, or has no events.
    #[cfg(feature = "alloc")]
    pub fn parse_with_spans(
        dialect: Option<Dialect>,
        text: &str,
        calendars: &dyn Calendars,
    ) -> Result<(Self, Spans), crate::ParseError> {
        let mut located = Located::MIDNIGHTS;
        let schedule = Self::parse_into(&mut located, dialect, text, calendars)?;
        Ok((schedule, located.spans))
    }

    /// Parses a schedule or a union. The places of its parts are read into `located`, which must be
    /// [`Located::MIDNIGHTS`].
    #[cfg(feature = "alloc")]
    fn parse_into(
        located: &mut Located,
        dialect: Option<Dialect>,
        text: &str,
        calendars: &dyn Calendars,
    ) -> Result<Self, crate::ParseError> {
        match Parsed::parse(located, dialect, text, calendars) {
            Ok(parsed) => Ok(Self(PlanHandle::Owned(Owned::parsed(parsed)))),
            // No single schedule contains a semicolon.
            Err(_) if dialect.is_none() && text.contains(';') => {
                located.spans = Spans::NONE;
                parse_union(text, calendars)
            }
            Err(error) => Err(error),
        }
    }

    /// Returns the union of some schedules.
    ///
    /// # Errors
    ///
    /// Returns an error if there are no schedules, or more than 16.
    #[cfg(feature = "alloc")]
    pub fn any_of(schedules: impl Iterator<Item = Self>) -> Result<Self, crate::ParseError> {
        any_of(schedules)
    }

    /// Returns a compiled union.
    #[must_use]
    #[inline]
    pub const fn compiled_union(union: &'static CompiledUnion) -> Self {
        Self(PlanHandle::CompiledUnion(union))
    }

    /// Returns the members of a union; none if the schedule is no union.
    #[must_use]
    #[inline]
    pub fn members(&self) -> &[Self] {
        self.0.members()
    }

    /// Returns the name of the calendar, if the schedule has one.
    #[must_use]
    pub fn calendar(&self) -> Option<&str> {
        if !self.members().is_empty() {
            return None;
        }
        // Only the name of a calendar begins with an `@`.
        let (_, name) = self.text().split_once('@')?;
        Some(name.trim_ascii_end())
    }

    #[inline(always)]
    fn plan(&self) -> PlanRef<'_> {
        self.0.plan()
    }

    /// Returns a reference through which to search the schedule.
    #[must_use]
    #[inline(always)]
    pub fn by_ref(&self) -> ScheduleRef<'_> {
        ScheduleRef(self.plan())
    }

    /// Returns the text: as written, or in the language of this crate if it was read from a
    /// dialect.
    #[must_use]
    pub fn text(&self) -> &str {
        self.plan().text()
    }

    /// Parses the text again and returns its field sets; those of midnight for a union, which has
    /// several.
    ///
    /// They are not stored: they would take a third of a schedule's memory, and only
    /// hashing, comparing schedules with different texts, and the canonical text need them.
    #[must_use]
    pub fn expression(&self) -> Expression {
        if !self.members().is_empty() {
            return Expression::MIDNIGHTS;
        }
        let located = parse(None, self.text());
        debug_assert!(located.is_ok(), "the text of a schedule parses");
        located.map_or(Expression::MIDNIGHTS, |located| located.expression)
    }

    /// Whether the hour, minute, second or millisecond has several values, and they are exactly the
    /// values of `*` or `*/n`.
    #[must_use]
    #[inline]
    pub fn repeats(&self) -> bool {
        self.plan().repeats()
    }

    /// Whether the mean gap between events is at most `gap` milliseconds.
    #[must_use]
    #[inline]
    pub fn is_denser_than(&self, gap: u64) -> bool {
        self.by_ref().is_denser_than(gap)
    }

    /// Returns the first and the last event, and their number, of a compiled schedule.
    #[must_use]
    pub const fn compiled_bounds(&self) -> Option<&'static Bounds> {
        self.0.compiled_bounds()
    }

    /// Returns the first event after `millis`.
    #[must_use]
    #[inline(always)]
    pub fn next_event(&self, millis: i64) -> Option<i64> {
        self.by_ref().next_event(millis)
    }

    /// Returns the first event at or after `millis`.
    #[must_use]
    #[inline(always)]
    pub fn nearest_event(&self, millis: i64) -> Option<i64> {
        self.by_ref().nearest_event(millis)
    }

    /// Returns the last event before `millis`.
    #[must_use]
    #[inline(always)]
    pub fn prev_event(&self, millis: i64) -> Option<i64> {
        self.by_ref().prev_event(millis)
    }

    /// Returns the last event at or before `millis`.
    #[must_use]
    #[inline(always)]
    pub fn nearest_prev_event(&self, millis: i64) -> Option<i64> {
        self.by_ref().nearest_prev_event(millis)
    }

    /// Whether `millis` is an event.
    #[must_use]
    #[inline(always)]
    pub fn matches(&self, millis: i64) -> bool {
        self.by_ref().matches(millis)
    }

    /// Returns the events from `start` to `end`, both included; none if `start` is after
    /// `end`.
    #[must_use]
    #[inline(always)]
    pub fn walk(&self, start: i64, end: i64) -> Walk {
        let plan = self.plan();
        let range @ [start, end] = plan.within(start, end).unwrap_or([1, 0]);
        // An empty range has no last event, and the bounds' last event needs no search.
        let ends_before = start <= end && end < instant(plan.bounds().last);
        let is_rounded = plan.step().is_some() && ends_before;
        let last = if is_rounded { instant(plan.floor(offset(end))) } else { end };
        Walk::new(self.0.clone(), range, last)
    }

    /// Returns the number of events from `start` to `end`, both included, that some members of a
    /// union, given as bits, have together. Unlike [`count`](Self::count), it visits the days.
    #[must_use]
    pub fn count_members(&self, members: u16, start: i64, end: i64) -> u64 {
        let range = self.plan().within(start, end);
        range.map_or(0, |range| self.0.count_members(members, range.map(offset)))
    }

    /// Visits each day from the first event of a union to the last: its start, and the number of events on it.
    pub fn visit_days(&self, mut visit: impl FnMut(i64, u64)) {
        self.0.visit_days(&mut |day, count| visit(instant(day * DAY), count));
    }

    /// Returns the number of events from `start` to `end`, both included.
    #[must_use]
    #[inline(always)]
    pub fn count(&self, start: i64, end: i64) -> u64 {
        self.by_ref().count(start, end)
    }
}

impl Schedule {
    /// Whether both schedules have the same days, provided that they have the same times of day.
    fn has_days_of(&self, other: &Self) -> bool {
        let (plan, other) = (self.plan(), other.plan());
        let (bounds, of_other) = (plan.bounds(), other.bounds());
        if bounds != of_other {
            return false;
        }
        // The times are the same, so it suffices to compare the first event of each day.
        let mut from = bounds.first;
        while from <= bounds.last {
            let event = plan.ceil(from);
            // The rank differs if one schedule has a day on which the other has only the end of a
            // window.
            if other.ceil(from) != event || plan.rank(event) != other.rank(event) {
                return false;
            }
            let time = (event - bounds.first) % DAY;
            from = event - time + DAY;
        }
        true
    }
}

/// Schedules are equal if they have the same days and the same times of day. Times are the same if
/// their fields have the same values, or if their windows are equal. Unions are equal if they have
/// the same members in any order.
impl PartialEq for Schedule {
    fn eq(&self, other: &Self) -> bool {
        let (members, others) = (self.members(), other.members());
        if !(members.is_empty() && others.is_empty()) {
            let has_all = |some: &[Self], all: &[Self]| some.iter().all(|it| all.contains(it));
            return members.len() == others.len()
                && has_all(members, others)
                && has_all(others, members);
        }
        // Calendars with the same name may differ.
        let has_calendar = self.calendar().is_some() || other.calendar().is_some();
        if self.text() == other.text() && !has_calendar {
            return true;
        }
        let (own, others) = (self.expression(), other.expression());
        own == others && !has_calendar || own.times() == others.times() && self.has_days_of(other)
    }
}

impl Eq for Schedule {}

impl Hash for Schedule {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.plan().bounds().hash(state);
        if self.members().is_empty() {
            self.expression().times().hash(state);
        }
    }
}

impl fmt::Debug for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Schedule").field(&self.text()).finish()
    }
}
