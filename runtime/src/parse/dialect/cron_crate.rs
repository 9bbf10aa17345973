//! Reads schedules like version 0.17 of the crate `cron`.

use super::fields::{FieldTexts, read_fields, read_nickname};
use super::quartz::ORDER;
use super::reader::Reader;
use crate::parse::Located;
use crate::{Dialect, ParseError};

pub(super) fn read(text: &str) -> Result<Located, ParseError> {
    let mut reader = Reader::new(Dialect::CronCrate, text);
    if let Some(located) = read_nickname(&reader)? {
        return Ok(located);
    }
    let fields = FieldTexts::of(&reader);
    read_fields(&mut reader, &fields, &ORDER, 1)
}
