//! [`Dialect`]: other ways to write a schedule.

use core::fmt;
#[cfg(feature = "alloc")]
use core::ops::Range;

use millicron_runtime as runtime;

/// A way to write schedules other than [the language](crate#the-language) of this crate.
///
/// A schedule of a dialect is a [`Schedule`](crate::Schedule) like any other: its text is translated
/// when it is read. A dialect means what its own implementation does with it.
///
/// At compile time, name the dialect before the text, as in `schedule!(crontab "0 9 * * MON-FRI")`.
/// The names are `crontab`, `quartz`, `cron_crate` and `systemd`.
///
/// ```
/// use millicron::{Dialect, schedule};
///
/// let weekdays = Dialect::Crontab.parse("0 9 * * MON-FRI")?;
/// assert_eq!(weekdays, schedule!("*.*.* Mon-Fri 09:00:00"));
/// assert_eq!(weekdays, schedule!(crontab "0 9 * * MON-FRI"));
/// # Ok::<(), millicron::ParseError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// Five fields, `minute hour day month weekday`, as in crontab files; with six, the second
    /// comes first.
    ///
    /// This is what cronie and Vixie's cron read. Further, `a/n` is from a to the end of the field,
    /// and `L`, `L-n`, `aW`, `LW`, `L-nW`, `a#k` and `aL` are those of the crates croner and saffron.
    /// Day and weekday are joined by OR, unless one of them begins with `*`. A time zone may stand
    /// before the fields, as in `CRON_TZ=Europe/Berlin 0 9 * * *`.
    Crontab,
    /// Six or seven fields, `second minute hour day month weekday [year]`, of the Java scheduler
    /// Quartz. Weekdays are numbered from 1, Sunday. One of day and weekday must be `?`.
    ///
    /// The years are 2000-2099.
    Quartz,
    /// Six or seven fields, `second minute hour day month weekday [year]`, of the Rust crate
    /// `cron`. Weekdays are numbered from 1, Sunday. Day and weekday are joined by AND.
    CronCrate,
    /// The calendar events of systemd timers, `[weekday] [date] [time]`, as in `OnCalendar=`.
    ///
    /// A time zone may stand last, as in `Mon..Fri 09:30 Europe/Berlin`. Fractions of a second are
    /// in whole milliseconds.
    Systemd,
}

#[cfg(feature = "alloc")]
impl Dialect {
    /// Reads a schedule of the dialect.
    ///
    /// This takes time linear in the length of the text.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not a schedule of the dialect, has a time zone, or has no
    /// event at all. The error says what is wrong, where, and what is allowed in the dialect.
    ///
    /// ```
    /// use millicron::Dialect;
    ///
    /// let last = Dialect::Quartz.parse("0 0 17 LW * ?")?;
    /// assert_eq!(last.to_string(), "2000-2099.*.LW 17:00:00");
    ///
    /// let error = Dialect::Quartz.parse("0 0 17 * * 0").unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "weekday `0` is out of range: expected 1-7, or SUN-SAT; Sunday is 1"
    /// );
    /// # Ok::<(), millicron::ParseError>(())
    /// ```
    pub fn parse(self, text: &str) -> Result<crate::Schedule, crate::ParseError> {
        runtime::Schedule::parse_dialect(self.inner(), text).map(crate::Schedule)
    }

    /// Reads a schedule of the dialect, and returns the name of the time zone in the text beside it,
    /// if there is one: after `CRON_TZ=` or `TZ=` before a crontab schedule, or at the end of a
    /// systemd timer.
    ///
    /// Whether there is such a time zone is not checked; [`parse_zoned`](Self::parse_zoned) does.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not a schedule of the dialect, or has no event at all.
    ///
    /// ```
    /// use millicron::{Dialect, schedule};
    ///
    /// let text = "CRON_TZ=America/New_York 30 9 * * MON-FRI";
    /// let (schedule, zone) = Dialect::Crontab.parse_with_zone(text)?;
    /// assert_eq!(schedule, schedule!("*.*.* Mon-Fri 09:30:00"));
    /// assert_eq!(zone, Some("America/New_York"));
    /// # Ok::<(), millicron::ParseError>(())
    /// ```
    pub fn parse_with_zone(
        self,
        text: &str,
    ) -> Result<(crate::Schedule, Option<&str>), crate::ParseError> {
        let (schedule, zone) = self.read(text)?;
        Ok((schedule, zone.and_then(|span| text.get(span))))
    }

    /// Reads a schedule, and where its time zone is.
    pub(crate) fn read(
        self,
        text: &str,
    ) -> Result<(crate::Schedule, Option<Range<usize>>), crate::ParseError> {
        let (schedule, zone) = runtime::Schedule::parse_dialect_with_zone(self.inner(), text)?;
        Ok((crate::Schedule(schedule), zone))
    }
}

impl Dialect {
    /// Returns the same dialect of the runtime.
    pub(crate) const fn inner(self) -> runtime::Dialect {
        match self {
            Self::Crontab => runtime::Dialect::Crontab,
            Self::Quartz => runtime::Dialect::Quartz,
            Self::CronCrate => runtime::Dialect::CronCrate,
            Self::Systemd => runtime::Dialect::Systemd,
        }
    }
}

/// Writes the name: `crontab`, `Quartz`, `cron crate` or `systemd`.
impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.inner(), f)
    }
}
