//! [`ZonedParseError`]: the error for the text of a schedule with a zone.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use crate::error::NoOffset;
use crate::list::list;
use crate::{Dialect, ParseError, ParseErrorKind};

/// An error parsing a `ZonedSchedule`: what is wrong, where, and what to write instead.
///
/// `{}` writes the message on one line. `{:#}` adds the text, with carets below the
/// [`span`](Self::span).
///
/// If the schedule is wrong, the message is that of the [`ParseError`], which is therefore not
/// repeated as the [`source`](core::error::Error::source).
///
/// ```
/// # mod millicron { pub use millicron_runtime::*; #[derive(Debug)] pub struct ZonedSchedule;
/// #     impl std::str::FromStr for ZonedSchedule { type Err = ZonedParseError;
/// #         fn from_str(text: &str) -> Result<Self, ZonedParseError> {
/// #             struct One;
/// #             impl Zones for One {
/// #                 type Zone = ();
/// #                 fn find(&self, _: &str) -> Option<()> { None }
/// #                 fn names(&self) -> Vec<String> { vec!["America/New_York".to_owned()] }
/// #             }
/// #             parse_zoned(text, &One, |text| compile(None, text)).map(|_| Self) } } }
/// use millicron::{ZonedParseErrorKind, ZonedSchedule};
///
/// let error = "09:30:00 America/NewYrok".parse::<ZonedSchedule>().unwrap_err();
/// assert_eq!(error.kind(), ZonedParseErrorKind::UnknownZone);
/// assert_eq!(error.span(), 9..24);
/// assert_eq!(error.nearest_names(), ["America/New_York"]);
/// assert_eq!(format!("{error:#}"), "\
/// unknown time zone `America/NewYrok`: write `America/New_York`
///   |
///   | 09:30:00 America/NewYrok
///   |          ^^^^^^^^^^^^^^^");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct ZonedParseError(Box<LocatedProblem>);

/// The kind of a [`ZonedParseError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ZonedParseErrorKind {
    /// The schedule is wrong: `24:00:00 Europe/Berlin`.
    Schedule(ParseErrorKind),
    /// No time zone follows the schedule: `12:00:00`.
    MissingZone,
    /// A time zone that is not last, or not separated by white space:
    /// `Europe/Berlin 12:00:00`, `12:00:00Z Europe/Berlin`.
    MisplacedZone,
    /// An offset in place of a name: `12:00:00 +02:00`, `12:00:00 Z`.
    Offset,
    /// No time zone has this name: `12:00:00 Europe/Berlim`.
    UnknownZone,
}

#[derive(Clone, PartialEq, Eq)]
struct LocatedProblem {
    problem: Problem,
    /// The position in the whole text.
    place: ParseError,
}

#[derive(Clone, PartialEq, Eq)]
pub(super) enum Problem {
    /// The error of the text without the zone, which starts at the same byte.
    Schedule(ParseError),
    /// The dialect of the text; `None` for the language of this crate.
    MissingZone(Option<Dialect>),
    MisplacedZone,
    /// Directly after a semicolon, with a schedule before it.
    AfterSemicolon,
    SecondZone,
    Offset,
    /// No zone has any name.
    NoZones,
    /// The names to suggest.
    UnknownZone(Vec<String>),
    /// A word after a phrase.
    AfterPhrase,
}

impl ZonedParseError {
    #[cold]
    pub(super) fn new(problem: Problem, text: &str, span: Range<usize>) -> Self {
        let place = ParseError::of_time_zone(text, span);
        Self(Box::new(LocatedProblem { problem, place }))
    }

    #[cold]
    pub(super) fn schedule(error: ParseError, text: &str) -> Self {
        let span = error.span();
        Self::new(Problem::Schedule(error), text, span)
    }

    /// Returns the kind of the error.
    #[must_use]
    pub fn kind(&self) -> ZonedParseErrorKind {
        match &self.0.problem {
            Problem::Schedule(error) => ZonedParseErrorKind::Schedule(error.kind()),
            Problem::MissingZone(_) => ZonedParseErrorKind::MissingZone,
            Problem::MisplacedZone | Problem::AfterSemicolon | Problem::SecondZone => {
                ZonedParseErrorKind::MisplacedZone
            }
            Problem::Offset => ZonedParseErrorKind::Offset,
            Problem::NoZones | Problem::UnknownZone(_) | Problem::AfterPhrase => {
                ZonedParseErrorKind::UnknownZone
            }
        }
    }

