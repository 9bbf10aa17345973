//! Events and counts, compiled and parsed, compared with the oracle.

mod expansions;
mod field_values;
mod oracle;
mod oracle_calendars;
mod oracle_days;
mod oracle_random;
mod oracle_unions;
mod parity;
mod properties;
mod strategies;
