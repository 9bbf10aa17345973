//! The messages about time zones.

use core::fmt;

use super::ParseError;
use super::parts::Quoted;
use crate::Dialect;

impl ParseError {
    /// Writes that a text has a time zone, and which call returns it.
    pub(super) fn write_zone_message(
        &self,
        f: &mut fmt::Formatter<'_>,
        has_calls: bool,
    ) -> fmt::Result {
        if self.start == self.end {
            return f.write_str("the name of the time zone is missing");
        }
        let offender = Quoted(self);
        match self.dialect.map(Dialect::variant) {
            None if !has_calls && is_offset(self.offender()) => write!(f, "{}", NoOffset(self)),
            None if !has_calls => write!(
                f,
                "{offender} is not where the name of a time zone belongs: write it last, as in \
                 `12:00:00 Europe/Berlin` and `12:00:00; 13:00:00 Europe/Berlin`"
            ),
            None => {
                write!(
                    f,
                    "{offender} is a time zone, which is not part of a `Schedule`: leave it out, \
                     and pass the time zone to `Schedule::in_zone`; or parse the text as a \
                     `ZonedSchedule`, "
                )?;
                f.write_str(if is_offset(self.offender()) {
                    "with a name such as `Europe/Berlin` or `UTC` in place of the offset"
                } else {
                    "which has the name of its time zone after the time"
                })
            }
            Some(variant) => write!(
                f,
                "{offender} is a time zone, which is not part of a schedule: leave it out, or use \
                 `Dialect::{variant}.parse_with_zone`, which returns it too"
            ),
        }
    }
}

/// The message that the text in the span is an offset, where the name of a time zone belongs.
pub(crate) struct NoOffset<'a>(pub(crate) &'a ParseError);

impl fmt::Display for NoOffset<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} is an offset from UTC, not the name of a time zone: write a name, such as \
             `Europe/Berlin` or `UTC`",
            Quoted(self.0)
        )
    }
}

/// Whether a text is an offset: `Z`, `+02`, `-0500`, `+05:30`, `UTC+2`, and `+02:00[Europe/Berlin]`.
pub(crate) fn is_offset(text: &str) -> bool {
    let is_utc = |prefix: &&str| ["UTC", "GMT"].iter().any(|utc| prefix.eq_ignore_ascii_case(utc));
    let offset = text.get(..3).filter(is_utc).map_or(text, |prefix| &text[prefix.len()..]);
    let is_signed = |offset: &str| {
        offset.starts_with(|c: char| c.is_ascii_digit())
            && offset.bytes().all(|byte| byte.is_ascii_digit() || byte == b':')
    };
    let offset = offset.split_once('[').map_or(offset, |(offset, _)| offset);
    text.eq_ignore_ascii_case("z") || offset.strip_prefix(['+', '-']).is_some_and(is_signed)
}
