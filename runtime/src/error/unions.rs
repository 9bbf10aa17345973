//! The messages about unions.

use core::fmt;

use super::parts::Quoted;
use super::{ParseError, ParseErrorKind};
use crate::overlap::INTERTWINED;
use crate::union_plan::MOST_MEMBERS;

impl ParseError {
    /// Writes what is wrong with a union.
    pub(super) fn write_union_message(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            ParseErrorKind::TooManyMembers => write!(
                f,
                "{} is one schedule too many: a union has at most {MOST_MEMBERS}, separated by `;`",
                Quoted(self)
            ),
            ParseErrorKind::Intertwined => f.write_str(INTERTWINED),
            _ => f.write_str(
                "a schedule is missing before this `;`, which separates schedules, as in \
                 `*.*.* Mon 09:00:00; *.*.* Tue 10:00:00`",
            ),
        }
    }
}
