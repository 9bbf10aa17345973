//! The database of a schedule.

use crate::stored::fnv::fnv;

/// Returns the weight of a schedule in a database: the FNV-1a hash of both names, with the last step of
/// `MurmurHash3`, without which the hashes of similar names are similar.
///
/// This must never change.
pub(super) fn weight(database: &str, schedule: &str) -> u64 {
    // No name of a schedule contains `\0`.
    let bytes = database.bytes().chain([0]).chain(schedule.bytes());
    let hash = fnv(bytes);
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ (hash >> 33)
}
