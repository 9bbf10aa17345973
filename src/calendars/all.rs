//! Reads calendars that name each other.

use alloc::borrow::ToOwned as _;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use millicron_runtime::{CalendarError, calendars_named_in, circular_calendar};

use super::{Calendar, Calendars};

/// An error in one of several calendars.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedCalendarError {
    name: String,
    error: CalendarError,
}

impl NamedCalendarError {
    /// Returns the name of the calendar.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the error in its text.
    #[must_use]
    pub const fn error(&self) -> &CalendarError {
        &self.error
    }
}

impl fmt::Display for NamedCalendarError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "calendar `{}`: ", self.name)?;
        self.error.fmt(f)
    }
}

impl core::error::Error for NamedCalendarError {}

impl Calendar {
    /// Reads calendars by their names, whose texts may name each other in any order.
    ///
    /// # Errors
    ///
    /// Returns an error if a text is not a calendar, names a calendar that is not one of them, or
    /// depends on itself.
    ///
    /// ```
    /// use millicron::Calendar;
    ///
    /// let calendars = Calendar::parse_all([
    ///     ("office", "*.*.* Mon-Fri\n- @holidays"),
    ///     ("holidays", "*.1.1\n*.12.25,26"),
    /// ])?;
    /// assert_eq!(calendars["office"], Calendar::parse("*.*.* Mon-Fri\n- *.1.1\n- *.12.25,26")?);
    ///
    /// let error = Calendar::parse_all([("a", "@b"), ("b", "*.*.*\n- @a")]).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "calendar `a`: line 1, column 2: `b` depends on this calendar itself: remove the line, or \
    ///      write out the days",
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn parse_all<N: Into<String>, T: AsRef<str>>(
        texts: impl IntoIterator<Item = (N, T)>,
    ) -> Result<BTreeMap<String, Self>, NamedCalendarError> {
        // Not `collect`, which sorts first: it would compile a sort for these few.
        let mut all = BTreeMap::new();
        all.extend(texts.into_iter().map(|(name, text)| (name.into(), text)));
        let mut read = ReadSoFar { texts: &all, calendars: BTreeMap::new() };
        while read.calendars.len() < all.len() {
            let is_ready = |name: &&String| {
                read.pending(name).is_some_and(|text| read.pending_in(text).next().is_none())
            };
            let ready: Vec<&String> = all.keys().filter(is_ready).collect();
            if ready.is_empty() {
                return Err(read.circle());
            }
            for name in ready {
                match Self::parse_with(all[name].as_ref(), &read) {
                    Ok(calendar) => read.calendars.insert(name.clone(), calendar),
                    Err(error) => return Err(NamedCalendarError { name: name.clone(), error }),
                };
            }
        }
        Ok(read.calendars)
    }
}

/// The texts of all calendars, and the calendars that have been read.
struct ReadSoFar<'a, T> {
    texts: &'a BTreeMap<String, T>,
    calendars: BTreeMap<String, Calendar>,
}

impl<'a, T: AsRef<str>> ReadSoFar<'a, T> {
    /// Returns the text of a calendar that has not been read.
    fn pending(&self, name: &str) -> Option<&'a str> {
        let text = self.texts.get(name)?;
        if self.calendars.contains_key(name) { None } else { Some(text.as_ref()) }
    }

    /// Returns the places at which a text names calendars that have not been read.
    fn pending_in(&self, text: &str) -> impl Iterator<Item = Range<usize>> {
        calendars_named_in(text).filter(|place| self.pending(&text[place.clone()]).is_some())
    }

    /// Returns the error if each calendar that has not been read names one of them.
    fn circle(&self) -> NamedCalendarError {
        // From any of them, the names lead into a circle.
        let next = |name: &str| {
            let text = self.pending(name)?;
            Some((text, self.pending_in(text).next()?))
        };
        let first = self.texts.keys().find(|name| self.pending(name).is_some());
        let mut name = first.cloned().unwrap_or_default();
        for _ in self.texts {
            if let Some((text, place)) = next(&name) {
                text[place].clone_into(&mut name);
            }
        }
        let error = next(&name).and_then(|(text, place)| circular_calendar(text, &place));
        NamedCalendarError { name, error: error.unwrap_or_else(CalendarError::empty) }
    }
}

impl<T: AsRef<str>> Calendars for ReadSoFar<'_, T> {
    fn find(&self, name: &str) -> Option<Calendar> {
        self.calendars.get(name).cloned()
    }

    fn names(&self) -> Vec<String> {
        self.texts.keys().cloned().collect()
    }
}
