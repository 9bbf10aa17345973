//! Reads the texts of files.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::string::FromUtf8Error;

use super::problem::position;
use crate::error::Error;

/// Whether a file is standard input, a pipe or the like, so reading it may never end, and works only once.
pub(crate) fn may_block(path: &Path) -> bool {
    path == Path::new("-") || fs::metadata(path).is_ok_and(|metadata| !metadata.is_file())
}

/// Reads the text of a file with at most `most` bytes. The path `-` is standard input.
///
/// # Errors
///
/// Returns an error if the file cannot be read, is longer, or is not UTF-8.
pub(crate) fn read_text(path: &Path, most: u64) -> Result<String, Error> {
    let what = || format!("cannot read {}", path.display());
    let bytes = read_bytes(path, most).map_err(|error| Error::because(what(), error))?;
    if bytes.len() as u64 > most {
        let mebibytes = most >> 20;
        return Err(Error::new(format_args!("{}: it is larger than {mebibytes} MiB", what())));
    }
    String::from_utf8(bytes).map_err(|error| not_text(path, &error))
}

/// Refuses a file with a line that is longer than `most` bytes, which a message could not show.
///
/// # Errors
///
/// Returns an error with the number of the first such line.
pub(super) fn check_lines(path: &Path, text: &str, most: usize) -> Result<(), Error> {
    let Some(index) = text.lines().position(|line| line.len() > most) else { return Ok(()) };
    let (path, line, kibibytes) = (path.display(), index + 1, most >> 10);
    let message = format_args!("cannot read {path}: line {line} is longer than {kibibytes} KiB");
    Err(Error::new(message))
}

/// Reads one byte more than `most` if there are more.
pub(super) fn read_bytes(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let (mut bytes, most) = (Vec::new(), most.saturating_add(1));
    if path == Path::new("-") {
        io::stdin().lock().take(most).read_to_end(&mut bytes)?;
    } else {
        File::open(path)?.take(most).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// Returns the error that a file has bytes that are no UTF-8, with the place of the first one.
fn not_text(path: &Path, error: &FromUtf8Error) -> Error {
    let start = error.as_bytes().get(..error.utf8_error().valid_up_to()).unwrap_or_default();
    let (line, column) = position(&String::from_utf8_lossy(start), start.len());
    let path = path.display();
    Error::new(format_args!("cannot read {path}: line {line}, column {column} is not UTF-8"))
        .hint("save the file as UTF-8")
}
