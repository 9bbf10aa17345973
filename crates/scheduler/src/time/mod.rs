//! Clocks, and the instants of the scheduler.

mod clock;
mod instant;

pub use self::clock::{Clock, ManualClock, SystemClock, Timer};
pub(crate) use self::instant::{Nanos, Now, Timeline};
