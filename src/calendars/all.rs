//! Reads calendars that name each other.

use alloc::borrow::ToOwned as _;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

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
        let mut pending: BTreeMap<String, T> =
            texts.into_iter().map(|(name, text)| (name.into(), text)).collect();
        let mut read =
            ReadSoFar { calendars: BTreeMap::new(), names: pending.keys().cloned().collect() };
        while !pending.is_empty() {
            let is_ready = |text: &str| {
                calendars_named_in(text).all(|name| !pending.contains_key(&text[name]))
            };
            let ready: Vec<String> = pending
                .iter()
                .filter(|(_, text)| is_ready(text.as_ref()))
                .map(|(name, _)| name.clone())
                .collect();
            if ready.is_empty() {
                return Err(circle(&pending));
            }
            for name in ready {
                let Some(text) = pending.remove(&name) else { continue };
                match Self::parse_with(text.as_ref(), &read) {
                    Ok(calendar) => read.calendars.insert(name, calendar),
                    Err(error) => return Err(NamedCalendarError { name, error }),
                };
            }
        }
        Ok(read.calendars)
    }
}

/// Returns the error for calendars each of which names one of them.
fn circle<T: AsRef<str>>(pending: &BTreeMap<String, T>) -> NamedCalendarError {
    // From any of them, the names lead into a circle.
    let next = |name: &str| {
        let text = pending.get(name)?.as_ref();
        let place = calendars_named_in(text).find(|it| pending.contains_key(&text[it.clone()]))?;
        Some((text, place))
    };
    let mut name = pending.keys().next().cloned().unwrap_or_default();
    for _ in pending {
        if let Some((text, place)) = next(&name) {
            text[place].clone_into(&mut name);
        }
    }
    let error = next(&name).and_then(|(text, place)| circular_calendar(text, &place));
    NamedCalendarError { name, error: error.unwrap_or_else(CalendarError::empty) }
}

/// The calendars that have been read, and the names of all.
struct ReadSoFar {
    calendars: BTreeMap<String, Calendar>,
    names: Vec<String>,
}

impl Calendars for ReadSoFar {
    fn find(&self, name: &str) -> Option<Calendar> {
        self.calendars.get(name).cloned()
    }

    fn names(&self) -> Vec<String> {
        self.names.clone()
    }
}
