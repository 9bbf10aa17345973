//! Events and counts, compiled and parsed, compared with the oracle.

mod expansions;
mod field_values;
mod oracle;
mod parity;
mod properties;
mod strategies;
