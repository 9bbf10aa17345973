//! What becomes of events where the clocks of a zone change; README.md shows it.

use jiff::Zoned;
use jiff::tz::TimeZone;
use millicron::{Gap, Resolution, Schedule, schedule};

const NIGHTLY: Schedule = schedule!("2:30:00");
const HALF_PAST: Schedule = schedule!("*:30:00");

fn main() -> Result<(), jiff::Error> {
    // On 29 March the clocks of Berlin go from 02:00 to 03:00.
    let midnight: Zoned = "2026-03-29T00:00:00+01:00[Europe/Berlin]".parse()?;
    let shown = |event: Zoned| event.strftime("%d %H:%M %z").to_string();

    // Asked in a zoned type, answered in its zone.
    let next = NIGHTLY.next_event(&midnight).map(shown);
    assert_eq!(next.as_deref(), Some("29 03:00 +0200"));

    // What repeats each hour goes by real time: each is an hour after the last.
    let hours: Vec<String> = HALF_PAST.events(midnight.clone()..).take(3).map(shown).collect();
    assert_eq!(hours, ["29 00:30 +0100", "29 01:30 +0100", "29 03:30 +0200"]);

    // In a zone of your choice, with a choice of what to do, and with the story.
    let berlin = NIGHTLY.in_zone(TimeZone::get("Europe/Berlin")?);
    if let Some(story) = berlin.next_event(&midnight).and_then(|event| berlin.occurrence(event)) {
        assert_eq!(story.civil.to_string(), "2026-03-29 02:30:00.000");
        assert_eq!(story.resolution, Resolution::Shifted);
    }
    let strict = berlin.with_gap(Gap::Skip);
    assert_eq!(strict.next_event(&midnight).map(shown).as_deref(), Some("30 02:30 +0200"));
    Ok(())
}
