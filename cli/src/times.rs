//! Times as people write them, and time zones by name.

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

use millicron::NamedZone as _;

use crate::error::Error;

/// A time on the command line, which means an instant once now and the time zone are known.
#[derive(Clone, Debug)]
pub(crate) struct Time(String);

impl From<String> for Time {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl Time {
    /// Returns the instant that the text means at `now` in a time zone.
    pub(crate) fn resolve(&self, now: &Now, zone: &TimeZone) -> Result<Zoned, Error> {
        let _ = (now, zone);
        self.0.parse().map_err(Error::new)
    }
}

/// The instant that counts as now.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Now(Timestamp);

impl Now {
    pub(crate) fn new(time: Option<&Time>) -> Result<Self, Error> {
        let now = Self(Timestamp::now());
        match time {
            Some(time) => Ok(Self(time.resolve(&now, &TimeZone::system())?.timestamp())),
            None => Ok(now),
        }
    }

    pub(crate) fn in_zone(self, zone: &TimeZone) -> Zoned {
        self.0.to_zoned(zone.clone())
    }
}

/// Returns the time zone of a name, an offset such as `+02:00`, or a text as in the variable `TZ`; without one, that
/// of the machine.
pub(crate) fn time_zone(name: Option<&str>) -> Result<TimeZone, Error> {
    let Some(name) = name else {
        return Ok(TimeZone::try_system().unwrap_or(TimeZone::UTC));
    };
    let unknown = || Error::new(format_args!("unknown time zone `{name}`"));
    TimeZone::named(name).ok_or_else(unknown)
}
