//! Model checks: small programs around a scheduler, each executed under thousands of interleavings of its
//! threads. A lost wake-up shows as a deadlock, and so does a thread that never ends.
//!
//! `scripts/check-models --mutants` proves that they find races: it applies the patches in `mutants/` to
//! a copy of the scheduler.

mod closing;
mod control;
mod runs;
mod support;
