//! [`PlanHandle`]: the plan of a schedule, compiled or parsed, and the searches through it.
//!
//! The searches take and return offsets, like those of [`search`](crate::search).

#[cfg(feature = "alloc")]
mod owned;
mod union;

#[cfg(feature = "alloc")]
pub(crate) use self::owned::Owned;
pub use self::union::CompiledUnion;
#[cfg(feature = "alloc")]
pub(crate) use self::union::Union;
use crate::calendar::{MILLIS_PER_DAY, day_number};
#[cfg(feature = "alloc")]
use crate::parsed::Parsed;
use crate::search::{Block, Bounds, DatePart, Plan, Search, Span, TimePart};
#[cfg(not(feature = "alloc"))]
use crate::uninhabited::Uninhabited;
#[cfg(feature = "alloc")]
use crate::union_plan::CountMembers as _;

/// 2000-01-01 00:00:00.000, the origin of offsets, in milliseconds since 1970-01-01
/// 00:00:00.
pub(crate) const ORIGIN: i64 = 946_684_800_000;

const _: () = assert!(ORIGIN == day_number(2000, 1, 1) * MILLIS_PER_DAY);

/// The first day of the range, 2000-01-01, in days since 1970-01-01.
pub const FIRST_DAY: i64 = day_number(2000, 1, 1);

/// The last day of the range, 2100-12-31, in days since 1970-01-01.
pub const LAST_DAY: i64 = day_number(2100, 12, 31);

/// The first instant whose local time may be in the range, in milliseconds since 1970-01-01 00:00:00
/// UTC: 25 days, more than any offset, before the range.
pub const FIRST_INSTANT: i64 = FIRST_DAY * MILLIS_PER_DAY - MOST_AHEAD;
/// The last instant whose local time may be in the range.
pub const LAST_INSTANT: i64 = (LAST_DAY + 1) * MILLIS_PER_DAY - 1 + MOST_AHEAD;

/// In milliseconds.
const MOST_AHEAD: i64 = 25 * MILLIS_PER_DAY;

/// Returns the offset of an instant in the range.
#[inline(always)]
pub(crate) const fn offset(instant: i64) -> u64 {
    (instant - ORIGIN).cast_unsigned()
}

/// Returns the instant of an offset.
#[inline(always)]
pub(crate) const fn instant(offset: u64) -> i64 {
    ORIGIN + offset.cast_signed()
}

/// A type that represents one compiled schedule: its plan in constants, so that the
/// compiler specializes the search for this plan.
pub trait Compiled {
    /// The strategy of the date part.
    type Date: DatePart + 'static;
    /// The strategy of the time part.
    type Time: TimePart + 'static;
    /// The text as written.
    const TEXT: StaticRef<Str>;
    /// The plan of the text.
    const PLAN: StaticRef<Plan<Self::Date, Self::Time>>;
}

/// A reference to a constant. Generated code uses this alias because it names no lifetime.
pub type StaticRef<T> = &'static T;

/// `str`. Generated code uses this alias because the code around it may shadow `str`.
pub type Str = str;

/// The plan of a compiled schedule.
///
/// The trait object gives all schedules one type, and lets schedules with the same strategies share
/// code. If a schedule is a constant, the optimizer sees through the object: it inlines the search
/// and folds the data of the plan into it.
pub(crate) struct CompiledPlan {
    text: &'static str,
    bounds: &'static Bounds,
    search: &'static dyn Search,
}

impl CompiledPlan {
    /// Returns the plan that `S` represents.
    pub(crate) const fn of<S: Compiled>() -> Self {
        Self { text: S::TEXT, bounds: &S::PLAN.bounds, search: S::PLAN }
    }
}

/// A schedule, compiled or parsed.
///
/// The queries are those of the `millicron` crate's `Schedule`. Instants are milliseconds
/// since 1970-01-01 00:00:00 in civil time.
#[derive(Clone)]
pub struct Schedule(pub(crate) PlanHandle);

