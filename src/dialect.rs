//! [`Dialect`]: other ways to write a schedule.

use core::fmt;

use millicron_runtime as runtime;

/// A way to write schedules other than [the language](crate#the-language) of this crate.
///
/// A schedule read from a dialect is a [`Schedule`](crate::Schedule) like any other: reading
/// translates its text, with the meaning that the dialect's own implementation gives it.
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
    /// Five fields, `minute hour day month weekday`, as in crontab files. With six fields, the
    /// seconds come first.
    ///
    /// This is the syntax of cronie and Vixie's cron with extensions: `a/n` goes from `a` to the
    /// end of the field, and `L`, `L-n`, `aW`, `LW`, `L-nW`, `a#k` and `aL` work as in the crates
    /// croner and saffron. Day and weekday are joined by OR, unless one of them begins with `*`. A
    /// time zone may precede the fields, as in `CRON_TZ=Europe/Berlin 0 9 * * *`.
    Crontab,
    /// Six or seven fields, `second minute hour day month weekday [year]`, as in the Java scheduler
    /// Quartz. Weekdays are numbered from 1 for Sunday. Either day or weekday must be `?`.
    ///
    /// The years are 2000-2099.
    Quartz,
    /// Six or seven fields, `second minute hour day month weekday [year]`, as in the Rust crate
    /// `cron`. Weekdays are numbered from 1 for Sunday. Day and weekday are joined by AND.
    CronCrate,
    /// The calendar events of systemd timers, `[weekday] [date] [time]`, as in `OnCalendar=`.
    ///
    /// A time zone may follow, as in `Mon..Fri 09:30 Europe/Berlin`. Fractions of a second must be
    /// whole milliseconds.
    Systemd,
}

#[cfg(feature = "alloc")]
impl Dialect {
    /// Reads a schedule in the dialect.
    ///
    /// This takes time linear in the length of the text.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not a schedule in the dialect, has a time zone, or has no
    /// events. The error says what is wrong, where, and what is allowed in the dialect.
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
        runtime::Schedule::parse(Some(self.inner()), text).map(crate::Schedule)
    }

    /// Reads a schedule in the dialect and the name of its time zone, if the text has one: after
    /// `CRON_TZ=` or `TZ=` before a crontab schedule, or at the end of a systemd timer.
    ///
    /// This does not check that the time zone exists; [`parse_zoned`](Self::parse_zoned) does.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not a schedule in the dialect, or has no events.
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
        let (schedule, spans) = self.read(text)?;
        Ok((schedule, spans.zone.and_then(|span| text.get(span))))
    }

    /// Reads a schedule and returns where the parts of the text are.
    pub(crate) fn read(
        self,
        text: &str,
    ) -> Result<(crate::Schedule, runtime::Spans), crate::ParseError> {
        let (schedule, spans) = runtime::Schedule::parse_with_spans(Some(self.inner()), text, &())?;
        Ok((crate::Schedule(schedule), spans))
    }
}

impl Dialect {
    /// Returns the runtime's equivalent of the dialect.
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

impl crate::Schedule {
    /// Writes the schedule in a dialect. [`Dialect::parse`](crate::Dialect::parse) parses the text
    /// to an equal schedule.
    ///
    /// # Errors
    ///
    /// Returns an error if the dialect cannot express the schedule. The error says what the dialect
    /// lacks.
    ///
    /// ```
    /// use millicron::{Dialect, schedule};
    ///
    /// let weekdays = schedule!("*.*.* Mon-Fri 09:30:00");
    /// assert_eq!(weekdays.to_dialect(Dialect::Crontab)?, "30 9 * * MON-FRI");
    /// assert_eq!(weekdays.to_dialect(Dialect::CronCrate)?, "0 30 9 * * MON-FRI");
    /// assert_eq!(weekdays.to_dialect(Dialect::Systemd)?, "Mon..Fri 09:30:00");
    ///
    /// let error = schedule!("*:*:*.500").to_dialect(Dialect::Crontab).unwrap_err();
    /// assert_eq!(error.to_string(), "crontab has no milliseconds");
    ///
    /// let union = schedule!("*.*.* Mon 09:00:00; *.*.* Tue 10:00:00");
    /// assert_eq!(
    ///     union.to_dialect(Dialect::Crontab).unwrap_err().to_string(),
    ///     "crontab has no unions: write one schedule for each member, `0 9 * * MON` and \
    ///      `0 10 * * TUE`",
    /// );
    /// # Ok::<(), millicron::DialectError>(())
    /// ```
    #[cfg(feature = "alloc")]
    pub fn to_dialect(
        &self,
        dialect: Dialect,
    ) -> Result<alloc::string::String, crate::DialectError> {
        use alloc::string::ToString;

        if self.calendar().is_some() {
            return Err(crate::DialectError::of_calendar(dialect.inner()));
        }
        if self.members().len() > 0 {
            let members = self.members().map(|member| member.to_dialect(dialect));
            let members = members.collect::<Result<_, _>>()?;
            return Err(crate::DialectError::of_union(dialect.inner(), members));
        }
        let expression = self.0.expression();
        runtime::Notation::of(&expression, dialect.inner()).map(|notation| notation.to_string())
    }
}
