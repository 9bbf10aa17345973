//! [`TableCache`]: a cache of the tables of the zones in use.

use std::sync::OnceLock;

use super::ZoneTable;

/// The tables of all zones of one type that the program has used. They stay until it ends.
///
/// A zone is identified by the address of its name, which is part of its data, because comparing
/// two zones takes longer than looking up an offset. Zones that jiff's macros compile into a program share
/// an address if they have the same name and the compiler merges its copies. Then they share a table, so a program
/// that compiles in two versions of one zone has the rules of one of them.
#[derive(Debug)]
pub(crate) struct TableCache<Z>([OnceLock<Kept<Z>>; SLOTS]);

#[derive(Debug)]
struct Kept<Z> {
    /// The address of the name, and its length.
    name: (usize, usize),
    /// Keeps the name at its address.
    _zone: Z,
    table: ZoneTable,
}

/// More zones than a program uses at once. Zones beyond that have no table.
const SLOTS: usize = 256;

impl<Z: Clone> TableCache<Z> {
    pub(crate) const fn new() -> Self {
        Self([const { OnceLock::new() }; SLOTS])
    }

    /// Returns the table of a zone, creating it on first use. `None` if the zone has no name, or if
    /// there are too many zones.
    #[inline]
    pub(crate) fn get(
        &'static self,
        zone: &Z,
        name: impl Fn(&Z) -> Option<&str>,
        make: impl Fn(&Z) -> ZoneTable,
    ) -> Option<&'static ZoneTable> {
        let name = name(zone)?;
        let wanted = (name.as_ptr().addr(), name.len());
        // Compiled-in names are bytes apart, and the names of loaded zones hundreds of bytes.
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

/// The number of slots that are tried for a zone.
const MOST_TRIED: usize = 16;