    /// Returns the range of bytes of the whole text that the error is about.
    ///
    /// Both ends are character boundaries. The range is empty if something is missing.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.0.place.span()
    }

    /// Returns what follows the message in `{:#}`: the text, with carets below the span.
    #[doc(hidden)]
    #[must_use]
    pub fn shown_text(&self) -> impl fmt::Display {
        ShownText(&self.0.place)
    }

    /// Returns the names nearest to an unknown one, at most three. Empty if no name is similar, and
    /// for other kinds of errors.
    #[must_use]
    pub fn nearest_names(&self) -> &[String] {
        match &self.0.problem {
            Problem::UnknownZone(names) => names,
            _ => &[],
        }
    }
}

struct ShownText<'a>(&'a ParseError);

impl fmt::Display for ShownText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write_text(f)
    }
}

impl fmt::Display for ZonedParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LocatedProblem { problem, place } = &*self.0;
        let offender = place.quoted();
        match problem {
            Problem::Schedule(error) => write!(f, "{error}"),
            Problem::MissingZone(dialect) => write_missing(f, *dialect),
            Problem::MisplacedZone => write!(
                f,
                "{offender} is a time zone, which must be last: write its name after the time, \
                 separated by a space, as in `12:00:00 Europe/Berlin`"
            ),
            Problem::AfterSemicolon => write!(
                f,
                "{offender} is a time zone after a `;`: write its name after the last time, as in \
                 `12:00:00; 13:00:00 Europe/Berlin`"
            ),
            Problem::SecondZone => {
                write!(f, "{offender} is a time zone before another one: leave one of them out")
            }
            Problem::Offset => write!(f, "{}", NoOffset(place)),
            Problem::NoZones => write!(
                f,
                "unknown time zone {offender}: no names are known, because no time zone database \
                 was found"
            ),
            Problem::UnknownZone(names) => {
                write!(f, "unknown time zone {offender}: ")?;
                write_choices(f, names)
            }
            Problem::AfterPhrase => write!(
                f,
                "{offender} is neither part of a phrase nor a time zone: without it, the text is a \
                 phrase"
            ),
        }?;
        if f.alternate() { ShownText(place).fmt(f) } else { Ok(()) }
    }
}

/// Writes where the zone belongs.
fn write_missing(f: &mut fmt::Formatter<'_>, dialect: Option<Dialect>) -> fmt::Result {
    match dialect {
        None => f.write_str(
            "the time zone is missing: write its name last, as in `12:00:00 Europe/Berlin`, or \
             parse the text as a `Schedule`",
        ),
        Some(Dialect::Crontab) => f.write_str(
            "the time zone is missing: write it first, as in `CRON_TZ=Europe/Berlin 0 12 * * *`, or \
             use `Dialect::Crontab.parse`",
        ),
        Some(Dialect::Systemd) => f.write_str(
            "the time zone is missing: write its name last, as in `12:00 Europe/Berlin`, or use \
             `Dialect::Systemd.parse`",
        ),
        Some(dialect) => {
            write!(f, "a {dialect} schedule has no time zone: use `Dialect::{dialect:?}.parse`")
        }
    }?;
    f.write_str(" and pass the time zone to `Schedule::in_zone`")
}

/// Writes the names to choose from.
fn write_choices(f: &mut fmt::Formatter<'_>, names: &[String]) -> fmt::Result {
    if names.is_empty() {
        return f.write_str(
            "expected a name of the IANA time zone database, such as `Europe/Berlin` or `UTC`",
        );
    }
    f.write_str("write ")?;
    list(f, names.iter(), "or", |f, name| write!(f, "`{name}`"))
}

impl fmt::Debug for ZonedParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ZonedParseError")
            .field("kind", &self.kind())
            .field("span", &self.span())
            .field("nearest_names", &self.nearest_names())
            .finish_non_exhaustive()
    }
}

impl core::error::Error for ZonedParseError {}
