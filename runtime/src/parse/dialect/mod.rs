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

use super::Located;
use crate::{Dialect, ParseError};

/// Reads a text in a dialect.
pub(crate) fn read(dialect: Dialect, text: &str) -> Result<Located, ParseError> {
    let mut located = match dialect {
        Dialect::Crontab => crontab::read(text),
        Dialect::Quartz => quartz::read(text),
        Dialect::CronCrate => cron_crate::read(text),
        Dialect::Systemd => systemd::read(text),
    }?;
    located.expression.normalize();
    Ok(located)
}
