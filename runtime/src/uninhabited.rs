//! [`Uninhabited`]: in place of what needs an allocator.

/// A type without values, but with drop glue.
#[derive(Clone, Debug)]
pub(crate) enum Uninhabited {}

impl Drop for Uninhabited {
    fn drop(&mut self) {}
}
