//! [`Known`]: the names that an error offers.

#[cfg(feature = "alloc")]
use alloc::{boxed::Box, string::String, vec::Vec};
#[cfg(feature = "alloc")]
use core::fmt::Write as _;

use super::ParseError;
#[cfg(feature = "alloc")]
use crate::list::list;

/// The names of the calendars that were passed; nothing for most errors.
///
/// Only parsers that take calendars fill it in, and these need an allocator.
#[derive(Clone, PartialEq, Eq)]
#[cfg_attr(
    feature = "alloc",
    expect(clippy::box_collection, reason = "a `Box<str>` would make errors larger")
)]
pub(super) struct Known {
    #[cfg(feature = "alloc")]
    names: Option<Box<String>>,
}

impl Known {
    pub(super) const NONE: Self = Self {
        #[cfg(feature = "alloc")]
        names: None,
    };

    /// Returns the names as part of a message, if any calendars were passed.
    #[cfg_attr(not(feature = "alloc"), expect(clippy::unused_self, reason = "there are no names"))]
    pub(super) fn names(&self) -> Option<&str> {
        #[cfg(feature = "alloc")]
        return self.names.as_deref().map(String::as_str);
        #[cfg(not(feature = "alloc"))]
        None
    }
}

#[cfg(feature = "alloc")]
impl ParseError {
    /// Adds the names of the calendars that are known, in any order.
    pub(crate) fn with_known(mut self, mut names: Vec<String>) -> Self {
        names.sort_unstable();
        let mut text = String::new();
        // A string accepts all that is written.
        let _ = list(&mut text, names.iter(), "or", |text, name| write!(text, "`{name}`"));
        self.known.names = (!text.is_empty()).then(|| Box::new(text));
        self
    }
}
