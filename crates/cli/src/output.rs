//! [`Output`]: standard output as text or JSON, with or without color.

use std::io::{self, BufWriter, Write};

use anstyle::Style;
use clap::ColorChoice;
use serde::Serialize;

use crate::error::Error;

pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();

/// The standard output.
///
/// Colors are written as ANSI escape sequences, and stripped where color is off.
#[derive(Debug)]
pub(crate) struct Output {
    out: BufWriter<anstream::AutoStream<io::StdoutLock<'static>>>,
    is_json: bool,
    width: Option<u16>,
}

impl Output {
    pub(crate) fn new(is_json: bool, color: ColorChoice, width: Option<u16>) -> Self {
        let color = match color {
            ColorChoice::Auto => anstream::ColorChoice::Auto,
            ColorChoice::Always => anstream::ColorChoice::Always,
            ColorChoice::Never => anstream::ColorChoice::Never,
        };
        // Standard error follows this setting.
        color.write_global();
        let stream = anstream::AutoStream::new(io::stdout().lock(), color);
        Self { out: BufWriter::with_capacity(1 << 16, stream), is_json, width }
    }

    /// Whether to write JSON.
    pub(crate) const fn is_json(&self) -> bool {
        self.is_json
    }

    /// Returns the output width in columns, 40 to 200.
    pub(crate) fn width(&self) -> usize {
        let terminal = || terminal_size::terminal_size().map(|(width, _)| width.0);
        usize::from(self.width.or_else(terminal).unwrap_or(80).clamp(40, 200))
    }

    /// Returns the width given on the command line.
    pub(crate) fn width_asked_for(&self) -> Option<usize> {
        self.width.map(usize::from)
    }

    /// Writes a label, padded to a width, and next to it a text that is wrapped at words.
    pub(crate) fn labelled(&mut self, label: &str, width: usize, text: &str) -> Result<(), Error> {
        write!(self, "{DIM}{label:width$}{DIM:#}")?;
        self.wrapped(width, text)?;
        Ok(writeln!(self)?)
    }

    /// Writes a text that starts at a column and is wrapped at words.
    pub(crate) fn wrapped(&mut self, width: usize, text: &str) -> Result<(), Error> {
        let most = self.width();
        let mut column = width;
        for (index, word) in text.split(' ').enumerate() {
            let length = word.chars().count();
            if index > 0 && column + 1 + length > most {
                write!(self, "\n{:width$}", "")?;
                column = width;
            } else if index > 0 {
                self.write_all(b" ")?;
                column += 1;
            }
            self.write_all(word.as_bytes())?;
            column += length;
        }
        Ok(())
    }

    /// Writes a value as one line of JSON.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> Result<(), Error> {
        serde_json::to_writer(&mut self.out, value).map_err(io::Error::from)?;
        writeln!(self.out)?;
        Ok(())
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
