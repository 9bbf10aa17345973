//! `millicron watch`.

use std::io::{self, IsTerminal, Write};
use std::thread::sleep;
use std::time::Duration;

use clap::Args;
use jiff::{SignedDuration, Timestamp};
use millicron_pictures::Length;
use serde::Serialize;

use crate::error::{Error, note};
use crate::output::{BOLD, DIM, Output};
use crate::query::clock::timestamp;
use crate::query::events::{EventJson, EventWriter, NO_EVENT};
use crate::query::schedule::ScheduleArguments;
use crate::times::{Now, positive};

/// Show a countdown to each event, and how late it was seen
///
/// In a terminal, the countdown is live. Otherwise, each event is one line, written when it occurs.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  millicron watch '*/5 * * * *'
  millicron watch '*:*:*/10' -n 3 --json")]
pub(crate) struct Watch {
    #[command(flatten)]
    schedule: ScheduleArguments,

    /// Stop after this many events [default: run until stopped]
    #[arg(short = 'n', long, value_parser = positive, allow_hyphen_values = true)]
    number: Option<usize>,
}

/// An event that has occurred.
#[derive(Serialize)]
struct SeenJson {
    #[serde(flatten)]
    event: EventJson,
    /// How long after the event it was seen.
    late_ms: f64,
}

impl Watch {
    pub(crate) fn run(self, now: &Now, output: &mut Output) -> Result<(), Error> {
        let read = self.schedule.read()?;
        let mut writer = EventWriter::new(&read);
        let is_live = io::stdout().is_terminal() && !output.is_json();
        let start = now.millis(&read.shown)?;
        let clock = WatchClock::starting_at(start);
        let events = read.schedule.events(start..).take(self.number.unwrap_or(usize::MAX));
        // Overwrite the countdown: an escape sequence that clears it would be stripped along with the colors.
        let mut shown = 0;
        let mut left = events.peekable();
        if left.peek().is_none() && !output.is_json() {
            note(NO_EVENT);
        }
        for event in left {
            while let Some(left) = clock.until(event) {
                if is_live {
                    let text =
                        format!("{}  in {}", writer.text(event), Length::from(rounded_up(left)));
                    write!(output, "\r{BOLD}{text:shown$}{BOLD:#}")?;
                    output.flush()?;
                    shown = text.len();
                }
                sleep(pause(left, is_live));
            }
            let late_ms = clock.since(event).as_millis_f64();
            if output.is_json() {
                output.json(&SeenJson { event: writer.json(event), late_ms })?;
            } else {
                let remark = writer.remark(event).map(|it| format!(", {it}")).unwrap_or_default();
                let late = format!("{late_ms:.3} ms late{remark}");
                let (text, start) = (writer.text(event), if is_live { "\r" } else { "" });
                let rest = shown.saturating_sub(text.len() + 2);
                writeln!(output, "{start}{text}  {DIM}{late:rest$}{DIM:#}")?;
            }
            output.flush()?;
        }
        Ok(())
    }
}

/// The system clock, shifted by how far `--now` was ahead of it.
struct WatchClock {
    ahead: SignedDuration,
}

impl WatchClock {
    fn starting_at(start: i64) -> Self {
        let ahead = timestamp(start).duration_since(Timestamp::now());
        // Without `--now`, the difference is just the program's start-up time.
        let is_chosen = ahead.abs() >= SignedDuration::from_secs(1);
        Self { ahead: if is_chosen { ahead } else { SignedDuration::ZERO } }
    }

    /// Returns the time since an event.
    fn since(&self, event: i64) -> SignedDuration {
        Timestamp::now().duration_since(timestamp(event)).saturating_add(self.ahead)
    }

    /// Returns how long it is until an event, unless it has passed.
    fn until(&self, event: i64) -> Option<Duration> {
        Duration::try_from(-self.since(event)).ok().filter(|left| !left.is_zero())
    }
}

/// Returns how long to sleep: until the event or, in a terminal, until the countdown changes, but at most a second so
/// that adjustments of the system clock are noticed.
fn pause(left: Duration, is_live: bool) -> Duration {
    const MOST: Duration = Duration::from_secs(1);
    let part = Duration::from_nanos(left.subsec_nanos().into());
    if is_live && left > MOST && !part.is_zero() { part } else { left.min(MOST) }
}

/// Rounds a duration up to whole seconds, as a countdown shows it.
fn rounded_up(left: Duration) -> Duration {
    Duration::from_secs(left.as_secs() + u64::from(left.subsec_nanos() > 0))
}
