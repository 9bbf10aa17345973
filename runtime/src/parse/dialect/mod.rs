//! Readers of other notations. Each reads its text into the same [`Expression`] as the
//! language of this crate, in one pass.
//!
//! [`reader`] reads what they share, values and ranges; [`fields`] what crontab, Quartz and the
//! cron crate have in common.
//!
//! [`Expression`]: crate::Expression

mod cron_crate;
mod crontab;
mod fields;
mod quartz;
mod reader;
mod seconds;
mod systemd;

use core::ops::Range;

use super::Located;
use crate::{Dialect, ParseError};

/// What a text of a dialect says.
pub(crate) struct Read {
    pub(crate) located: Located,
    /// Where the name of the time zone is.
    pub(crate) zone: Option<Range<usize>>,
}

/// Reads a text of a dialect.
pub(crate) fn read(dialect: Dialect, text: &str) -> Result<Read, ParseError> {
    let mut read = match dialect {
        Dialect::Crontab => crontab::read(text),
        Dialect::Quartz => quartz::read(text),
        Dialect::CronCrate => cron_crate::read(text),
        Dialect::Systemd => systemd::read(text),
    }?;
    read.located.expression.normalize();
    Ok(read)
}
