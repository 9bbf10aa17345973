//! [`NamedZone`]: zones that can be found by name.

use crate::Zone;

/// A time zone that can be found by its name.
///
/// Implement [`Zone::name`] as well: given that name, [`named`](Self::named) must return an equal
/// zone.
///
/// With the feature `jiff`, `jiff::tz::TimeZone` implements it and looks names up in the database
/// of `jiff::tz::db()`. With the feature `chrono-tz`, `ChronoZone<chrono_tz::Tz>` implements it and
/// uses the database that `chrono-tz` contains. Both ignore case.
///
/// A [`ZonedSchedule`](crate::ZonedSchedule) in such a zone can be parsed from text and displayed.
///
/// ```
/// # #[cfg(feature = "alloc")] {
/// use millicron::{NamedZone, Zone, ZonedSchedule};
///
/// /// The time zones of two islands.
/// #[derive(Debug, PartialEq)]
/// enum Island {
///     East,
///     West,
/// }
///
/// impl Zone for Island {
///     fn offset_at(&self, _: i64) -> i32 {
///         match self {
///             Self::East => 11 * 3_600_000,
///             Self::West => 10 * 3_600_000,
///         }
///     }
///
///     fn name(&self) -> Option<&str> {
///         Some(match self {
///             Self::East => "East",
///             Self::West => "West",
///         })
///     }
/// }
///
/// impl NamedZone for Island {
///     fn named(name: &str) -> Option<Self> {
///         match name {
///             "East" => Some(Self::East),
///             "West" => Some(Self::West),
///             _ => None,
///         }
///     }
///
///     fn names() -> impl Iterator<Item: AsRef<str>> {
///         ["East", "West"].into_iter()
///     }
/// }
///
/// let ferry: ZonedSchedule<Island> = "*.*.* Sat 09:30:00 East".parse()?;
/// assert_eq!(ferry.zone(), &Island::East);
/// assert_eq!(ferry.to_string(), "*.*.* 6 09:30:00 East");
///
/// let error = "12:00:00 Vest".parse::<ZonedSchedule<Island>>().unwrap_err();
/// assert_eq!(error.to_string(), "unknown time zone `Vest`: write `West`");
/// # }
/// # Ok::<(), millicron::ZonedParseError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a time zone that can be found by its name",
    label = "not a time zone with a name",
    note = "such a time zone is a `jiff::tz::TimeZone` with the feature `jiff`, a \
            `millicron::ChronoZone<chrono_tz::Tz>` with the feature `chrono-tz`, or your own type that \
            implements `millicron::NamedZone`",
    note = "types of jiff 1 need the feature `jiff`, those of jiff 0.2 the feature `jiff-02`",
    note = "a `millicron::StaticZone` is found by its name while the program is compiled, by `schedule!` and \
            `zone!`, but not at run time"
)]
pub trait NamedZone: Zone + Sized {
    /// Returns the zone with a name, or `None` for an unknown name.
    ///
    /// Names contain neither white space nor `:`; other texts are not looked up.
    fn named(name: &str) -> Option<Self>;

    /// Returns the names of all zones. Errors suggest the nearest ones.
    fn names() -> impl Iterator<Item: AsRef<str>>;
}
