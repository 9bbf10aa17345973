//! Calendar functions for every day, and `CalendarDigits` up to the limits of `i64`.

use crate::support::oracle::calendar::days;
use millicron::calendar::{civil_date, day_number, days_in_month, is_leap_year, weekday};
use millicron::{CalendarDigits, DigitsError, Field};

const DAY: i64 = 86_400_000;

/// Returns reproducible pseudo-random instants over the whole range of `i64` (xorshift).
fn sample_instants(count: usize) -> impl Iterator<Item = i64> {
    let next = |state: &u64| {
        let mut state = *state;
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        Some(state)
    };
    std::iter::successors(Some(0x9e37_79b9_7f4a_7c15), next).take(count).map(u64::cast_signed)
}

fn digits(text: &str) -> CalendarDigits {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn noon(year: i32, month: u8, day: u8) -> Result<CalendarDigits, DigitsError> {
    CalendarDigits::new(year, month, day, 12, 0, 0, 0)
}

#[test]
fn every_day_from_2000_to_2100_matches_the_oracle() {
    for date in days() {
        let year = i32::try_from(date.year).unwrap();
        let month = u8::try_from(date.month).unwrap();
        let day = u8::try_from(date.day).unwrap();
        assert_eq!(day_number(year, month, day), date.number);
        assert_eq!(civil_date(date.number), (year, month, day));
        assert_eq!(usize::from(weekday(date.number)), date.weekday);
        assert_eq!(days_in_month(year, month) == day, date.last_of_month);

        let noon = noon(year, month, day).unwrap();
        assert_eq!(noon.to_millis(), date.number * DAY + DAY / 2);
        assert_eq!(CalendarDigits::from_millis(noon.to_millis()), noon);
        assert_eq!(usize::from(noon.weekday()), date.weekday);
    }
    assert_eq!(days().len(), 36_890);
}

#[test]
fn every_year_from_2000_to_2100_matches_the_oracle() {
    for year in 2000..=2100 {
        let of_year = days().iter().filter(|date| i32::try_from(date.year) == Ok(year));
        let of_year: Vec<_> = of_year.collect();
        assert_eq!(is_leap_year(year), of_year.len() == 366, "{year}");
    }
}

#[test]
fn consecutive_days_around_year_0_are_numbered_in_order() {
    let (mut year, mut month, mut day) = (-500, 1, 1);
    let first = day_number(year, month, day);
    // 2000 years are five 400-year cycles of 146 097 days.
    assert_eq!(first, day_number(1500, 1, 1) - 5 * 146_097);
    for number in first..first + 365_242 {
        assert_eq!(civil_date(number), (year, month, day));
        assert_eq!(day_number(year, month, day), number);
        assert_eq!(weekday(number + 1), (weekday(number) + 1) % 7);
        day += 1;
        if day > days_in_month(year, month) {
            (month, day) = (month + 1, 1);
        }
        if month > 12 {
            (year, month) = (year + 1, 1);
        }
    }
    assert_eq!((year, month, day), (499, 12, 31));
}

#[test]
fn days_in_month_handles_leap_years_and_unknown_months() {
    let lengths = |year| (1..=12).map(|month| days_in_month(year, month)).collect::<Vec<_>>();
    assert_eq!(lengths(2023), [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]);
    assert_eq!(lengths(2024), [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]);
    for (year, february) in
        [(1900, 28), (2000, 29), (2100, 28), (0, 29), (-1, 28), (-4, 29), (-100, 28), (-400, 29)]
    {
        assert_eq!(days_in_month(year, 2), february, "{year}");
        assert_eq!(is_leap_year(year), february == 29, "{year}");
    }
    for month in (13..=u8::MAX).chain([0]) {
        assert_eq!(days_in_month(2024, month), 0, "{month}");
    }
}

#[test]
fn day_numbers_and_weekdays_match_known_dates() {
    for (year, month, day, number, of_week) in [
        (1970, 1, 1, 0, 4),
        (1969, 12, 31, -1, 3),
        (1968, 2, 29, -672, 4),
        (2000, 2, 29, 11_016, 2),
        (2000, 3, 1, 11_017, 3),
        (2001, 9, 9, 11_574, 0),
        (1600, 1, 1, -135_140, 6),
        (1, 1, 1, -719_162, 1),
        (0, 3, 1, -719_468, 3),
    ] {
        assert_eq!(day_number(year, month, day), number, "{year}-{month}-{day}");
        assert_eq!(civil_date(number), (year, month, day));
        assert_eq!(weekday(number), of_week, "{year}-{month}-{day}");
    }
}

#[test]
fn conversions_are_exact_up_to_the_limits_of_i64() {
    assert_eq!(CalendarDigits::from_millis(i64::MAX).to_string(), "+292278994-08-17 07:12:55.807");
    assert_eq!(CalendarDigits::from_millis(i64::MIN).to_string(), "-292275055-05-16 16:47:04.192");
    assert_eq!(CalendarDigits::MAX.to_millis(), i64::MAX);
    assert_eq!(CalendarDigits::MIN.to_millis(), i64::MIN);
    for near in [i64::MIN, i64::MIN + DAY, -DAY, 0, i64::MAX - DAY, i64::MAX] {
        for by in (-3..=3).chain([-DAY, DAY]) {
            round_trip(near.saturating_add(by));
        }
    }
    for day in [i64::MIN.div_euclid(DAY), i64::MIN / DAY, i64::MAX / DAY] {
        let (year, month, of_month) = civil_date(day);
        assert_eq!(day_number(year, month, of_month), day);
    }
}

#[test]
fn instants_round_trip_and_keep_their_order() {
    let instants: Vec<i64> = sample_instants(100_000).collect();
    for &at in &instants {
        round_trip(at);
        round_trip(at >> 20); // within about 280 years of 1970
    }
    for pair in instants.windows(2) {
        for shift in [0, 20, 30] {
            let (a, b) = (pair[0] >> shift, pair[1] >> shift);
            let (of_a, of_b) = (CalendarDigits::from_millis(a), CalendarDigits::from_millis(b));
            assert_eq!(of_a.cmp(&of_b), a.cmp(&b), "{of_a} and {of_b}");
        }
    }
}

/// Asserts that an instant survives conversion to digits and back, directly, by field and as text.
fn round_trip(at: i64) {
    let all = CalendarDigits::from_millis(at);
    assert_eq!(all.to_millis(), at);
    assert_eq!(digits(&all.to_string()), all);
    let rebuilt = CalendarDigits::new(
        all.year(),
        all.month(),
        all.day(),
        all.hour(),
        all.minute(),
        all.second(),
        all.millisecond(),
    );
    assert_eq!(rebuilt, Ok(all));
    let time = i64::from(all.hour()) * 3_600_000
        + i64::from(all.minute()) * 60_000
        + i64::from(all.second()) * 1000
        + i64::from(all.millisecond());
    assert_eq!(time, at.rem_euclid(DAY));
    assert_eq!(day_number(all.year(), all.month(), all.day()), at.div_euclid(DAY));
    assert_eq!(all.weekday(), weekday(at.div_euclid(DAY)));
}

#[test]
fn fields_out_of_range_are_rejected() {
    let new = CalendarDigits::new;
    for (wrong, field) in [
        (new(2021, 0, 1, 0, 0, 0, 0), Field::Month),
        (new(2021, 13, 1, 0, 0, 0, 0), Field::Month),
        (new(2021, 255, 1, 0, 0, 0, 0), Field::Month),
        (new(2021, 1, 0, 0, 0, 0, 0), Field::Day),
        (new(2021, 1, 32, 0, 0, 0, 0), Field::Day),
        (new(2021, 4, 31, 0, 0, 0, 0), Field::Day),
        (new(2021, 2, 29, 0, 0, 0, 0), Field::Day),
        (new(2100, 2, 29, 0, 0, 0, 0), Field::Day),
        (new(2020, 2, 30, 0, 0, 0, 0), Field::Day),
        (new(2021, 1, 1, 24, 0, 0, 0), Field::Hour),
        (new(2021, 1, 1, 0, 60, 0, 0), Field::Minute),
        (new(2021, 1, 1, 0, 0, 60, 0), Field::Second),
        (new(2021, 1, 1, 0, 0, 0, 1000), Field::Millisecond),
        (new(i32::MAX, 1, 1, 0, 0, 0, 0), Field::Year),
        (new(i32::MIN, 1, 1, 0, 0, 0, 0), Field::Year),
        // Just beyond either limit.
        (new(292_278_994, 8, 17, 7, 12, 55, 808), Field::Year),
        (new(-292_275_055, 5, 16, 16, 47, 4, 191), Field::Year),
        (new(-292_275_055, 1, 1, 0, 0, 0, 0), Field::Year),
    ] {
        let error = wrong.unwrap_err();
        assert_eq!(error.field(), Some(field), "{error}");
        assert!(error.to_string().contains(&field.to_string()), "{error}");
    }
    assert!(noon(2020, 2, 29).is_ok() && noon(2000, 2, 29).is_ok());
}

#[test]
fn years_outside_0_to_9999_are_written_with_a_sign() {
    for (year, text) in [
        (2021, "2021-02-28 12:00:00.000"),
        (9999, "9999-02-28 12:00:00.000"),
        (10_000, "+10000-02-28 12:00:00.000"),
        (12_345, "+12345-02-28 12:00:00.000"),
        (987, "0987-02-28 12:00:00.000"),
        (0, "0000-02-28 12:00:00.000"),
        (-1, "-0001-02-28 12:00:00.000"),
        (-12_345, "-12345-02-28 12:00:00.000"),
    ] {
        let noon = noon(year, 2, 28).unwrap();
        assert_eq!(noon.to_string(), text);
        assert_eq!(text.parse(), Ok(noon));
    }
    assert_eq!(
        CalendarDigits::new(2001, 2, 3, 4, 5, 6, 7).map(|digits| digits.to_string()),
        Ok("2001-02-03 04:05:06.007".to_owned())
    );
}

#[test]
fn malformed_dates_and_times_are_rejected() {
    for text in [
        "",
        "2021-02-28",
        "12:00:00.000",
        "2021-2-28 12:00:00.000",
        "2021-02-28 12:00:00.0000",
        "2021-02-28 12:00:00,000",
        "2021/02/28 12:00:00.000",
        "2021-02-28 12-00-00.000",
        " 2021-02-28 12:00:00.000",
        "2021-02-28 12:00:00.000 ",
        "2021-02-28 12:00:00.-00",
        "2021-02-28 +2:00:00.000",
        "10000-02-28 12:00:00.000",
        "+2021-02-28 12:00:00.000",
        "-0000-02-28 12:00:00.000",
        "21-02-28 12:00:00.000",
        "２021-02-28 12:00:00.000",
        "2021-02-28 12:00:00.00é",
        "2021-02-29 12:00:00.000",
        "2021-13-01 12:00:00.000",
        "2021-02-28 24:00:00.000",
        "2021-02-28 12:60:00.000",
        "2021-02-28 12:00:60.000",
        "+292278994-08-17 07:12:55.808",
        "-292275055-05-16 16:47:04.191",
        "+99999999999999999999-01-01 00:00:00.000",
    ] {
        let error = text.parse::<CalendarDigits>().unwrap_err();
        assert!(!error.to_string().is_empty(), "{text:?}");
    }
}

#[test]
fn milliseconds_are_optional_and_a_t_may_separate_date_and_time() {
    let noon = noon(2021, 2, 28).unwrap();
    for text in [
        "2021-02-28 12:00:00",
        "2021-02-28T12:00:00",
        "2021-02-28 12:00:00.000",
        "2021-02-28T12:00:00.000",
    ] {
        assert_eq!(text.parse(), Ok(noon), "{text}");
    }
    assert_eq!(digits("-12345-02-28T12:00:00.007").to_string(), "-12345-02-28 12:00:00.007");
}

#[test]
fn parse_errors_name_the_field_and_the_expected_form() {
    const FORM: &str =
        "expected a date and time such as `2021-02-28 12:00:00` or `2021-02-28T12:00:00.000`";
    const MILLISECONDS: &str = "expected three digits of milliseconds, as in `12:00:00.500`";
    const ZONE: &str =
        "expected a date and time without a time zone or offset, such as `2021-02-28 12:00:00`";
    const YEAR: &str = "year is out of range: expected -292275055-05-16 16:47:04.192 to \
                        +292278994-08-17 07:12:55.807";
    for (text, field, message) in [
        ("2021-00-01 00:00:00", Some(Field::Month), "month 0 is out of range: expected 1-12"),
        ("2021-13-01 00:00:00", Some(Field::Month), "month 13 is out of range: expected 1-12"),
        (
            "2021-02-29 00:00:00",
            Some(Field::Day),
            "day of month 29 is out of range: expected 1-28 in February 2021",
        ),
        (
            "2024-02-00 00:00:00",
            Some(Field::Day),
            "day of month 0 is out of range: expected 1-29 in February 2024",
        ),
        (
            "2021-11-31 00:00:00",
            Some(Field::Day),
            "day of month 31 is out of range: expected 1-30 in November 2021",
        ),
        ("2021-02-28 24:00:00", Some(Field::Hour), "hour 24 is out of range: expected 0-23"),
        ("2021-02-28 12:60:00", Some(Field::Minute), "minute 60 is out of range: expected 0-59"),
        ("2021-02-28 12:00:60", Some(Field::Second), "second 60 is out of range: expected 0-59"),
        ("+292278994-08-17 07:12:55.808", Some(Field::Year), YEAR),
        ("+99999999999999999999-01-01 00:00:00", Some(Field::Year), YEAR),
        ("-2147483648-01-01 00:00:00", Some(Field::Year), YEAR),
        ("", None, FORM),
        ("noon", None, FORM),
        ("2021-02-28", None, FORM),
        ("2021-02-28 12:00", None, FORM),
        ("2021-2-28 12:00:00", None, FORM),
        ("2021-02-28t12:00:00", None, FORM),
        ("2021-02-28  12:00:00", None, FORM),
        ("2021-02-28 12:00:00\n", None, FORM),
        ("2021-02-28 12:00:00,000", None, FORM),
        ("+00021-02-28 12:00:00", None, FORM),
        ("2021.02.28 12:00:00", None, FORM),
        ("2021-02-28 12:00:00.", None, MILLISECONDS),
        ("2021-02-28 12:00:00.5", None, MILLISECONDS),
        ("2021-02-28 12:00:00.123456", None, MILLISECONDS),
        ("2021-02-28T12:00:00.5Z", None, MILLISECONDS),
        ("2021-02-28T12:00:00Z", None, ZONE),
        ("2021-02-28T12:00:00.000+01:00", None, ZONE),
        ("2021-02-28T12:00:00-05:00[America/New_York]", None, ZONE),
        ("2021-02-28 12:00:00 UTC", None, ZONE),
        ("2021-02-28 12:00:00 Europe/Berlin", None, ZONE),
    ] {
        let error = text.parse::<CalendarDigits>().expect_err(text);
        assert_eq!(error.to_string(), message, "{text:?}");
        assert_eq!(error.field(), field, "{text:?}");
    }
    let error = CalendarDigits::new(2021, 1, 1, 0, 0, 0, 1000).unwrap_err();
    assert_eq!(error.to_string(), "millisecond 1000 is out of range: expected 0-999");
}

#[test]
fn calendar_digits_convert_in_constants() {
    const NOON: CalendarDigits = match CalendarDigits::new(2021, 2, 28, 12, 0, 0, 0) {
        Ok(noon) => noon,
        Err(_) => panic!("not a valid date"),
    };
    const MILLIS: i64 = NOON.to_millis();
    const ROUND_TRIP: CalendarDigits = CalendarDigits::from_millis(MILLIS);
    assert_eq!(MILLIS, 1_614_513_600_000);
    assert_eq!(ROUND_TRIP, NOON);
}
