//! Readers of other notations. Each reads its text in one pass into the same [`Expression`] as the
//! language of this crate.
//!
//! [`rules`] reads what they all share, values and ranges; [`fields`] what crontab, Quartz and the
//! cron crate have in common.
//!
//! [`Expression`]: crate::Expression

mod cron_crate;
mod crontab;
mod fields;
mod quartz;
mod rules;
mod systemd;

use super::Located;
use super::reader::Reader;
use crate::{Dialect, ParseError};

/// Reads a text in a dialect.
pub(crate) fn read(dialect: Dialect, text: &str) -> Result<Located, ParseError> {
    let reader = &mut Reader::new(Some(dialect), text).trimmed();
    let mut located = match dialect {
        Dialect::Crontab => crontab::read(reader),
        Dialect::Quartz => quartz::read(reader),
        Dialect::CronCrate => cron_crate::read(reader),
        Dialect::Systemd => systemd::read(reader),
    }?;
    located.expression.normalize();
    Ok(located)
}
