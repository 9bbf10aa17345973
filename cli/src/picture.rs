//! [`PictureArguments`]: as what a picture is drawn, and where to.

use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use millicron_pictures::Picture;

use crate::error::Error;
use crate::output::Output;

/// How wide a column of text is in a picture of pixels.
const COLUMN: u32 = 10;

/// The columns of a picture of pixels, unless others are asked for.
const COLUMNS: usize = 90;

/// As what a picture is drawn, and where to.
#[derive(Args, Debug)]
pub(crate) struct PictureArguments {
    /// What to draw [default: by the extension of the output file, or text]
    #[arg(long = "format", value_name = "FORMAT")]
    drawn_as: Option<Format>,

    /// Write to a file instead of the standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// What can be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Text for a terminal
    Text,
    /// A picture that scales; with --width 90, it is 900 pixels wide
    Svg,
    /// A page that shows details of what the pointer or the keyboard focus is on
    Html,
}

impl PictureArguments {
    /// Draws a picture.
    pub(crate) fn draw(&self, picture: &dyn Picture, output: &mut Output) -> Result<(), Error> {
        let columns = output.width_asked_for().unwrap_or(COLUMNS);
        let pixels = u32::try_from(columns).unwrap_or(0) * COLUMN;
        let text = match self.format()? {
            Format::Text => picture.to_text(output.width()),
            Format::Svg => picture.to_svg(pixels) + "\n",
            Format::Html => picture.to_html(pixels),
        };
        self.write(&text, output)
    }

    fn format(&self) -> Result<Format, Error> {
        match (self.drawn_as, &self.output) {
            (Some(format), _) => Ok(format),
            (None, None) => Ok(Format::Text),
            (None, Some(path)) => match path.extension().and_then(OsStr::to_str) {
                Some("svg") => Ok(Format::Svg),
                Some("html" | "htm") => Ok(Format::Html),
                Some("txt") => Ok(Format::Text),
                _ => {
                    Err(Error::new(format_args!("{} has no extension of a format", path.display()))
                        .hint("use .svg, .html or .txt, or add --format"))
                }
            },
        }
    }

    /// Writes a text to the file asked for, without styles, or to the standard output.
    fn write(&self, text: &str, output: &mut Output) -> Result<(), Error> {
        let Some(path) = &self.output else {
            return Ok(output.write_all(text.as_bytes())?);
        };
        let plain = anstream::adapter::strip_str(text).to_string();
        fs::write(path, plain)
            .map_err(|error| Error::new(format_args!("{}: {error}", path.display())))
    }
}
