//! Reads schedules like version 0.17 of the crate `cron`.

use super::fields::{FieldTexts, read_fields, read_nickname};
use super::quartz::ORDER;
use crate::parse::Located;
use crate::parse::reader::Reader;
use crate::{Dialect, ParseError};

pub(super) fn read(reader: &mut Reader<'_>) -> Result<Located, ParseError> {
    if let Some(located) = read_nickname(reader, Dialect::CronCrate)? {
        return Ok(located);
    }
    let fields = FieldTexts::of(reader);
    read_fields(reader, Dialect::CronCrate, &fields, &ORDER)
}
