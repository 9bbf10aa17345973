//! [`Schedule`]: what a compiled and a parsed schedule have in common, asked in
//! milliseconds. The `millicron` crate wraps it in its public type.

use core::fmt;
use core::hash::{Hash, Hasher};

use crate::calendar::{MILLIS_PER_DAY, day_number};
use crate::parse::parse;
#[cfg(feature = "alloc")]
use crate::parsed::{Parsed, Shared};
use crate::search::block::{Block, Span};
use crate::search::{Bounds, DatePart, Plan, Search, TimePart};
use crate::{Expression, Walk};

/// 2000-01-01 00:00:00.000, from which offsets are counted, in milliseconds
/// since 1970-01-01 00:00:00.
pub(crate) const ORIGIN: i64 = 946_684_800_000;

const _: () = assert!(ORIGIN == day_number(2000, 1, 1) * MILLIS_PER_DAY);

/// A type that stands for one compiled schedule: its plan, as constants, so
/// that the search of just this plan can be compiled.
pub trait Compiled {
    /// The strategy of the date part.
    type Date: DatePart + 'static;
    /// The strategy of the time part.
    type Time: TimePart + 'static;
    /// The text as written.
    const TEXT: Static<Text>;
    /// What answers.
    const PLAN: Static<Plan<Self::Date, Self::Time>>;
}

/// A reference to a constant.
pub type Static<T> = &'static T;

/// A text, named so that generated code need not name a primitive type, which
/// the code around it may have shadowed.
pub type Text = str;

/// What a compiled schedule is.
///
/// The plan is reached through a trait object, so that every schedule is of one
/// type, and all schedules with the same strategies share their code. Where a
/// schedule is a constant, the optimiser sees the object and the plan: the call
/// is direct, is inlined, and the plan's data fold into it.
pub(crate) struct Code {
    text: &'static str,
    bounds: &'static Bounds,
    plan: &'static dyn Search,
}

impl Code {
    /// What `S` stands for.
    const fn of<S: Compiled>() -> Self {
        Self { text: S::TEXT, bounds: &S::PLAN.bounds, plan: S::PLAN }
    }
}

/// A schedule, compiled or parsed.
///
/// The questions are those of the `millicron` crate's `Schedule`, in
/// milliseconds since 1970-01-01 00:00:00, civil time.
#[derive(Clone)]
pub struct Schedule(Repr);

