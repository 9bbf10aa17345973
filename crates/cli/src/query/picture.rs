//! [`PictureArguments`]: the format and destination of a picture.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use millicron_pictures::Picture;
use serde_json::Value;

use crate::error::Error;
use crate::output::Output;

/// The pixels per column in SVG and HTML pictures.
const COLUMN: u32 = 10;

/// The default width of SVG and HTML pictures, in columns.
const COLUMNS: usize = 90;

/// The format and destination of a picture.
#[derive(Args, Debug)]
pub(crate) struct PictureArguments<F: ValueEnum + Clone + Send + Sync + 'static = PictureFormat> {
    /// The format [default: by the extension of the output file, or text]
    #[arg(long = "format", value_name = "FORMAT", value_enum, conflicts_with = "json")]
    drawn_as: Option<F>,

    /// Write to a file; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// The format of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PictureFormat {
    /// Text for a terminal
    #[value(alias = "txt")]
    Text,
    /// A scalable picture, 900 pixels wide with --width 90
    Svg,
    /// A page that shows details of what is hovered or focused; use --width 40 for phones
    #[value(alias = "htm")]
    Html,
}

impl PictureArguments {
    /// Draws a picture, or writes it as JSON.
    pub(crate) fn show(
        &self,
        picture: &dyn Picture,
        to_json: impl FnOnce() -> Value,
        output: &mut Output,
    ) -> Result<(), Error> {
        if output.is_json() { self.json(&to_json(), output) } else { self.draw(picture, output) }
    }

    /// Draws a picture.
    pub(crate) fn draw(&self, picture: &dyn Picture, output: &mut Output) -> Result<(), Error> {
        let text = drawn(picture, self.format(PictureFormat::Text)?, output);
        self.write(&text, output)
    }
}

impl<F: ValueEnum + Copy + Send + Sync + 'static> PictureArguments<F> {
    /// Returns the file to write, unless it is standard output.
    fn file(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| *path != Path::new("-"))
    }

    /// Returns the format given, or implied by the file's extension, or else `other`.
    pub(crate) fn format(&self, other: F) -> Result<F, Error> {
        let path = match (self.drawn_as, self.file()) {
            (Some(format), _) => return Ok(format),
            (None, None) => return Ok(other),
            (None, Some(path)) => path,
        };
        from_extension(path).ok_or_else(|| {
            let error = match path.extension() {
                Some(extension) => {
                    Error::new(format_args!("unknown extension `.{}`", extension.display()))
                }
                None => Error::new(format_args!("{} has no extension", path.display())),
            };
            let formats = F::value_variants().iter().filter_map(ValueEnum::to_possible_value);
            let extensions: Vec<_> = formats
                .flat_map(|it| {
                    it.get_name_and_aliases().map(|it| format!(".{it}")).collect::<Vec<_>>()
                })
                .collect();
            let extensions = extensions.join(", ");
            error.hint(format_args!("use one of {extensions}, or add --format"))
        })
    }

    /// Writes a text to the file, without styles, or to standard output.
    pub(crate) fn write(&self, text: &str, output: &mut Output) -> Result<(), Error> {
        match self.file() {
            Some(path) => save(&anstream::adapter::strip_str(text).to_string(), path),
            None => Ok(output.write_all(text.as_bytes())?),
        }
    }

    /// Writes a value as one line of JSON to the file or to standard output.
    pub(crate) fn json(&self, value: &Value, output: &mut Output) -> Result<(), Error> {
        output.exclude_json("--format", self.drawn_as.is_some())?;
        let Some(path) = self.file() else { return output.json(value) };
        // As with --format.
        if from_extension::<F>(path).is_some() {
            let path = path.display();
            return Err(Error::new(format_args!("--json does not write {path}"))
                .hint("leave out --json, or use .json"));
        }
        save(&format!("{value}\n"), path)
    }

    /// Whether neither a format nor a file was given.
    pub(crate) const fn is_default(&self) -> bool {
        self.drawn_as.is_none() && self.output.is_none()
    }
}

/// Draws a picture in a format.
pub(crate) fn drawn(picture: &dyn Picture, format: PictureFormat, output: &Output) -> String {
    let columns = output.width_asked_for().unwrap_or(COLUMNS);
    let pixels = u32::try_from(columns).unwrap_or(0) * COLUMN;
    match format {
        PictureFormat::Text => picture.to_text(output.width()),
        PictureFormat::Svg => picture.to_svg(pixels) + "\n",
        PictureFormat::Html => picture.to_html(pixels),
    }
}

/// Returns the format whose name or alias is the extension of a file.
fn from_extension<F: ValueEnum>(path: &Path) -> Option<F> {
    F::from_str(path.extension()?.to_str()?, true).ok()
}

fn save(text: &str, path: &Path) -> Result<(), Error> {
    fs::write(path, text)
        .map_err(|error| Error::because(format_args!("cannot write {}", path.display()), error))
}
