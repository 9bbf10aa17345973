//! [`Effect`]: what a clock change does to events.

use millicron::zone::{ClockChange, Surprise};
use millicron::{CalendarDigits, Zone, ZonedSchedule};
use serde::Serialize;

use crate::times::{Event, date_and_time, time_of_day};

/// What a clock change does to one event, or alike to several in a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Effect {
    /// The clock change: `2026-03-29: the clocks go from 02:00 to 03:00`.
    pub change: String,
    /// The time of the first of these events in the schedule.
    pub first: String,
    /// The time of the last one, if there are several.
    pub last: Option<String>,
    /// How many there are.
    pub count: u32,
    /// What happens to them: `fires at the first instant after the gap`.
    pub effect: String,
    /// When the first of them fires, if it does.
    pub fires: Option<Event>,
}

/// For how long the effects of clock changes are listed, in milliseconds: two years.
const HORIZON: i64 = 2 * 366 * 86_400_000;

/// More events than that are not read. A schedule that fires each millisecond has 3.6 million in an hour.
const MOST_EVENTS: usize = 20_000;

/// Lists what the clock changes of the next two years do to a schedule.
pub(crate) fn effects<Z: Zone>(
    schedule: &ZonedSchedule<Z>,
    now: i64,
    shown: &impl Zone,
) -> Vec<Effect> {
    let mut runs: Vec<Run> = Vec::new();
    for surprise in schedule.surprises(now..now.saturating_add(HORIZON)).take(MOST_EVENTS) {
        match runs.last_mut() {
            Some(run) if run.continues(&surprise) => {
                run.count += 1;
                run.last = surprise.civil;
            }
            _ => runs.push(Run { count: 1, last: surprise.civil, first: surprise }),
        }
    }
    runs.into_iter().map(|run| run.effect(shown)).collect()
}

/// Events in a row that one clock change affects in the same way.
struct Run {
    first: Surprise<i64>,
    last: CalendarDigits,
    count: u32,
}

impl Run {
    fn continues(&self, next: &Surprise<i64>) -> bool {
        self.first.clocks == next.clocks && self.first.effect == next.effect
    }

    fn effect(&self, shown: &impl Zone) -> Effect {
        let Surprise { civil, instant, effect, clocks, .. } = self.first;
        Effect {
            change: change_text(clocks),
            first: date_and_time(civil),
            last: (self.count > 1).then(|| time_of_day(self.last)),
            count: self.count,
            effect: effect.to_string(),
            fires: instant.map(|instant| Event::new(instant, shown)),
        }
    }
}

/// Writes a clock change, with the second date only if it is another one.
fn change_text(ClockChange { from, to }: ClockChange) -> String {
    let (date, start) = split(from);
    let (end_date, end) = split(to);
    if date == end_date {
        format!("{date}: the clocks go from {start} to {end}")
    } else {
        format!("{date}: the clocks go from {start} to {end} on {end_date}")
    }
}

/// Writes a date, and a time without seconds that are 0, as those of most clock changes are.
fn split(digits: CalendarDigits) -> (String, String) {
    let text = date_and_time(digits);
    let (date, time) = text.split_once(' ').unwrap_or((&text, ""));
    let time = time.strip_suffix(":00").unwrap_or(time);
    (date.to_owned(), time.to_owned())
}
