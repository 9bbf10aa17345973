//! Schedules with a zone in files: their texts, and the errors for bad ones.

use std::collections::BTreeMap;
use std::error::Error;

use chrono_tz::Tz;
use jiff::tz::{Offset, TimeZone};
use millicron::serde::ScheduleSeed;
use millicron::{Calendar, ChronoZone, Fold, Gap, Schedule, ZonedSchedule};
use serde_core::de::DeserializeSeed as _;
use serde_json::{from_str, from_value, json, to_string};

type Jiff = ZonedSchedule<TimeZone>;
type Chrono = ZonedSchedule<ChronoZone<Tz>>;

const TEXT: &str = "*.*.* Mon-Fri 09:30:00 America/New_York";
const CANONICAL: &str = "*.*.* 1-5 09:30:00 America/New_York";

#[test]
fn texts_are_read_and_written() -> Result<(), Box<dyn Error>> {
    let opening: Jiff = TEXT.parse()?;
    for (text, canonical) in [
        (TEXT, CANONICAL),
        (" *.*.*  1-5 9:30:0\tamerica/new_york", CANONICAL),
        ("1:0:0 UTC", "01:00:00 UTC"),
    ] {
        let zoned: Jiff = from_value(json!(text))?;
        assert_eq!(to_string(&zoned)?, format!("{canonical:?}"));
        assert_eq!(from_value::<Jiff>(json!(canonical))?, zoned);
        let zoned: Chrono = from_value(json!(text))?;
        assert_eq!(to_string(&zoned)?, format!("{canonical:?}"));
    }
    let table: BTreeMap<String, Jiff> = toml::from_str(&format!("at = {TEXT:?}"))?;
    assert_eq!(table["at"], opening);
    for yaml in [format!("at: {TEXT:?}"), format!("at: >\n  {}\n", TEXT.replace(' ', "\n  "))] {
        let table: BTreeMap<String, Jiff> = serde_yaml_ng::from_str(&yaml)?;
        assert_eq!(table["at"], opening, "{yaml}");
        let written = serde_yaml_ng::to_string(&table)?;
        assert_eq!(serde_yaml_ng::from_str::<BTreeMap<String, Jiff>>(&written)?, table);
    }
    Ok(())
}

#[test]
fn texts_with_calendars_are_read_back_with_a_seed() -> Result<(), Box<dyn Error>> {
    let calendars = [("nyse", Calendar::parse("*.*.* Mon-Fri\n- *.12.25")?)];
    let opening = Jiff::parse_with("*.*.* B#1 09:30:00 @nyse America/New_York", &calendars)?;
    let text = serde_json::to_value(&opening)?;
    assert_eq!(text, "*.*.* B#1 09:30:00 @nyse America/New_York");
    assert_eq!(ScheduleSeed::<Jiff>::new(&calendars).deserialize(&text)?, opening);
    assert!(from_value::<Jiff>(text).is_err());
    Ok(())
}

#[test]
fn errors_end_with_the_span_in_the_schedule() {
    for (text, span) in [
        ("*.*.* Mon-Fri 22-6:00:00 Europe/Berlin", "14..18"),
        ("12:00:00 Europe/Berlim", "9..22"),
        ("12:00:00", "8..8"),
        ("12:00:00 +02:00", "9..15"),
        ("Europe/Berlin 12:00:00", "0..13"),
    ] {
        let error = text.parse::<Jiff>().expect_err(text);
        let message = from_value::<Jiff>(json!(text)).expect_err(text).to_string();
        assert_eq!(message, format!("{error} (bytes {span} of the schedule)"));
        let message = from_value::<Chrono>(json!(text)).expect_err(text).to_string();
        assert_eq!(message, format!("{error} (bytes {span} of the schedule)"));
    }
}

#[test]
fn values_that_are_not_texts_are_answered_with_quotes() {
    let expected = "expected a schedule with a time zone in quotes, such as \
                    \"*.*.* Mon-Fri 09:30:00 America/New_York\"";
    for (json, found) in [("5", "integer `5`"), ("null", "null"), ("{}", "map"), ("[]", "sequence")]
    {
        let message = from_str::<Jiff>(json).expect_err(json).to_string();
        assert!(message.starts_with(&format!("invalid type: {found}, {expected}")), "{message}");
    }
    let error = toml::from_str::<BTreeMap<String, Jiff>>("at = 09:30:00").expect_err("no text");
    assert_eq!(error.message(), format!("invalid type: date or time, {expected}"));
    let example = expected.split('"').nth(1).expect("an example in quotes");
    assert!(example.parse::<Jiff>().is_ok(), "{example}");
}

#[test]
fn what_a_text_cannot_say_is_not_serialized() -> Result<(), Box<dyn Error>> {
    let noon: Schedule = "12:00:00".parse()?;
    let unnamed = to_string(&noon.in_zone(TimeZone::fixed(Offset::constant(2))));
    assert_eq!(
        unnamed.expect_err("no name").to_string(),
        "the time zone of the schedule has no name"
    );
    let berlin = noon.in_zone(TimeZone::get("Europe/Berlin")?);
    for zoned in [berlin.clone().with_gap(Gap::Skip), berlin.clone().with_fold(Fold::Both)] {
        let message = to_string(&zoned).expect_err("another policy").to_string();
        assert!(message.contains("gaps and folds"), "{message}");
    }
    assert!(to_string(&berlin.with_gap(Gap::Shift).with_fold(Fold::First)).is_ok());
    let union: Schedule = "09:00:00; 10:00:00".parse()?;
    let union = union.in_zone(TimeZone::get("Europe/Berlin")?);
    assert!(to_string(&union.clone().with_gap(Gap::Shift)).is_ok());
    assert!(to_string(&union.with_gap(Gap::Skip)).is_err());
    Ok(())
}
