//! What programs that own a history have in common: its thread, and the claims that they hold.

mod held;
mod panic;
mod thread;

pub use held::{HeldClaim, HeldClaims, Lease};
pub use panic::catch_panic;
pub use thread::HistoryThread;
