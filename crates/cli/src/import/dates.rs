//! Lists of dates.

use jiff::civil::Date;

use super::{ImportedDays, ImportedFile, comment};
use crate::error::Error;

/// Reads a list: a date such as `2026-12-25` in each line, which may be followed by what it is. An error has the number
/// of its line, from 1.
pub(super) fn read(text: &str) -> Result<ImportedFile, (usize, Error)> {
    let mut contents = ImportedFile::default();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let is_separator = |c: char| c.is_whitespace() || ",;#".contains(c);
        let (date, summary) = line.split_once(is_separator).unwrap_or((line, ""));
        let first: Date = date.parse().map_err(|_| {
            let error = Error::new(format_args!("`{date}` is not a date"));
            (number, error.hint("write dates such as 2026-12-25, one in each line"))
        })?;
        let summary = comment(summary.trim_start_matches(is_separator)).into();
        let days = ImportedDays { first, last: first, is_yearly: false, summary };
        contents.add(days).map_err(|error| (number, error))?;
    }
    Ok(contents)
}
