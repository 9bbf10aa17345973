//! [`Calendars`]: calendars by their names.

use alloc::borrow::ToOwned as _;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::borrow::Borrow;

use millicron_runtime as runtime;

use super::Calendar;

/// Anything that finds a calendar by its name, for texts that refer to calendars: a map from names
/// to calendars, an array or a `Vec` of pairs, or `()` for none. Of a slice of pairs, pass a reference,
/// `&slice`.
///
/// ```
/// use millicron::{Calendar, Schedule};
///
/// let weekdays = Calendar::parse("*.*.* Mon-Fri")?;
/// let schedule = Schedule::parse_with("*.*.* 09:30:00 @office", &[("office", weekdays)])?;
/// assert_eq!(schedule, Schedule::parse("*.*.* Mon-Fri 09:30:00")?);
///
/// fn parse(text: &str, calendars: &[(&str, Calendar)]) -> Result<Schedule, millicron::ParseError> {
///     Schedule::parse_with(text, &calendars)
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not find calendars by name",
    note = "a `HashMap` or `BTreeMap` from names to calendars does, and so does an array or a `Vec` of \
            pairs, such as `&[(\"nyse\", nyse)]`, or a reference to a slice of them"
)]
pub trait Calendars {
    /// Returns the calendar with a name, if it is known.
    fn find(&self, name: &str) -> Option<Calendar>;

    /// Returns the known names, in any order, for error messages.
    fn names(&self) -> Vec<String>;
}

impl Calendars for () {
    fn find(&self, _: &str) -> Option<Calendar> {
        None
    }

    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

impl<C: Calendars + ?Sized> Calendars for &C {
    fn find(&self, name: &str) -> Option<Calendar> {
        (**self).find(name)
    }

    fn names(&self) -> Vec<String> {
        (**self).names()
    }
}

impl<N: Borrow<str>> Calendars for [(N, Calendar)] {
    fn find(&self, name: &str) -> Option<Calendar> {
        let (_, calendar) = self.iter().find(|(known, _)| known.borrow() == name)?;
        Some(calendar.clone())
    }

    fn names(&self) -> Vec<String> {
        self.iter().map(|(name, _)| name.borrow().to_owned()).collect()
    }
}

impl<N: Borrow<str>, const LEN: usize> Calendars for [(N, Calendar); LEN] {
    fn find(&self, name: &str) -> Option<Calendar> {
        self[..].find(name)
    }

    fn names(&self) -> Vec<String> {
        self[..].names()
    }
}

impl<N: Borrow<str>> Calendars for Vec<(N, Calendar)> {
    fn find(&self, name: &str) -> Option<Calendar> {
        self[..].find(name)
    }

    fn names(&self) -> Vec<String> {
        self[..].names()
    }
}

impl<N: Borrow<str> + Ord> Calendars for BTreeMap<N, Calendar> {
    fn find(&self, name: &str) -> Option<Calendar> {
        self.get(name).cloned()
    }

    fn names(&self) -> Vec<String> {
        self.keys().map(|name| name.borrow().to_owned()).collect()
    }
}

#[cfg(feature = "std")]
impl<N, S> Calendars for std::collections::HashMap<N, Calendar, S>
where
    N: Borrow<str> + Eq + core::hash::Hash,
    S: core::hash::BuildHasher,
{
    fn find(&self, name: &str) -> Option<Calendar> {
        self.get(name).cloned()
    }

    fn names(&self) -> Vec<String> {
        self.keys().map(|name| name.borrow().to_owned()).collect()
    }
}

/// Calendars as the runtime finds them.
pub(crate) struct ByName<'a>(pub(crate) &'a dyn Calendars);

impl runtime::Calendars for ByName<'_> {
    fn find(&self, name: &str) -> Option<runtime::Calendar> {
        self.0.find(name).map(|calendar| calendar.0)
    }

    fn names(&self) -> Vec<String> {
        self.0.names()
    }
}
