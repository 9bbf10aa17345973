//! What a payload may contain.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value;

use super::error::InvalidSchedule;

/// How many levels of arrays and objects there may be. A worker reads 127, of which a run is one.
const DEEPEST: usize = 126;

/// How many bytes the JSON text may have. A machine reads up to 1,000 payloads at once, in several forms.
pub(super) const LONGEST: usize = 65_536;

/// Checks that all databases can store a payload, and that workers can read it.
pub(super) fn check(payload: &Value) -> Result<(), InvalidSchedule> {
    check_level(payload, 0)?;
    match length(payload) {
        ..=LONGEST => Ok(()),
        length => Err(InvalidSchedule::LongPayload { length, max: LONGEST }),
    }
}

/// Returns the length of a JSON text.
pub(super) fn length(value: &impl Serialize) -> usize {
    let mut length = Length(0);
    // Neither a value, a list of texts nor this writer fails.
    drop(serde_json::to_writer(&mut length, value));
    length.0
}

/// Counts what is written.
struct Length(usize);

impl Write for Length {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn check_level(value: &Value, level: usize) -> Result<(), InvalidSchedule> {
    let contains_nul = || Err(InvalidSchedule::Nul("the payload"));
    match value {
        Value::Array(_) | Value::Object(_) if level == DEEPEST => Err(InvalidSchedule::DeepPayload),
        Value::String(text) if text.contains('\0') => contains_nul(),
        Value::Object(members) if members.keys().any(|name| name.contains('\0')) => contains_nul(),
        Value::Array(items) => items.iter().try_for_each(|item| check_level(item, level + 1)),
        Value::Object(members) => {
            members.values().try_for_each(|value| check_level(value, level + 1))
        }
        _ => Ok(()),
    }
}