#[derive(Clone)]
enum Repr {
    Compiled(&'static Code),
    #[cfg(feature = "alloc")]
    Parsed(Shared),
    /// Nothing can be parsed, but a schedule has drop glue as if it could: a
    /// feature that another crate turns on must not take away what compiles
    /// without it.
    #[cfg(not(feature = "alloc"))]
    #[expect(dead_code, reason = "it can not be made")]
    Parsed(Nothing),
}

#[cfg(not(feature = "alloc"))]
#[derive(Clone)]
enum Nothing {}

#[cfg(not(feature = "alloc"))]
impl Drop for Nothing {
    fn drop(&mut self) {}
}

/// What a schedule is asked through: a copy of the reference that it holds, so
/// that the address of the schedule itself is not taken, nor that of what
/// contains it.
#[derive(Clone, Copy)]
pub(crate) enum Plans<'a> {
    Compiled(&'a Code),
    #[cfg(feature = "alloc")]
    Parsed(&'a Parsed),
    /// Those of a schedule that is being dropped, which nobody can ask.
    Gone,
}

/// The searches, each by the plan that there is.
macro_rules! searches {
    ($($(#[$inline:meta])* $search:ident($($argument:ident: $ty:ty),*) -> $answer:ty,)*) => {
        impl Plans<'_> {
            $(#[inline(always)]
            pub(crate) fn $search(self, $($argument: $ty),*) -> $answer {
                match self {
                    Self::Compiled(code) => code.plan.$search($($argument),*),
                    #[cfg(feature = "alloc")]
                    Self::Parsed(parsed) => {
                        $(#[$inline])*
                        fn search(parsed: &Parsed, $($argument: $ty),*) -> $answer {
                            parsed.plan.$search($($argument),*)
                        }
                        search(parsed, $($argument),*)
                    }
                    Self::Gone => Default::default(),
                }
            })*
        }
    };
}

// A parsed plan is searched in functions of its own: what asks a compiled schedule is
// to remain small enough to be inlined, with the plan. But the step is read in less than
// a call takes; and since most instants are soon seen to be no events, the compiler may
// inline `contains` where it is asked in one place.
searches! {
    #[inline(never)] ceil(offset: u64) -> u64,
    #[inline(never)] floor(offset: u64) -> u64,
    #[inline] contains(offset: u64) -> bool,
    #[inline(always)] step() -> Option<u64>,
    #[inline(never)] repeats() -> bool,
    #[inline(never)] rank(offset: u64) -> u64,
    #[inline(never)] select(rank: u64) -> u64,
    #[inline(never)] opening() -> Option<Block>,
    #[inline(never)] closing() -> Option<Block>,
    #[inline(never)] span_from(offset: u64) -> Span,
    #[inline(never)] span_to(offset: u64) -> Span,
    #[inline(never)] block(token: u64) -> Block,
}

impl<'a> Plans<'a> {
    /// What is left of a range between the first and the last event. Where events
    /// are equally far from each other, it starts with one.
    #[inline(always)]
    fn within(self, start: i64, end: i64) -> Option<[i64; 2]> {
        let Bounds { first, last, .. } = *self.bounds();
        let (start, end) = (start.max(instant(first)), end.min(instant(last)));
        if start > end {
            return None;
        }
        // The first event is one.
        let is_rounded = self.step().is_some() && start > instant(first);
        Some([if is_rounded { instant(self.ceil(offset(start))) } else { start }, end])
    }

    /// How many events there are between instants that are [within](Self::within)
    /// the bounds, both included.
    #[inline(always)]
    pub(crate) fn count(self, start: i64, end: i64) -> u64 {
        if start > end {
            0
        } else if let Some(step) = self.step() {
            (end - start).cast_unsigned() / step + 1
        } else {
            self.rank(offset(end) + 1) - self.rank(offset(start))
        }
    }

    /// See [`DatePart::list`].
    #[inline(always)]
    pub(crate) fn list(self) -> &'a [u16] {
        match self {
            Self::Compiled(code) => code.plan.list(),
            #[cfg(feature = "alloc")]
            Self::Parsed(parsed) => parsed.plan.list(),
            Self::Gone => &[],
        }
    }

    #[inline(always)]
    pub(crate) fn bounds(self) -> &'a Bounds {
        match self {
            Self::Compiled(code) => code.bounds,
            #[cfg(feature = "alloc")]
            Self::Parsed(parsed) => &parsed.plan.bounds,
            Self::Gone => &Bounds::NONE,
        }
    }
}

impl Schedule {
    /// The compiled schedule that `S` stands for.
    #[must_use]
    #[inline]
    pub const fn compiled<S: Compiled>() -> Self {
        Self(Repr::Compiled(const { &Code::of::<S>() }))
    }

    /// Reads a schedule.
    ///
    /// # Errors
    ///
    /// A text that is not a schedule, or one that would never fire.
    #[cfg(feature = "alloc")]
    pub fn parse(text: &str) -> Result<Self, crate::ParseError> {
        Ok(Self(Repr::Parsed(Shared::new(text)?)))
    }

    #[inline(always)]
    pub(crate) fn plans(&self) -> Plans<'_> {
        match &self.0 {
            Repr::Compiled(code) => Plans::Compiled(code),
            #[cfg(feature = "alloc")]
            Repr::Parsed(shared) => shared.get().map_or(Plans::Gone, Plans::Parsed),
            #[cfg(not(feature = "alloc"))]
            Repr::Parsed(_) => Plans::Gone,
        }
    }

    /// The text as written.
    #[must_use]
    pub fn text(&self) -> &str {
        match self.plans() {
            Plans::Compiled(code) => code.text,
            #[cfg(feature = "alloc")]
            Plans::Parsed(parsed) => parsed.text(),
            Plans::Gone => "",
        }
    }

    /// The sets that the text stands for. They are read anew each time: only
    /// `Hash`, `==` of unequal texts and the canonical text ask for them, and kept
    /// they would be a third of a schedule.
    #[must_use]
    pub fn expression(&self) -> Expression {
        // It was a schedule when it was first read.
        parse(self.text()).map_or(Expression::MIDNIGHTS, |located| located.expression)
    }

    /// Whether the hour, the minute, the second or the millisecond holds several
    /// numbers, and just those that `*` or a `*/n` stands for.
    #[must_use]
    #[inline]
    pub fn repeats(&self) -> bool {
        self.plans().repeats()
    }

    /// Whether events are no further from each other than so many milliseconds, in the
    /// mean.
    #[must_use]
    #[inline]
    pub fn is_denser_than(&self, gap: u64) -> bool {
        let Bounds { first, last, count } = *self.plans().bounds();
        last - first <= count.saturating_mul(gap)
    }

    /// The first event after `millis`.
    #[must_use]
    #[inline(always)]
    pub fn next_event(&self, millis: i64) -> Option<i64> {
        self.event_from(millis.wrapping_sub(ORIGIN - 1), millis < ORIGIN)
    }

    /// The first event at or after `millis`.
    #[must_use]
    #[inline(always)]
    pub fn nearest_event(&self, millis: i64) -> Option<i64> {
        self.event_from(millis.wrapping_sub(ORIGIN), millis < ORIGIN)
    }

    /// The last event before `millis`.
    #[must_use]
    #[inline(always)]
    pub fn prev_event(&self, millis: i64) -> Option<i64> {
        self.event_to(millis.wrapping_sub(ORIGIN + 1), millis <= ORIGIN)
    }

    /// The last event at or before `millis`.
    #[must_use]
    #[inline(always)]
    pub fn nearest_prev_event(&self, millis: i64) -> Option<i64> {
        self.event_to(millis.wrapping_sub(ORIGIN), millis < ORIGIN)
    }

    /// Whether `millis` is an event.
    #[must_use]
    #[inline(always)]
    pub fn matches(&self, millis: i64) -> bool {
        // What is before the range is, wrapped, beyond it.
        self.plans().contains(millis.wrapping_sub(ORIGIN).cast_unsigned())
    }

    /// The first event from an offset on. An offset that is not in the range,
    /// wrapped or not, is larger than all in it: one comparison finds the
    /// usual case.
    #[inline(always)]
    fn event_from(&self, offset: i64, is_before: bool) -> Option<i64> {
        let offset = offset.cast_unsigned();
        if offset <= self.plans().bounds().last {
            Some(instant(self.plans().ceil(offset)))
        } else if is_before {
            Some(instant(self.plans().bounds().first))
        } else {
            None
        }
    }

    /// The last event up to an offset: the mirror image of
    /// [`event_from`](Self::event_from).
    #[inline(always)]
    fn event_to(&self, offset: i64, is_before: bool) -> Option<i64> {
        let offset = offset.cast_unsigned();
        let Bounds { first, last, .. } = *self.plans().bounds();
        if offset.wrapping_sub(first) <= last - first {
            Some(instant(self.plans().floor(offset)))
        } else if is_before || offset < first {
            None
        } else {
            Some(instant(last))
        }
    }

    /// The events from `start` to `end`, both included; none where `start` is
    /// after `end`.
    #[must_use]
    #[inline(always)]
    pub fn walk(&self, start: i64, end: i64) -> Walk {
        let plans = self.plans();
        let range @ [start, end] = plans.within(start, end).unwrap_or([1, 0]);
        // The last event is one, and an empty range has none.
        let ends_before = start <= end && end < instant(plans.bounds().last);
        let is_rounded = plans.step().is_some() && ends_before;
        let last = if is_rounded { instant(plans.floor(offset(end))) } else { end };
        Walk::new(self.clone(), range, last)
    }

    /// How many events there are from `start` to `end`, both included.
    #[must_use]
    #[inline(always)]
    pub fn count(&self, start: i64, end: i64) -> u64 {
        let range = self.plans().within(start, end);
        range.map_or(0, |[start, end]| self.plans().count(start, end))
    }
}

/// The offset of an instant of the range.
#[inline(always)]
pub(crate) const fn offset(instant: i64) -> u64 {
    (instant - ORIGIN).cast_unsigned()
}

/// The instant of an offset.
#[inline(always)]
pub(crate) const fn instant(offset: u64) -> i64 {
    ORIGIN + offset.cast_signed()
}

impl PartialEq for Schedule {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text() || self.expression() == other.expression()
    }
}

impl Eq for Schedule {}

impl Hash for Schedule {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.expression().hash(state);
    }
}

impl fmt::Debug for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Schedule").field(&self.text()).finish()
    }
}
