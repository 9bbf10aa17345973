//! Reads calendars that name each other.

use alloc::borrow::ToOwned as _;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec;
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
        let mut all: BTreeMap<String, CalendarText<T>> = BTreeMap::new();
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
            all.insert(name, CalendarText { text, others });
        }
        let mut read = ReadSoFar { texts: &all, calendars: BTreeMap::new() };
        for name in in_order(&all) {
            match Self::parse_with(all[name].text.as_ref(), &read) {
                Ok(calendar) => read.calendars.insert(name.to_owned(), calendar),
                Err(error) => return Err(NamedCalendarError { name: name.to_owned(), error }),
            };
        }
        match all.keys().find(|name| !read.calendars.contains_key(*name)) {
            Some(first) => Err(circle(&all, &read.calendars, first)),
            None => Ok(read.calendars),
        }
    }
}

/// Returns the calendars with those first that others name, without those in circles or behind them.
fn in_order<T: AsRef<str>>(all: &BTreeMap<String, CalendarText<T>>) -> Vec<&str> {
    let names: Vec<&str> = all.keys().map(String::as_str).collect();
    // For each calendar, how many places in its text name others, and which calendars name it.
    let mut missing = vec![0; names.len()];
    let mut followers = vec![Vec::new(); names.len()];
    for (place, text) in all.values().enumerate() {
        for other in text.others().filter_map(|other| names.binary_search(&other).ok()) {
            missing[place] += 1;
            followers[other].push(place);
        }
    }
    let mut ordered: Vec<usize> = (0..names.len()).filter(|place| missing[*place] == 0).collect();
    let mut done = 0;
    while let Some(place) = ordered.get(done) {
        for follower in &followers[*place] {
            missing[*follower] -= 1;
            if missing[*follower] == 0 {
                ordered.push(*follower);
            }
        }
        done += 1;
    }
    ordered.into_iter().map(|place| names[place]).collect()
}

/// The text of a calendar, and the places at which it names others.
struct CalendarText<T> {
    text: T,
    others: Vec<Range<usize>>,
}

impl<T: AsRef<str>> CalendarText<T> {
    /// Returns the names of the others.
    fn others(&self) -> impl Iterator<Item = &str> {
        self.others.iter().map(|place| &self.text.as_ref()[place.clone()])
    }
}

/// Returns the error if each calendar that has not been read names one of those.
fn circle<T: AsRef<str>>(
    all: &BTreeMap<String, CalendarText<T>>,
    read: &BTreeMap<String, Calendar>,
    first: &str,
) -> NamedCalendarError {
    // From any of them, the names lead into a circle.
    let next = |name: &str| {
        let CalendarText { text, others } = all.get(name)?;
        let text = text.as_ref();
        let is_unread = |name: &str| all.contains_key(name) && !read.contains_key(name);
        let place = others.iter().find(|place| is_unread(&text[(*place).clone()]))?;
        Some((text, place))
    };
    let mut name = first;
    for _ in all {
        if let Some((text, place)) = next(name) {
            name = &text[place.clone()];
        }
    }
    let error = next(name).and_then(|(text, place)| circular_calendar(text, place));
    NamedCalendarError { name: name.to_owned(), error: error.unwrap_or_else(CalendarError::empty) }
}

/// The texts of all calendars, and the calendars that have been read.
struct ReadSoFar<'a, T> {
    texts: &'a BTreeMap<String, CalendarText<T>>,
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
