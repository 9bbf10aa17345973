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
///
/// The message has the name of the calendar and that of the [`CalendarError`], which is therefore not
/// repeated as the [`source`](core::error::Error::source).
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

    /// Returns the error in its text or its name.
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
    /// depends on itself, and if two calendars have the same name, or one that texts cannot contain.
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
        let mut all: BTreeMap<String, Text<T>> = BTreeMap::new();
        for (name, text) in texts {
            let name = name.into();
            let mut error = CalendarError::in_name(&name);
            if all.contains_key(&name) {
                error = Some(CalendarError::repeated());
            }
            if let Some(error) = error {
                return Err(NamedCalendarError { name, error });
            }
            let others = calendars_named_in(text.as_ref()).collect();
            all.insert(name, Text { text, others });
        }
        let (ordered, pending) = in_order(&all);
        let mut read = ReadSoFar { texts: &all, calendars: BTreeMap::new() };
        for name in ordered {
            match Self::parse_with(all[name].text.as_ref(), &read) {
                Ok(calendar) => read.calendars.insert(name.to_owned(), calendar),
                Err(error) => return Err(NamedCalendarError { name: name.to_owned(), error }),
            };
        }
        match pending.keys().next() {
            Some(first) => Err(circle(&all, &pending, first)),
            None => Ok(read.calendars),
        }
    }
}

/// Returns the calendars with those first that others name; and the ones in circles or behind them,
/// with the number of places at which each names another of them.
fn in_order<T: AsRef<str>>(all: &BTreeMap<String, Text<T>>) -> (Vec<&str>, BTreeMap<&str, usize>) {
    // For each calendar, those that name it.
    let mut followers: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut pending: BTreeMap<&str, usize> = BTreeMap::new();
    let mut ordered: Vec<&str> = Vec::new();
    for (name, text) in all {
        let mut count = 0;
        for other in text.others().filter(|other| all.contains_key(*other)) {
            followers.entry(other).or_default().push(name);
            count += 1;
        }
        if count == 0 {
            ordered.push(name);
        } else {
            pending.insert(name, count);
        }
    }
    let mut place = 0;
    while let Some(name) = ordered.get(place) {
        for follower in followers.remove(name).unwrap_or_default() {
            if let Some(count) = pending.get_mut(follower) {
                *count -= 1;
                if *count == 0 {
                    pending.remove(follower);
                    ordered.push(follower);
                }
            }
        }
        place += 1;
    }
    (ordered, pending)
}

/// The text of a calendar, and the places at which it names others.
struct Text<T> {
    text: T,
    others: Vec<Range<usize>>,
}

impl<T: AsRef<str>> Text<T> {
    /// Returns the names of the others.
    fn others(&self) -> impl Iterator<Item = &str> {
        self.others.iter().map(|place| &self.text.as_ref()[place.clone()])
    }
}

/// Returns the error if each of the pending calendars names one of them.
fn circle<T: AsRef<str>>(
    all: &BTreeMap<String, Text<T>>,
    pending: &BTreeMap<&str, usize>,
    first: &str,
) -> NamedCalendarError {
    // From any of them, the names lead into a circle.
    let next = |name: &str| {
        let Text { text, others } = all.get(name)?;
        let text = text.as_ref();
        let place = others.iter().find(|place| pending.contains_key(&text[(*place).clone()]))?;
        Some((text, place))
    };
    let mut name = first;
    for _ in pending {
        if let Some((text, place)) = next(name) {
            name = &text[place.clone()];
        }
    }
    let error = next(name).and_then(|(text, place)| circular_calendar(text, place));
    NamedCalendarError { name: name.to_owned(), error: error.unwrap_or_else(CalendarError::empty) }
}

/// The texts of all calendars, and the calendars that have been read.
struct ReadSoFar<'a, T> {
    texts: &'a BTreeMap<String, Text<T>>,
    calendars: BTreeMap<String, Calendar>,
}

impl<T> Calendars for ReadSoFar<'_, T> {
    fn find(&self, name: &str) -> Option<Calendar> {
        self.calendars.get(name).cloned()
    }

    fn names(&self) -> Vec<String> {
        self.texts.keys().cloned().collect()
    }
}
