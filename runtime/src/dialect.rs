//! [`Dialect`]: other notations for schedules.

use core::fmt;

/// The longest list that systemd reads, in items.
pub(crate) const LONGEST_LIST: u32 = 240;

/// A notation for schedules other than the language of this crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Five fields, or six with seconds, as in crontab files.
    Crontab,
    /// Six or seven fields, as the Java scheduler Quartz reads them.
    Quartz,
    /// Six or seven fields, as the Rust crate `cron` reads them.
    CronCrate,
    /// The calendar events of systemd timers.
    Systemd,
}

impl Dialect {
    /// All dialects, in the order in which messages prefer them.
    pub const ALL: [Self; 4] = [Self::Crontab, Self::Quartz, Self::CronCrate, Self::Systemd];

    /// Returns the name, with the article that it has in a sentence.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Crontab => "crontab",
            Self::Quartz => "Quartz",
            Self::CronCrate => "the cron crate",
            Self::Systemd => "systemd",
        }
    }

    /// Returns the name of the variant.
    pub(crate) const fn variant(self) -> &'static str {
        match self {
            Self::Crontab => "Crontab",
            Self::Quartz => "Quartz",
            Self::CronCrate => "CronCrate",
            Self::Systemd => "Systemd",
        }
    }

    /// Returns the keyword of the dialect in `schedule!`.
    #[must_use]
    pub const fn keyword(self) -> &'static str {
        match self {
            Self::Crontab => "crontab",
            Self::Quartz => "quartz",
            Self::CronCrate => "cron_crate",
            Self::Systemd => "systemd",
        }
    }

    /// Returns the dialect with a keyword.
    #[must_use]
    pub fn with_keyword(keyword: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.keyword() == keyword)
    }

    /// Returns the form of a complete text, as shown in messages.
    pub(crate) const fn form(self) -> &'static str {
        match self {
            Self::Crontab => "`minute hour day month weekday`, with an optional second before them",
            Self::Quartz | Self::CronCrate => {
                "`second minute hour day month weekday`, with an optional year after them"
            }
            Self::Systemd => "`weekday year-month-day hour:minute:second`",
        }
    }

    /// Returns the lowest and the highest number of a field. The highest may be a second number for
    /// a value.
    pub(crate) const fn range(self, field: crate::Field) -> (u16, u16) {
        use crate::Field;
        match (self, field) {
            (Self::Quartz, Field::Year) => (1970, 2099),
            (Self::Systemd, Field::Year) => (1970, 2199),
            (_, Field::Year) => (1970, 2100),
            (_, Field::Day) => (1, 31),
            // Sunday is both 0 and 7.
            (Self::Crontab, Field::Weekday) => (0, 7),
            (_, Field::Weekday) => (1, 7),
            _ => (field.min_value(), field.max_value()),
        }
    }

    /// Returns the weekday of a number, 0-6 from Sunday.
    pub(crate) const fn weekday(self, number: u16) -> u16 {
        match self {
            Self::Crontab | Self::Systemd => number % 7,
            Self::Quartz | Self::CronCrate => (number + 6) % 7,
        }
    }

    /// Returns the number of a weekday, 0-6 from Sunday.
    pub(crate) const fn weekday_number(self, weekday: u16) -> u16 {
        match self {
            Self::Quartz | Self::CronCrate => weekday + 1,
            // The week of systemd begins on Monday.
            Self::Systemd if weekday == 0 => 7,
            Self::Crontab | Self::Systemd => weekday,
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name().strip_prefix("the ").unwrap_or(self.name()))
    }
}
