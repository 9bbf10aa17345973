//! Shows how events are handled when the clocks change.

use jiff::ZonedDateTime;
use jiff::tz::TimeZone;
use millicron::{Gap, Resolution, Schedule, schedule};

const NIGHTLY: Schedule = schedule!("2:30:00");
const HALF_PAST: Schedule = schedule!("*:30:00");

fn main() -> Result<(), jiff::Error> {
    // On 29 March 2026, the clocks in Berlin go from 02:00 to 03:00.
    let midnight: ZonedDateTime = "2026-03-29T00:00:00+01:00[Europe/Berlin]".parse()?;
    let format = |event: ZonedDateTime| event.strftime("%d %H:%M %z").to_string();

    // The fixed time does not exist that night: it moves to the end of the gap.
    let next = NIGHTLY.next_event(&midnight).map(format);
    assert_eq!(next.as_deref(), Some("29 03:00 +0200"));

    // The events of the repeating schedule stay an hour apart.
    let hours: Vec<String> = HALF_PAST.upcoming(&midnight).take(3).map(format).collect();
    assert_eq!(hours, ["29 00:30 +0100", "29 01:30 +0100", "29 03:30 +0200"]);

    // Choose a zone, and see how an event there was resolved.
    let berlin = NIGHTLY.in_zone(TimeZone::get("Europe/Berlin")?);
    let next = berlin.next_event(&midnight);
    if let Some(occurrence) = next.and_then(|event| berlin.occurrence(event)) {
        assert_eq!(occurrence.civil.to_string(), "2026-03-29 02:30:00.000");
        assert_eq!(occurrence.resolution, Resolution::Shifted);
    }

    // Handle the gap differently.
    let strict = berlin.with_gap(Gap::Skip);
    assert_eq!(strict.next_event(&midnight).map(format).as_deref(), Some("30 02:30 +0200"));
    Ok(())
}
