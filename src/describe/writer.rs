//! [`Writer`]: writes a sentence.

use core::fmt::{self, Display, Write};

use super::words::Clock;

/// Writes a sentence, and capitalizes its first letter.
pub(super) struct Writer<'a> {
    out: &'a mut dyn Write,
    has_twelve_hours: bool,
    is_start: bool,
}

impl Write for Writer<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        match text.chars().next() {
            Some(first) if self.is_start => {
                self.is_start = false;
                write!(self.out, "{}{}", first.to_uppercase(), &text[first.len_utf8()..])
            }
            _ => self.out.write_str(text),
        }
    }
}

impl<'a> Writer<'a> {
    pub(super) fn new(out: &'a mut dyn Write, has_twelve_hours: bool) -> Self {
        Self { out, has_twelve_hours, is_start: true }
    }

    /// Returns a time of day, in milliseconds since midnight.
    pub(super) const fn clock(&self, time: u32) -> impl Display + use<> {
        Clock { time, has_twelve_hours: self.has_twelve_hours }
    }
}
