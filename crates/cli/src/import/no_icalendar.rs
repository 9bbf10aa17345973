//! In place of the reader of iCalendar files, in a build without it.

use super::Contents;
use crate::error::Error;

pub(super) fn read(_: &str) -> Result<Contents, Error> {
    Err(Error::without_feature("--import of an iCalendar file", "icalendar"))
}
