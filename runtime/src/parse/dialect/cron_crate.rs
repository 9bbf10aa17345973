//! Reads schedules like version 0.17 of the crate `cron`.

use super::Read;
use super::fields::{FieldSpans, read_fields, read_nickname};
use super::quartz::ORDER;
use super::reader::Reader;
use crate::{Dialect, ParseError, ParseErrorKind};

pub(super) fn read(text: &str) -> Result<Read, ParseError> {
    let mut reader = Reader::new(Dialect::CronCrate, text);
    if let Some(located) = read_nickname(&reader)? {
        return Ok(Read { located, zone: None });
    }
    let fields = FieldSpans::of(&reader);
    if fields.count == 0 {
        return reader.error(ParseErrorKind::Empty, 0..text.len());
    }
    let located = read_fields(&mut reader, &fields, &ORDER, 1)?;
    Ok(Read { located, zone: None })
}
