//! Pairs of a local time (`jiff::civil::DateTime` or `chrono::NaiveDateTime`) and its zone, as
//! instants. They need no fallible conversion.

#[cfg(feature = "jiff")]
mod jiff {
    use ::jiff::Zoned;
    use ::jiff::civil::DateTime;
    use ::jiff::tz::TimeZone;

    use crate::moment::{Position, Sealed};
    use crate::zone::{ZoneScale, instant_of};
    use crate::{Instant, Moment};

    macro_rules! local_times {
        ($($(#[$example:meta])* $zone:ty),*) => {
            $($(#[$example])*
            #[diagnostic::do_not_recommend]
            impl Moment for (DateTime, $zone) {
                type Answer = Zoned;
                const IS_INSTANT: bool = true;

                fn position(&self) -> Position {
                    instant_of(self.0.position(), &self.1)
                }

                fn at(scale: Self::Scale, millis: i64) -> Option<Zoned> {
                    Zoned::at(scale, millis)
                }
            }

            #[diagnostic::do_not_recommend]
            impl Sealed for (DateTime, $zone) {
                type Scale = <Zoned as Sealed>::Scale;
                type Timescale<'a>
                    = <Zoned as Sealed>::Timescale<'a>
                where
                    Self: 'a;

                fn scale(of: Option<&Self>) -> Self::Scale {
                    ZoneScale::of(of.map(|(_, zone)| TimeZone::clone(zone)))
                }

                fn timescale(&self) -> Self::Timescale<'_> {
                    ZoneScale::of(Some(&self.1))
                }
            }

            #[diagnostic::do_not_recommend]
            impl Instant for (DateTime, $zone) {})*
        };
    }

    local_times! {
        TimeZone,
        /// ```
        /// use jiff::civil::date;
        /// use jiff::tz::TimeZone;
        /// use millicron::{Schedule, schedule};
        ///
        /// const NIGHTLY: Schedule = schedule!("2:30:00");
        ///
        /// // On 2026-03-29 the clocks in Berlin go from 02:00 to 03:00.
        /// let berlin = TimeZone::get("Europe/Berlin")?;
        /// let evening = date(2026, 3, 28).at(18, 0, 0, 0);
        /// let next = NIGHTLY.next_event((evening, &berlin)).expect("an event each night");
        /// assert_eq!(next.to_string(), "2026-03-29T03:00:00+02:00[Europe/Berlin]");
        ///
        /// // A week of local time.
        /// let week = (evening, &berlin)..(date(2026, 4, 4).at(18, 0, 0, 0), &berlin);
        /// assert_eq!(NIGHTLY.in_zone(berlin.clone()).count(week), 7);
        /// # Ok::<(), jiff::Error>(())
        /// ```
        &TimeZone
    }
}

#[cfg(feature = "chrono")]
mod chrono {
    use ::chrono::{DateTime, NaiveDateTime, TimeZone};

    use crate::moment::{Position, Sealed};
    use crate::zone::{ZoneScale, instant_of};
    use crate::{ChronoZone, Instant, Moment};

    /// ```
    /// use chrono::{DateTime, FixedOffset, NaiveDateTime};
    /// use millicron::{Schedule, schedule};
    ///
    /// const NOON: Schedule = schedule!("12:00:00");
    ///
    /// let evening: NaiveDateTime = "2026-11-21T18:00:00".parse()?;
    /// let zone = FixedOffset::east_opt(3600).expect("an hour");
    /// let next: DateTime<FixedOffset> = "2026-11-22T12:00:00+01:00".parse()?;
    /// assert_eq!(NOON.next_event((evening, zone)), Some(next));
    /// # Ok::<(), chrono::ParseError>(())
    /// ```
    #[diagnostic::do_not_recommend]
    impl<Tz: TimeZone + 'static> Moment for (NaiveDateTime, Tz) {
        type Answer = DateTime<Tz>;
        const IS_INSTANT: bool = true;

        fn position(&self) -> Position {
            instant_of(self.0.position(), &ChronoZone(self.1.clone()))
        }

        fn at(scale: Self::Scale, millis: i64) -> Option<DateTime<Tz>> {
            DateTime::at(scale, millis)
        }
    }

    #[diagnostic::do_not_recommend]
    impl<Tz: TimeZone + 'static> Sealed for (NaiveDateTime, Tz) {
        type Scale = <DateTime<Tz> as Sealed>::Scale;
        type Timescale<'a>
            = Self::Scale
        where
            Self: 'a;

        fn scale(of: Option<&Self>) -> Self::Scale {
            ZoneScale::of(of.map(|(_, zone)| ChronoZone(zone.clone())))
        }

        fn timescale(&self) -> Self::Scale {
            Self::scale(Some(self))
        }
    }

    #[diagnostic::do_not_recommend]
    impl<Tz: TimeZone + 'static> Instant for (NaiveDateTime, Tz) {}
}
