//! [`Output`]: standard output as text or JSON, with or without color.

use std::io::{self, BufWriter, Write};

use anstyle::Style;
use clap::ColorChoice;
use comfy_table::{ContentArrangement, Table, presets};
use serde::Serialize;

use crate::characters::write_json;
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

    /// Returns an error if JSON is to be written although an option is given that excludes it.
    ///
    /// Clap's `conflicts_with` misses a `--json` before the command.
    pub(crate) fn exclude_json(&self, option: &str, is_given: bool) -> Result<(), Error> {
        if !(self.is_json && is_given) {
            return Ok(());
        }
        Err(Error::new(format_args!("--json and {option} exclude each other"))
            .hint("remove one of them"))
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
        write_json(&mut self.out, value)?;
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

/// The longest text in a table, in characters. Wrapping takes quadratic time.
const LONGEST_TEXT: usize = 200;

/// Returns a table without lines.
pub(crate) fn table(
    headings: impl IntoIterator<Item = &'static str>,
    rows: impl IntoIterator<Item = Vec<String>>,
    width: usize,
) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(u16::try_from(width).unwrap_or(80));
    table.set_header(headings);
    for row in rows {
        table.add_row(row.iter().map(|text| shortened(text)));
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 1));
    }
    table
}

/// Returns the beginning of a text, as long as a column may be.
pub(crate) fn shortened(text: &str) -> String {
    let mut characters = text.chars();
    let mut text = characters.by_ref().take(LONGEST_TEXT).collect::<String>();
    text.extend(characters.next().map(|_| '…'));
    text
}
