//! [`ZonedEvents`]: the events of a range in a time zone.

use millicron_runtime::Schedule;

use super::{Zone, ZoneScale};
use crate::events::{EventIter, iterator};
use crate::moment::Sealed;
use crate::{Moment, MomentRange};

/// A double-ended iterator over the events of a range in a time zone, returned by
/// [`ZonedSchedule::events`](crate::ZonedSchedule::events) and
/// [`ZonedSchedule::upcoming`](crate::ZonedSchedule::upcoming).
///
/// Each event takes a search, including offset lookups in the zone. `nth`, `count` and `last` do
/// not visit the events. The iterator borrows the zone. If you need to return or store the
/// iterator, query a [`Schedule`](crate::Schedule) with moments that carry their own zone.
pub struct ZonedEvents<'a, M: Moment, Z: Zone>(EventIter<M, ZoneScale<&'a Z>>);

impl<'a, M: Moment, Z: Zone> ZonedEvents<'a, M, Z> {
    pub(crate) fn new<R: MomentRange>(
        schedule: &Schedule,
        scale: ZoneScale<&'a Z>,
        range: &R,
    ) -> Self
    where
        R::Moment: Moment<Answer = M> + Sealed<Scale = M::Scale>,
    {
        Self(EventIter::new(schedule, scale, range))
    }
}

iterator!([M: Moment, Z: Zone], ZonedEvents<'_, M, Z>);
