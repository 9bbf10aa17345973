//! [`Phrase`]: schedules in plain English.

use core::fmt;

use millicron_runtime as runtime;

use crate::{Calendars, Language, Schedule};

/// A schedule in plain English, such as `every weekday at 9:30`, and the schedules that it may mean.
///
/// A phrase is not a schedule: [`Schedule::parse`] returns an error, whose message offers what to
/// write instead. Use this type to offer it in another form, or for texts so long that the error
/// contains only a part of them.
///
/// Where a phrase has two meanings, both are offered. Where it lacks something, such as the date
/// from which every other day counts, there is no schedule, and `Display` says what to add.
///
/// A phrase whose parts could be joined in several ways, such as `the first Monday and Thursday`, is
/// not read. Many others are: steps (`every 5 minutes`, `every other hour`), times (`at noon`, `at 9 am
/// and 5 pm`, `twice a day`), parts of the day (`from 9:00 until 17:00`), weekdays (`on weekdays`,
/// `monday and thursday`), days (`the 15th`, `the last business day of the month`), and months
/// (`quarterly at noon`, `in June to August`), mostly in any order. A calendar may come last
/// (`every business day at 9:30 @nyse`), and phrases and schedules separated by `;` are a union.
/// Numbers are digits or words, and case does not matter. Nearly all [descriptions](Schedule::describe) are among them; those of more
/// than 128 words are not.
///
/// ```
/// use millicron::{Phrase, Schedule, schedule};
///
/// let phrase = Phrase::recognize("first Monday of the month at noon").unwrap();
/// assert!(phrase.schedules().eq([schedule!("*.*.* Mon#1 12:00:00")]));
/// assert_eq!(phrase.to_string(), "write `*.*.* 1#1 12:00:00`");
///
/// // With or without 17:00?
/// let phrase = Phrase::recognize("every 15 minutes between 9 and 17").unwrap();
/// assert!(phrase.schedules().eq([
///     schedule!("09:00:00..17:00:00/15m"),
///     schedule!("09:00:00..=17:00:00/15m"),
/// ]));
///
/// let error = Schedule::parse("every weekday at 9:30").unwrap_err();
/// assert_eq!(error.to_string(), "this is a phrase, not a schedule: write `*.*.* 1-5 09:30:00`");
/// ```
#[derive(Clone, Debug)]
pub struct Phrase(runtime::Phrase);

impl Phrase {
    /// Reads a phrase. Returns `None` if the text is not a phrase that is known, or is a schedule in
    /// any [`Language`].
    ///
    /// This takes time linear in the length of the text.
    ///
    /// ```
    /// use millicron::Phrase;
    ///
    /// assert!(Phrase::recognize("every blue moon").is_none());
    /// // A schedule of systemd.
    /// assert!(Phrase::recognize("daily").is_none());
    ///
    /// let phrase = Phrase::recognize("every other day").unwrap();
    /// assert_eq!(phrase.schedules().count(), 0);
    /// assert_eq!(
    ///     phrase.to_string(),
    ///     "add the date from which to count, as in `every other day from 5 January 2026`",
    /// );
    /// ```
    #[must_use]
    pub fn recognize(text: &str) -> Option<Self> {
        let phrase = runtime::Phrase::recognize(text)?;
        Language::readings(text).next().is_none().then_some(Self(phrase))
    }

    /// Returns the schedules that the phrase may mean, at most four. A phrase that names a calendar has
    /// none: use [`schedules_with`](Self::schedules_with).
    pub fn schedules(&self) -> impl Iterator<Item = Schedule> {
        self.schedules_with(&())
    }

    /// Returns the schedules that the phrase may mean with calendars, like
    /// [`schedules`](Self::schedules).
    ///
    /// ```
    /// use millicron::{Calendar, Phrase};
    ///
    /// let calendars = [("nyse", Calendar::parse("*.*.* Mon-Fri\n- *.12.25")?)];
    /// let phrase = Phrase::recognize("every business day at 9:30 @nyse").unwrap();
    /// assert_eq!(phrase.to_string(), "write `*.*.* B 09:30:00 @nyse`");
    /// assert_eq!(phrase.schedules_with(&calendars).count(), 1);
    /// assert_eq!(phrase.schedules().count(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn schedules_with(&self, calendars: &dyn Calendars) -> impl Iterator<Item = Schedule> {
        self.0.texts().filter_map(|text| Schedule::parse_with(&text, calendars).ok())
    }
}

/// Writes which schedule to write, or what to add to the phrase.
impl fmt::Display for Phrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
