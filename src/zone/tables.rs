//! [`Tables`]: the tables of zones that were used before.

use std::sync::OnceLock;

use super::ZoneTable;

/// The tables of the zones of one kind that were used so far. Each stays until the program ends.
///
/// A zone is found by the address of its name, which is part of its data: to compare zones would take longer
/// than to look up an offset.
#[derive(Debug)]
pub(crate) struct Tables<Z>([OnceLock<(Z, ZoneTable)>; SLOTS]);

/// More than a program uses at once. Other zones have no table.
const SLOTS: usize = 256;

impl<Z: Clone> Tables<Z> {
    pub(crate) const fn new() -> Self {
        Self([const { OnceLock::new() }; SLOTS])
    }

    /// Returns the table of a zone, which is made when it is first asked for. `None` if the zone has no
    /// name, or if there are too many zones.
    #[inline]
    pub(crate) fn get(
        &'static self,
        zone: &Z,
        name: impl Fn(&Z) -> Option<&str>,
        make: impl Fn(&Z) -> ZoneTable,
    ) -> Option<&'static ZoneTable> {
        let address = |zone: &Z| name(zone).map(|name| name.as_ptr().addr());
        let wanted = address(zone)?;
        // Names are bytes apart, or hundreds of bytes.
        let first = (wanted ^ wanted >> 8) % SLOTS;
        // The zone of a slot keeps its name where it is.
        for place in first..first + MOST_TRIED {
            let slot = &self.0[place % SLOTS];
            let (kept, table) = slot.get_or_init(|| (zone.clone(), make(zone)));
            if address(kept) == Some(wanted) {
                return Some(table);
            }
        }
        None
    }
}

/// The most slots that a zone may have.
const MOST_TRIED: usize = 16;
