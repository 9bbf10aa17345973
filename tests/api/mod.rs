//! Guarantees about the interface: traits, sizes, allocations, and hygiene of the macro.

mod features;
mod hygiene;
#[cfg(feature = "std")]
mod meta;
