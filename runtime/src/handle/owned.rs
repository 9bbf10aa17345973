//! [`Owned`]: a plan made at run time, whose drop glue takes no reference.

use alloc::sync::Arc;
use core::mem::ManuallyDrop;

use super::{PlanRef, Union};
use crate::parsed::Parsed;

/// A plan made at run time, shared by all clones of its schedule.
///
/// The drop glue of an `Arc` takes a reference, which would force every value that may
/// contain one into memory, even an iterator over a compiled schedule. This type passes
/// its `Arc` to [`release`] by value instead, in one call, small enough to be inlined.
#[derive(Clone)]
pub(crate) struct Owned(ManuallyDrop<Option<Shared>>);

/// A shared plan.
#[derive(Clone)]
enum Shared {
    Parsed(Arc<Parsed>),
    Union(Arc<Union>),
}

impl Owned {
    pub(crate) fn parsed(parsed: Arc<Parsed>) -> Self {
        Self(ManuallyDrop::new(Some(Shared::Parsed(parsed))))
    }

    pub(crate) fn union(union: Union) -> Self {
        Self(ManuallyDrop::new(Some(Shared::Union(Arc::new(union)))))
    }

    /// Returns a reference to the plan.
    #[inline(always)]
    pub(super) fn plan(&self) -> PlanRef<'_> {
        match &*self.0 {
            Some(Shared::Parsed(parsed)) => PlanRef::Parsed(parsed),
            Some(Shared::Union(union)) => PlanRef::Union(union),
            None => PlanRef::Dropped,
        }
    }

    /// Returns the union, if it is one.
    #[inline]
    pub(super) fn as_union(&self) -> Option<&Union> {
        match &*self.0 {
            Some(Shared::Union(union)) => Some(union),
            _ => None,
        }
    }
}

impl Drop for Owned {
    #[inline(always)]
    fn drop(&mut self) {
        release(self.0.take());
    }
}

#[inline(never)]
fn release(shared: Option<Shared>) {
    drop(shared);
}
