//! [`ConstOrOwned`]: what a literal has as a constant, and a parsed schedule on the heap.

#[cfg(feature = "alloc")]
use alloc::boxed::Box;

/// A value that is constant or owned.
#[derive(Debug)]
pub(crate) enum ConstOrOwned<T: ?Sized + 'static> {
    Constant(&'static T),
    #[cfg(feature = "alloc")]
    Owned(Box<T>),
}

impl<T: ?Sized> ConstOrOwned<T> {
    pub(crate) const fn get(&self) -> &T {
        match self {
            Self::Constant(value) => value,
            #[cfg(feature = "alloc")]
            Self::Owned(value) => value,
        }
    }
}
