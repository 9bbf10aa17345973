//! [`Calendar`]: days that a schedule refers to by a name.

#[cfg(feature = "alloc")]
use alloc::{string::String, sync::Arc, vec::Vec};

#[cfg(feature = "alloc")]
use crate::days::DaySet;
use crate::search::DayTables;
#[cfg(not(feature = "alloc"))]
use crate::uninhabited::Uninhabited;

/// The days of a calendar, compiled or made at run time. It is cheap to clone.
#[derive(Clone, Debug)]
pub struct Calendar(Handle);

#[derive(Clone, Debug)]
enum Handle {
    Compiled(&'static DayTables),
    #[cfg(feature = "alloc")]
    Shared(Arc<DayTables>),
    /// Never constructed, as in a schedule.
    #[cfg(not(feature = "alloc"))]
    #[expect(dead_code, reason = "its type is uninhabited")]
    Shared(Uninhabited),
}

impl Calendar {
    /// Returns the calendar of a constant.
    #[must_use]
    pub const fn compiled(tables: &'static DayTables) -> Self {
        Self(Handle::Compiled(tables))
    }

    /// Returns a calendar with some days.
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn new(days: &DaySet) -> Self {
        Self(Handle::Shared(Arc::new(days.tables())))
    }

    /// Returns the days of a compiled calendar, as every calendar is in constant evaluation.
    #[must_use]
    pub const fn as_compiled(&self) -> Option<&'static DayTables> {
        match &self.0 {
            Handle::Compiled(tables) => Some(tables),
            Handle::Shared(_) => None,
        }
    }

    /// Returns the days.
    #[must_use]
    #[inline(always)]
    pub fn tables(&self) -> &DayTables {
        match &self.0 {
            Handle::Compiled(tables) => tables,
            #[cfg(feature = "alloc")]
            Handle::Shared(tables) => tables,
            #[cfg(not(feature = "alloc"))]
            Handle::Shared(_) => const { &DayTables::new(&[0; crate::search::WORDS]) },
        }
    }
}

/// Calendars by their names.
#[cfg(feature = "alloc")]
pub trait Calendars {
    /// Returns the calendar with a name, if it is known.
    fn find(&self, name: &str) -> Option<Calendar>;
    /// Returns the names that are known.
    fn names(&self) -> Vec<String>;
}

/// No calendars.
#[cfg(feature = "alloc")]
impl Calendars for () {
    fn find(&self, _: &str) -> Option<Calendar> {
        None
    }

    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}
