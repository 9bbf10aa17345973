//! [`Tables`]: the tables of zones that were used before.

use std::sync::OnceLock;

use super::ZoneTable;

/// The tables of the zones of one kind that were used so far. Each stays until the program ends.
///
/// A zone is identified by the address of its name, which is part of its data: comparing two zones takes
/// longer than looking up an offset.
#[derive(Debug)]
pub(crate) struct Tables<Z>([OnceLock<Kept<Z>>; SLOTS]);

#[derive(Debug)]
struct Kept<Z> {
    /// The address of the name, and its length.
    name: (usize, usize),
    /// Keeps the name where it is.
    _zone: Z,
    table: ZoneTable,
}

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
        let name = name(zone)?;
        let wanted = (name.as_ptr().addr(), name.len());
        // Names that are compiled in lie bytes apart, those of loaded zones hundreds of bytes.
        let first = (wanted.0 ^ wanted.0 >> 8) % SLOTS;
        for place in first..first + MOST_TRIED {
            let kept = self.0[place % SLOTS].get_or_init(|| Kept {
                name: wanted,
                _zone: zone.clone(),
                table: make(zone),
            });
            if kept.name == wanted {
                return Some(&kept.table);
            }
        }
        None
    }
}

/// The most slots that a zone may have.
const MOST_TRIED: usize = 16;