/// The plan that a schedule owns or refers to.
#[derive(Clone)]
pub(crate) enum PlanHandle {
    Compiled(&'static CompiledPlan),
    CompiledUnion(&'static CompiledUnion),
    #[cfg(feature = "alloc")]
    Owned(Owned),
    /// Never constructed. Without `alloc`, no schedule can be parsed, but a schedule needs drop
    /// glue as if it could be: a feature that another crate enables must not break code that
    /// compiles without it.
    #[cfg(not(feature = "alloc"))]
    #[expect(dead_code, reason = "its type is uninhabited")]
    Owned(Uninhabited),
}

impl PlanHandle {
    /// Returns a reference through which to search the plan.
    #[inline(always)]
    pub(crate) fn plan(&self) -> PlanRef<'_> {
        match self {
            Self::Compiled(compiled) => PlanRef::Compiled(compiled),
            Self::CompiledUnion(union) => PlanRef::Compiled(&union.plan),
            #[cfg(feature = "alloc")]
            Self::Owned(owned) => owned.plan(),
            #[cfg(not(feature = "alloc"))]
            Self::Owned(_) => PlanRef::Dropped,
        }
    }

    /// Returns the first and the last event, and their number, of a compiled schedule.
    pub(crate) const fn compiled_bounds(&self) -> Option<&'static Bounds> {
        match self {
            Self::Compiled(compiled) => Some(compiled.bounds),
            Self::CompiledUnion(union) => Some(union.plan.bounds),
            Self::Owned(_) => None,
        }
    }

    /// Returns the members of a union; none for other schedules.
    #[inline]
    pub(crate) fn members(&self) -> &[Schedule] {
        match self {
            Self::CompiledUnion(union) => union.members,
            #[cfg(feature = "alloc")]
            Self::Owned(owned) => owned.as_union().map_or(&[], |union| &union.plan.events.0),
            _ => &[],
        }
    }

    /// Returns the number of events from one offset to another, both included and within the
    /// bounds, that some members of a union, given as bits, have together.
    pub(crate) fn count_members(&self, members: u16, range: [u64; 2]) -> u64 {
        match self {
            Self::CompiledUnion(union) => union.counts.count_members(members, range),
            #[cfg(feature = "alloc")]
            Self::Owned(owned) => {
                owned.as_union().map_or(0, |union| union.plan.count_members(members, range))
            }
            _ => 0,
        }
    }

    /// Visits each day from the first event of a union to the last, with the number of events on it.
    pub(crate) fn visit_days(&self, visit: &mut dyn FnMut(u64, u64)) {
        match self {
            Self::CompiledUnion(union) => union.counts.visit_days(visit),
            #[cfg(feature = "alloc")]
            Self::Owned(owned) => {
                if let Some(union) = owned.as_union() {
                    union.plan.visit_days(visit);
                }
            }
            _ => {}
        }
    }
}

