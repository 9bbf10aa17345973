//! [`Shared`]: a reference-counted value whose drop glue takes no reference.

use alloc::sync::Arc;
use core::mem::ManuallyDrop;

/// A shared value.
///
/// The drop glue of an `Arc` takes a reference, which would force every value that may
/// contain one into memory, even an iterator over a compiled schedule. This type passes
/// its `Arc` to [`release`] by value instead.
pub(crate) struct Shared<T>(ManuallyDrop<Option<Arc<T>>>);

impl<T> Shared<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(ManuallyDrop::new(Some(Arc::new(value))))
    }

    /// Returns the value; `None` only while this is being dropped.
    #[inline(always)]
    pub(crate) fn get(&self) -> Option<&T> {
        self.0.as_deref()
    }
}

impl<T> Clone for Shared<T> {
    #[inline]
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Drop for Shared<T> {
    #[inline(always)]
    fn drop(&mut self) {
        release(self.0.take());
    }
}

#[inline(never)]
fn release<T>(shared: Option<Arc<T>>) {
    drop(shared);
}
