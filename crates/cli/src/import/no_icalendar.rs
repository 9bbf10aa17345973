//! In place of the reader of iCalendar files, in a build without it.

use std::path::Path;

use super::ImportedFile;
use crate::error::Error;

pub(super) fn read(path: &Path, _: &str) -> Result<ImportedFile, Error> {
    Err(Error::without_feature(&format!("--import {}", path.display()), "icalendar"))
}
