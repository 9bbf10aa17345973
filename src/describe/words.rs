//! The words for numbers, lengths and names.

use core::fmt;

use crate::Field;

/// Milliseconds in a unit.
pub(super) const SECOND: u32 = 1000;
pub(super) const MINUTE: u32 = 60 * SECOND;
pub(super) const HOUR: u32 = 60 * MINUTE;
pub(super) const DAY: u32 = 24 * HOUR;

/// Returns the name of a month, from 1.
pub(super) fn month(month: u16) -> &'static str {
    Field::Month.long_name_of(month).unwrap_or_default()
}

/// Returns the name of a weekday, from 0 for Monday.
pub(super) fn weekday(from_monday: u16) -> &'static str {
    Field::Weekday.long_name_of((from_monday + 1) % 7).unwrap_or_default()
}

/// A number as `1st`.
pub(super) struct Ordinal(pub(super) u32);

impl fmt::Display for Ordinal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(number) = self;
        let suffix = match (number % 100, number % 10) {
            (11..=13, _) => "th",
            (_, 1) => "st",
            (_, 2) => "nd",
            (_, 3) => "rd",
            _ => "th",
        };
        write!(f, "{number}{suffix}")
    }
}

/// A small number as `first`.
pub(super) struct OrdinalWord(pub(super) u32);

impl fmt::Display for OrdinalWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            1 => "first",
            2 => "second",
            3 => "third",
            4 => "fourth",
            5 => "fifth",
            number => return Ordinal(number).fmt(f),
        })
    }
}

/// The unit of a field after a number: `hour`, `minutes`, `ms`.
pub(super) struct Counted(pub(super) u32, pub(super) Field);

impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            // A unit symbol has no plural.
            Self(_, Field::Millisecond) => f.write_str("ms"),
            Self(1, field) => write!(f, "{field}"),
            Self(_, field) => write!(f, "{field}s"),
        }
    }
}

/// A length of time as it follows `every`: `hour`, `15 minutes`, `250 ms`.
pub(super) struct Length(pub(super) u32);

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Beyond these counts, several units read better.
        const UNITS: [(u32, Field, u32); 4] = [
            (HOUR, Field::Hour, 24),
            (MINUTE, Field::Minute, 119),
            (SECOND, Field::Second, 119),
            (1, Field::Millisecond, 9999),
        ];
        let Self(millis) = *self;
        let is_whole = |unit: u32, most: u32| millis.is_multiple_of(unit) && millis / unit <= most;
        if let Some((unit, field, _)) = UNITS.iter().find(|(unit, _, most)| is_whole(*unit, *most))
        {
            return match millis / unit {
                1 => write!(f, "{field}"),
                count => write!(f, "{count} {}", Counted(count, *field)),
            };
        }
        let mut rest = millis;
        let mut separator = "";
        for (unit, field, _) in UNITS {
            let count = rest / unit;
            if count > 0 {
                write!(f, "{separator}{count} {}", Counted(count, field))?;
                rest %= unit;
                separator = " ";
            }
        }
        Ok(())
    }
}

/// A time of day, in milliseconds since midnight: `09:30`, `noon`, `9:30 AM`. The end of the day,
/// 24:00, is `midnight`.
pub(super) struct Clock {
    pub(super) time: u32,
    pub(super) has_twelve_hours: bool,
}

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NOON: u32 = DAY / 2;
        let Self { time, has_twelve_hours } = *self;
        let (hour, minute) = (time / HOUR, time / MINUTE % 60);
        let (second, milli) = (time / SECOND % 60, time % SECOND);
        match time {
            DAY => return f.write_str("midnight"),
            NOON => return f.write_str("noon"),
            _ if !has_twelve_hours => write!(f, "{hour:02}:{minute:02}"),
            _ if time.is_multiple_of(HOUR) => write!(f, "{}", (hour + 11) % 12 + 1),
            _ => write!(f, "{}:{minute:02}", (hour + 11) % 12 + 1),
        }?;
        if !time.is_multiple_of(MINUTE) {
            write!(f, ":{second:02}")?;
        }
        if milli != 0 {
            write!(f, ".{milli:03}")?;
        }
        match has_twelve_hours {
            true if hour < 12 => f.write_str(" AM"),
            true => f.write_str(" PM"),
            false => Ok(()),
        }
    }
}
