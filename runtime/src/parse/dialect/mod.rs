//! Readers of other notations. Each reads its text in one pass into the same [`Expression`] as the
//! language of this crate.
//!
//! [`reader`] reads what they all share, values and ranges; [`fields`] what crontab, Quartz and the
//! cron crate have in common.
//!
//! [`Expression`]: crate::Expression

mod cron_crate;
mod crontab;
mod fields;
mod quartz;
mod reader;
mod systemd;

use core::ops::Range;

use super::Located;
use crate::{Dialect, ParseError};

/// The meaning of a text in a dialect.
pub(crate) struct Read {
    pub(crate) located: Located,
    /// The position of the time zone's name.
    pub(crate) zone: Option<Range<usize>>,
}

/// Reads a text in a dialect.
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
