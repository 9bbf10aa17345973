//! Conversions between `CalendarDigits` and the civil types of jiff, chrono and time.

use std::fmt::Debug;
use std::time::{Duration, SystemTime};

use chrono::NaiveDateTime;
use jiff::civil::{Date, DateTime};
use millicron::{CalendarDigits, DigitsError, Field, system_time, unix_millis};
use proptest::prelude::*;
use time::PrimitiveDateTime;

/// Milliseconds since 1970: any `i64`, but mostly within the years of all types.
fn millis() -> impl Strategy<Value = i64> {
    prop_oneof![
        4 => -377_705_116_800_000_i64..=253_402_300_799_999,
        1 => -8_334_601_228_800_000_i64..=8_210_266_876_799_999,
        1 => any::<i64>(),
    ]
}

/// Checks that a value converts to another type and back if the type supports its year, and that
/// the conversion fails otherwise.
fn assert_round_trip<C>(digits: CalendarDigits, years: std::ops::RangeInclusive<i32>)
where
    C: TryFrom<CalendarDigits, Error = DigitsError> + Copy + Debug,
    CalendarDigits: From<C>,
{
    match C::try_from(digits) {
        Ok(civil) => {
            assert!(years.contains(&digits.year()), "{digits} as {civil:?}");
            assert_eq!(CalendarDigits::from(civil), digits, "{civil:?}");
        }
        Err(error) => {
            assert!(!years.contains(&digits.year()), "{digits}: {error}");
            assert_eq!(error.field(), Some(Field::Year));
        }
    }
}

fn assert_all_round_trips(digits: CalendarDigits) {
    assert_round_trip::<DateTime>(digits, -9999..=9999);
    assert_round_trip::<NaiveDateTime>(digits, -262_143..=262_142);
    let time_years = time::Date::MIN.year()..=time::Date::MAX.year();
    assert_round_trip::<PrimitiveDateTime>(digits, time_years);
}

proptest! {
    #[test]
    fn random_values_round_trip(millis in millis()) {
        assert_all_round_trips(CalendarDigits::from_millis(millis));
    }

    #[test]
    fn random_values_convert_to_the_same_civil_time_in_each_type(
        millis in -377_705_116_800_000_i64..=253_402_300_799_999,
    ) {
        let digits = CalendarDigits::from_millis(millis);
        let nanos = i128::from(millis) * 1_000_000;
        let jiff = DateTime::try_from(digits).unwrap();
        let since = jiff.duration_since(Date::constant(1970, 1, 1).at(0, 0, 0, 0));
        prop_assert_eq!(since.as_nanos(), nanos);
        let chrono = NaiveDateTime::try_from(digits).unwrap();
        prop_assert_eq!(chrono.and_utc().timestamp_millis(), millis);
        let time = PrimitiveDateTime::try_from(digits).unwrap();
        prop_assert_eq!(time.assume_utc().unix_timestamp_nanos(), nanos);
    }

    #[test]
    fn fractions_of_a_millisecond_are_truncated(
        millis in -377_705_116_800_000_i64..=253_402_300_799_999,
        nanos in 0_u32..1_000_000,
    ) {
        let digits = CalendarDigits::from_millis(millis);
        let subsecond = u32::from(digits.millisecond()) * 1_000_000 + nanos;

        let jiff = DateTime::try_from(digits).unwrap();
        let jiff = jiff.with().subsec_nanosecond(i32::try_from(subsecond).unwrap()).build();
        prop_assert_eq!(CalendarDigits::from(jiff.unwrap()), digits);
        let chrono = NaiveDateTime::try_from(digits).unwrap();
        let chrono = chrono::Timelike::with_nanosecond(&chrono, subsecond);
        prop_assert_eq!(CalendarDigits::from(chrono.unwrap()), digits);
        let time = PrimitiveDateTime::try_from(digits).unwrap();
        let time = time.replace_nanosecond(subsecond);
        prop_assert_eq!(CalendarDigits::from(time.unwrap()), digits);
    }
}

#[test]
fn limits_of_every_type_convert() {
    for (civil, text) in [
        (DateTime::MIN, "-9999-01-01 00:00:00.000"),
        (DateTime::MAX, "9999-12-31 23:59:59.999"),
        (DateTime::ZERO, "0000-01-01 00:00:00.000"),
    ] {
        assert_eq!(CalendarDigits::from(civil).to_string(), text);
    }
    for (civil, text) in [
        (NaiveDateTime::MIN, "-262143-01-01 00:00:00.000"),
        (NaiveDateTime::MAX, "+262142-12-31 23:59:59.999"),
    ] {
        assert_eq!(CalendarDigits::from(civil).to_string(), text);
    }
    for civil in [PrimitiveDateTime::MIN, PrimitiveDateTime::MAX] {
        let digits = CalendarDigits::from(civil);
        assert_eq!((digits.year(), digits.month()), (civil.year(), civil.month().into()));
        assert_all_round_trips(digits);
    }
    for digits in [
        CalendarDigits::MIN,
        CalendarDigits::MAX,
        CalendarDigits::from(DateTime::MIN),
        CalendarDigits::from(DateTime::MAX),
        CalendarDigits::from(NaiveDateTime::MIN),
        CalendarDigits::from(NaiveDateTime::MAX),
    ] {
        assert_all_round_trips(digits);
    }
}

#[test]
fn leap_seconds_become_the_last_millisecond_of_the_minute() {
    let leap: NaiveDateTime = "2016-12-31T23:59:60.123".parse().unwrap();
    assert_eq!(CalendarDigits::from(leap).to_string(), "2016-12-31 23:59:59.999");
}

#[test]
fn years_out_of_range_fail_with_the_name_of_the_type() {
    for (year, jiff) in [
        (10_000, "year 10000 is out of range for `jiff::civil::DateTime`: expected -9999 to 9999"),
        (
            -10_000,
            "year -10000 is out of range for `jiff::civil::DateTime`: expected -9999 to 9999",
        ),
        (32_768, "year 32768 is out of range for `jiff::civil::DateTime`: expected -9999 to 9999"),
    ] {
        let digits = CalendarDigits::new(year, 1, 1, 0, 0, 0, 0).unwrap();
        assert_eq!(DateTime::try_from(digits).unwrap_err().to_string(), jiff);
    }
    let digits = CalendarDigits::MAX;
    assert_eq!(
        NaiveDateTime::try_from(digits).unwrap_err().to_string(),
        "year 292278994 is out of range for `chrono::NaiveDateTime`: expected -262143 to 262142"
    );
    let message = PrimitiveDateTime::try_from(digits).unwrap_err().to_string();
    let expected = "year 292278994 is out of range for `time::PrimitiveDateTime`: expected -";
    assert!(message.starts_with(expected), "{message}");
}

proptest! {
    #[test]
    fn milliseconds_of_a_system_time_are_rounded_down(millis in millis(), nanos in 0..1_000_000_u64) {
        if let Some(time) = system_time(millis) {
            let later = time + Duration::from_nanos(nanos);
            prop_assert_eq!(unix_millis(later), millis);
            prop_assert_eq!(unix_millis(time), millis);
        }
    }
}

#[test]
fn system_times_beyond_all_milliseconds_saturate() {
    let year = Duration::from_hours(365 * 24);
    let millennia = year * 1_000_000_000;
    if let Some(late) = SystemTime::UNIX_EPOCH.checked_add(millennia) {
        assert_eq!(unix_millis(late), i64::MAX);
    }
    if let Some(early) = SystemTime::UNIX_EPOCH.checked_sub(millennia) {
        assert_eq!(unix_millis(early), i64::MIN);
    }
}
