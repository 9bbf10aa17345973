//! [`Writer`]: writes the parts that descriptions have in common.

use core::fmt::{self, Write};

use super::words::{Noun, Words};

/// Milliseconds in a unit.
pub(super) const SECOND: u32 = 1000;
pub(super) const MINUTE: u32 = 60 * SECOND;
pub(super) const HOUR: u32 = 60 * MINUTE;
pub(super) const DAY: u32 = 24 * HOUR;

/// Writes a sentence.
pub(super) struct Writer<'a> {
    out: &'a mut dyn Write,
    pub(super) words: &'static Words,
    has_twelve_hours: bool,
    is_start: bool,
}

impl Write for Writer<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        match text.chars().next() {
            Some(first) if self.is_start => {
                self.is_start = false;
                for letter in first.to_uppercase() {
                    self.out.write_char(letter)?;
                }
                self.out.write_str(&text[first.len_utf8()..])
            }
            _ => self.out.write_str(text),
        }
    }
}

impl<'a> Writer<'a> {
    pub(super) fn new(
        out: &'a mut dyn Write,
        words: &'static Words,
        has_twelve_hours: bool,
    ) -> Self {
        Self { out, words, has_twelve_hours, is_start: true }
    }

    /// Writes items as `a, b and c`.
    pub(super) fn list<T>(
        &mut self,
        items: impl Iterator<Item = T>,
        conjunction: &str,
        mut write: impl FnMut(&mut Self, T) -> fmt::Result,
    ) -> fmt::Result {
        let mut items = items.peekable();
        let mut is_first = true;
        while let Some(item) = items.next() {
            match (is_first, items.peek()) {
                (true, _) => {}
                (false, Some(_)) => self.write_str(", ")?,
                (false, None) => write!(self, " {conjunction} ")?,
            }
            is_first = false;
            write(self, item)?;
        }
        Ok(())
    }

    /// Writes a number as `1st`.
    pub(super) fn ordinal(&mut self, number: impl Into<u32>) -> fmt::Result {
        let number = number.into();
        let suffix = (self.words.ordinal_suffix)(number);
        write!(self, "{number}{suffix}")
    }

    /// Writes a small number as `first`.
    pub(super) fn ordinal_word(&mut self, number: u32) -> fmt::Result {
        let words = self.words.ordinals.iter().zip(1..);
        match words.into_iter().find(|(_, place)| *place == number) {
            Some((word, _)) => self.write_str(word),
            None => self.ordinal(number),
        }
    }

    /// Writes a length of time as it follows `every`: `hour`, `15 minutes`, `250 ms`.
    pub(super) fn length(&mut self, millis: u32) -> fmt::Result {
        // Beyond these counts, several units read better.
        let Words { hour, minute, second, millisecond, .. } = *self.words;
        let units = [
            (HOUR, hour, 24),
            (MINUTE, minute, 119),
            (SECOND, second, 119),
            (1, millisecond, 9999),
        ];
        let is_whole = |unit: u32, most: u32| millis.is_multiple_of(unit) && millis / unit <= most;
        match units.iter().find(|(unit, _, most)| is_whole(*unit, *most)) {
            Some((unit, noun, _)) if *unit == millis => self.write_str(noun.one),
            Some((unit, noun, _)) => self.counted(millis / unit, *noun),
            None => {
                let mut rest = millis;
                let mut separator = "";
                for (unit, noun, _) in units {
                    if rest >= unit {
                        self.write_str(separator)?;
                        self.counted(rest / unit, noun)?;
                        rest %= unit;
                        separator = " ";
                    }
                }
                Ok(())
            }
        }
    }

    fn counted(&mut self, count: u32, noun: Noun) -> fmt::Result {
        write!(self, "{count} {}", noun.counted(count))
    }

    /// Writes a time of day, in milliseconds since midnight: `09:30`, `noon`, `9:30 AM`.
    pub(super) fn clock(&mut self, time: u32) -> fmt::Result {
        if time == DAY / 2 {
            return self.write_str(self.words.noon);
        }
        let (hour, minute) = (time / HOUR, time / MINUTE % 60);
        let (second, milli) = (time / SECOND % 60, time % SECOND);
        if self.has_twelve_hours {
            write!(self, "{}", (hour + 11) % 12 + 1)?;
            if !time.is_multiple_of(HOUR) {
                write!(self, ":{minute:02}")?;
            }
        } else {
            write!(self, "{hour:02}:{minute:02}")?;
        }
        if !time.is_multiple_of(MINUTE) {
            write!(self, ":{second:02}")?;
        }
        if milli != 0 {
            write!(self, ".{milli:03}")?;
        }
        if self.has_twelve_hours {
            let [am, pm] = self.words.halves;
            write!(self, " {}", if hour < 12 { am } else { pm })?;
        }
        Ok(())
    }

    /// Writes a time of day at which a period ends: 24:00 is midnight.
    pub(super) fn end_clock(&mut self, time: u32) -> fmt::Result {
        if time == DAY { self.write_str(self.words.midnight) } else { self.clock(time) }
    }
}