/// A reference to a plan.
///
/// It copies the reference out of the [`PlanHandle`], so that a search does not take the
/// address of the handle. If it did, the compiler would keep whatever contains the handle,
/// such as an iterator, in memory.
#[derive(Clone, Copy)]
pub(crate) enum PlanRef<'a> {
    Compiled(&'a CompiledPlan),
    #[cfg(feature = "alloc")]
    Parsed(&'a Parsed),
    #[cfg(feature = "alloc")]
    Union(&'a Union),
    /// The plan of a schedule whose drop has begun. No code can search it.
    Dropped,
}

/// Returns the answer for [`PlanRef::Dropped`], which is unreachable.
///
/// A panic would be compiled into every search, so only debug builds have one.
#[inline(always)]
fn dropped<T>(answer: T) -> T {
    debug_assert!(false, "a dropped schedule was searched");
    answer
}

/// Defines the searches of a [`PlanRef`], each forwarding to the plan that it refers to.
macro_rules! searches {
    ($($(#[$inline:meta])* $search:ident($($argument:ident: $ty:ty),*) -> $answer:ty,)*) => {
        impl PlanRef<'_> {
            $(#[inline(always)]
            pub(crate) fn $search(self, $($argument: $ty),*) -> $answer {
                match self {
                    Self::Compiled(compiled) => compiled.search.$search($($argument),*),
                    #[cfg(feature = "alloc")]
                    Self::Union(union) => {
                        #[inline(never)]
                        fn search(union: &Union, $($argument: $ty),*) -> $answer {
                            union.plan.$search($($argument),*)
                        }
                        search(union, $($argument),*)
                    }
                    #[cfg(feature = "alloc")]
                    Self::Parsed(parsed) => {
                        $(#[$inline])*
                        fn search(parsed: &Parsed, $($argument: $ty),*) -> $answer {
                            parsed.plan.$search($($argument),*)
                        }
                        search(parsed, $($argument),*)
                    }
                    Self::Dropped => dropped(Default::default()),
                }
            })*
        }
    };
}

// Parsed plans are searched in functions that are not inlined: the code around them must stay small
// enough for the search of a compiled plan to be inlined. Two exceptions: reading the step costs
// less than a call, and `contains` rejects most instants early, so the compiler may inline it if
// there is only one call.
searches! {
    #[inline(never)] ceil(offset: u64) -> u64,
    #[inline(never)] floor(offset: u64) -> u64,
    #[inline] contains(offset: u64) -> bool,
    #[inline(always)] step() -> Option<u64>,
    #[inline(never)] repeats() -> bool,
    #[inline(never)] is_daily() -> bool,
    #[inline(never)] rank(offset: u64) -> u64,
    #[inline(never)] select(rank: u64) -> u64,
    #[inline(never)] span_from(offset: u64) -> Span,
    #[inline(never)] span_to(offset: u64) -> Span,
    #[inline(never)] block(token: u64) -> Block,
}

impl<'a> PlanRef<'a> {
    /// Restricts a range of instants, both included, to the first and the last event; `None` if
    /// nothing remains. If events are equally spaced, moves the start to an event.
    #[inline(always)]
    pub(crate) fn within(self, start: i64, end: i64) -> Option<[i64; 2]> {
        let Bounds { first, last, .. } = *self.bounds();
        let (start, end) = (start.max(instant(first)), end.min(instant(last)));
        if start > end {
            return None;
        }
        // The first event needs no search.
        let is_rounded = self.step().is_some() && start > instant(first);
        Some([if is_rounded { instant(self.ceil(offset(start))) } else { start }, end])
    }

    /// Returns the number of events in a range that [`within`](Self::within) returned.
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

    /// Returns the list that blocks index; see [`DatePart::list`].
    #[inline(always)]
    pub(crate) fn list(self) -> &'a [u16] {
        match self {
            Self::Compiled(compiled) => compiled.search.list(),
            #[cfg(feature = "alloc")]
            Self::Union(_) => &[],
            #[cfg(feature = "alloc")]
            Self::Parsed(parsed) => parsed.plan.list(),
            Self::Dropped => dropped(&[]),
        }
    }

    /// Returns the first and the last event, and the number of events.
    #[inline(always)]
    pub(crate) fn bounds(self) -> &'a Bounds {
        match self {
            Self::Compiled(compiled) => compiled.bounds,
            #[cfg(feature = "alloc")]
            Self::Union(union) => &union.plan.bounds,
            #[cfg(feature = "alloc")]
            Self::Parsed(parsed) => &parsed.plan.bounds,
            Self::Dropped => dropped(&Bounds::NONE),
        }
    }

    /// Returns the text as written.
    pub(crate) fn text(self) -> &'a str {
        match self {
            Self::Compiled(compiled) => compiled.text,
            #[cfg(feature = "alloc")]
            Self::Union(union) => &union.text,
            #[cfg(feature = "alloc")]
            Self::Parsed(parsed) => parsed.text(),
            Self::Dropped => dropped(""),
        }
    }
}
