//! Reads items that depend on business days: `B`, `B#3` and `15>B`; and the name of a calendar.

use core::ops::Range;

use crate::error::Detail;
use crate::expression::Move;
use crate::parse::reader::Reader;
use crate::{Expression, Field, ParseError, ParseErrorKind};

/// The highest `n` in `>B+n`.
const LONGEST_OFFSET: u64 = 99;

impl Reader<'_> {
    /// Whether a `B` comes next that is no part of a name.
    pub(super) fn is_business_day(&self) -> bool {
        let next = self.bytes.get(self.at + 1);
        self.peek() == Some(b'B') && !next.is_some_and(u8::is_ascii_alphanumeric)
    }

    /// Reads `B`, `B#k`, `B#L` or `B#L-n`.
    #[inline(never)]
    pub(super) fn business_day(&mut self, expression: &mut Expression) -> Result<(), ParseError> {
        let start = self.at;
        self.at += 1;
        let business = &mut expression.business;
        if !self.skip(b'#') {
            if matches!(self.peek(), Some(b'-' | b'/')) {
                let end = self.item_end();
                return self.error(ParseErrorKind::BusinessDay, start..end);
            }
            business.is_every = true;
            return Ok(());
        }
        if self.skip(b'L') {
            if !self.skip(b'-') {
                business.before_last |= 1;
                return Ok(());
            }
            if let Some(number @ 1..=30) = self.number() {
                business.before_last |= 1 << number;
                return Ok(());
            }
        } else if let Some(number @ 1..=31) = self.number() {
            business.numbered |= 1 << (number - 1);
            return Ok(());
        }
        self.error(ParseErrorKind::BusinessDay, start..self.at)
    }

    /// Whether a day of the month, which has just been read, is moved.
    pub(super) fn is_move(&self, field: Field) -> bool {
        field == Field::Day && matches!(self.peek(), Some(b'>' | b'<'))
    }

    /// Reads the rest of `a>B`, `a<B!` or `L-n>B+n` after the day, which has the given bit in
    /// [`Move::days`]. The item begins at `start`.
    #[inline(never)]
    pub(super) fn moved(
        &mut self,
        expression: &mut Expression,
        day: u32,
        start: usize,
    ) -> Result<(), ParseError> {
        let is_back = self.peek() == Some(b'<');
        // Day 32 is written `L`.
        let is_number = self.bytes[start] != b'L' && day >= Move::LAST;
        self.at += 1;
        if !self.skip(b'B') || is_number {
            let end = self.item_end().min(self.character().end).max(self.at);
            return self.error(ParseErrorKind::MovedDay, start..end);
        }
        let is_modified = self.skip(b'!');
        let is_later = self.skip(b'+');
        let mut offset = 0;
        if is_later || self.skip(b'-') {
            let Some(days @ 1..=LONGEST_OFFSET) = self.number() else {
                return self.error(ParseErrorKind::MovedDay, start..self.at);
            };
            #[expect(clippy::cast_possible_truncation, reason = "at most 99")]
            let days = days as i8;
            offset = if is_later { days } else { -days };
            if !is_modified && self.skip(b'!') {
                return self.error(ParseErrorKind::MovedDay, start..self.at);
            }
        }
        let added = Move { is_back, is_modified, offset, days: 1 << day };
        if expression.business.moves.insert(added) {
            return Ok(());
        }
        self.error_with(ParseErrorKind::MovedDay, Detail::LongList, start..self.at)
    }

    /// Returns the span of the name of a calendar after its `@`.
    #[inline(never)]
    pub(super) fn calendar_name(&self, part: &Range<usize>) -> Result<Range<usize>, ParseError> {
        let name = part.start + 1..part.end;
        if is_calendar_name(&self.text[name.clone()]) {
            Ok(name)
        } else {
            self.error(ParseErrorKind::CalendarName, part.clone())
        }
    }
}

/// Whether a text can be the name of a calendar.
pub(crate) fn is_calendar_name(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && text.bytes().all(is_part)
}
