//! systemd timer units: see systemd.timer(5) and systemd.syntax(7).

use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use jiff::tz::TimeZone;
use millicron::{Dialect, Fold, Gap, Language};

use super::names::{Names, nearest};
use super::problem::Problem;
use super::{Contents, JobEntry, Policies, schedule};

/// The settings of the section `[Timer]`.
const KEYS: [&str; 17] = [
    "OnCalendar",
    "Unit",
    "RandomizedDelaySec",
    "RandomizedOffsetSec",
    "Persistent",
    "AccuracySec",
    "FixedRandomDelay",
    "DeferReactivation",
    "WakeSystem",
    "RemainAfterElapse",
    "OnClockChange",
    "OnTimezoneChange",
    "OnActiveSec",
    "OnBootSec",
    "OnStartupSec",
    "OnUnitActiveSec",
    "OnUnitInactiveSec",
];

/// Reads a timer unit. Each `OnCalendar=` line is a job.
pub(super) fn read(path: &Path, text: &str, zone: &TimeZone) -> Contents {
    let mut problems = Vec::new();
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    let mut timer = Timer { unit: stem.unwrap_or("timer").to_owned(), ..Timer::default() };
    let mut section = "";
    // Editors on Windows begin a file with a byte order mark.
    let mark = text.len() - text.trim_start_matches('\u{feff}').len();
    for line in lines(text) {
        let content = text.get(line.start.max(mark)..line.end).unwrap_or_default();
        if content.is_empty() || is_comment(content) {
            continue;
        }
        if let Some(name) = content.strip_prefix('[') {
            section = name.strip_suffix(']').unwrap_or(name);
            continue;
        }
        if section == "Timer" {
            timer.set(text, &line, &mut problems);
        }
    }
    let jobs = timer.jobs(zone, &mut problems);
    if !timer.is_triggered && problems.is_empty() {
        let message = "the timer has no line such as `OnCalendar=` in its `[Timer]` section";
        problems.push(Problem::warning("no-calendar", 0..0, message));
    }
    (jobs, problems)
}

/// A timer unit.
#[derive(Debug, Default)]
struct Timer {
    unit: String,
    /// The calendar events, and where they are.
    events: Vec<(Range<usize>, String)>,
    /// How many of the first events an empty line removes. They must be valid all the same.
    removed: usize,
    /// Whether anything starts the unit.
    is_triggered: bool,
    delay: Option<Duration>,
}

impl Timer {
    fn set(&mut self, text: &str, line: &Range<usize>, problems: &mut Vec<Problem>) {
        let content = &text[line.clone()];
        let Some((key, value)) = content.split_once('=') else {
            let message = "not a setting: expected `NAME=value`";
            problems.push(Problem::error("syntax", line.clone(), message));
            return;
        };
        let start = line.start + key.len() + 1 + (value.len() - value.trim_start().len());
        let key = key.trim_end();
        let value = value.trim();
        let span = start..start + value.len();
        let value = joined(value);
        let value = value.trim();
        match key {
            // An empty value removes the previous ones.
            "OnCalendar" if value.is_empty() => {
                self.removed = self.events.len();
                self.is_triggered = false;
            }
            "OnCalendar" => {
                self.is_triggered = true;
                self.events.push((span, value.to_owned()));
            }
            "Unit" => {
                let stem = value.rsplit_once('.').map_or(value, |(stem, _)| stem);
                stem.clone_into(&mut self.unit);
            }
            "RandomizedDelaySec" => match duration(value) {
                Ok(delay) => self.delay = Some(delay),
                Err(message) => problems.push(Problem::error("duration", span, message)),
            },
            key if KEYS.contains(&key) || key.starts_with("X-") => {
                self.is_triggered |= key.starts_with("On");
            }
            key => {
                let near = nearest(key, KEYS);
                let span = line.start..line.start + key.len();
                let message = format_args!("systemd ignores the unknown setting `{key}`");
                let problem = Problem::warning("unknown-setting", span, message);
                let hint = near.map(|near| format!("write `{near}`"));
                problems.push(problem.maybe_hint(hint));
            }
        }
    }

    fn jobs(&self, zone: &TimeZone, problems: &mut Vec<Problem>) -> Vec<JobEntry> {
        let (mut jobs, mut names) = (Vec::new(), Names::default());
        let language = Language::Dialect(Dialect::Systemd);
        for (index, (span, text)) in self.events.iter().enumerate() {
            let mut read = match schedule::read(text, Some(language), zone, &()) {
                Ok(read) => read,
                Err(_) if text.starts_with(['"', '\'']) => {
                    let message = "systemd reads the quotes as a part of the schedule";
                    let problem = Problem::error("schedule", span.clone(), message);
                    problems.push(problem.hint("write it without quotes"));
                    continue;
                }
                Err(problem) => {
                    let is_verbatim = span.len() == text.len();
                    problems.push(schedule::shift(problem, span, is_verbatim));
                    continue;
                }
            };
            if index < self.removed {
                continue;
            }
            // As systemd handles clock changes.
            read.schedule = read.schedule.with_gap(Gap::Skip).with_fold(Fold::First);
            let name = names.unique(&self.unit);
            jobs.push(JobEntry {
                policies: Policies { jitter: self.delay, ..Policies::default() },
                ..JobEntry::new(name, span.clone(), text.clone(), read)
            });
        }
        jobs
    }
}

/// Returns a value with a space in place of the end of each line that continues, without the comments in between.
fn joined(value: &str) -> String {
    let lines = value.lines().enumerate();
    // What follows `=` is no comment.
    let lines = lines.filter(|(index, line)| *index == 0 || !is_comment(line.trim_start()));
    let parts =
        lines.map(|(_, line)| line.trim_end()).map(|it| it.strip_suffix('\\').unwrap_or(it));
    parts.collect::<Vec<_>>().join(" ")
}

fn is_comment(content: &str) -> bool {
    content.starts_with(['#', ';'])
}

/// Returns the spans of the lines of a text, trimmed of white space. A line that ends with a backslash continues in
/// the next one that is no comment.
fn lines(text: &str) -> Vec<Range<usize>> {
    let mut lines: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    let mut goes_on = false;
    for line in text.split_inclusive('\n') {
        let content = line.trim();
        let begin = start + (line.len() - line.trim_start().len()).min(line.len());
        let end = begin + content.len();
        start += line.len();
        if goes_on && is_comment(content) {
            continue;
        }
        match lines.last_mut().filter(|_| goes_on) {
            // Comments in between are skipped, but part of the range.
            Some(last) if !content.is_empty() => last.end = end,
            _ => lines.push(begin..end),
        }
        goes_on = content.ends_with('\\') && !is_comment(content);
    }
    lines
}

/// Units of time spans, in seconds: see systemd.time(7).
const UNITS: [(&[&str], f64); 9] = [
    (&["us", "usec", "µs", "μs"], 1e-6),
    (&["ms", "msec"], 1e-3),
    (&["", "s", "sec", "second", "seconds"], 1.0),
    (&["m", "min", "minute", "minutes"], 60.0),
    (&["h", "hr", "hour", "hours"], 3600.0),
    (&["d", "day", "days"], 86_400.0),
    (&["w", "week", "weeks"], 604_800.0),
    (&["M", "month", "months"], 2_629_800.0),
    (&["y", "year", "years"], 31_557_600.0),
];

/// Parses a systemd time span, such as `90`, `1.5h`, `1month 2d` or `infinity`.
fn duration(value: &str) -> Result<Duration, String> {
    if value == "infinity" {
        return Ok(Duration::MAX);
    }
    finite_duration(value).ok_or_else(|| {
        format!("`{value}` is not a time span: expected one such as `90`, `1h 30min` or `2d`")
    })
}

fn finite_duration(value: &str) -> Option<Duration> {
    let mut rest = Some(value.trim_ascii()).filter(|value| !value.is_empty())?;
    let mut duration = Duration::ZERO;
    while !rest.is_empty() {
        let (number, after) = split_while(rest, |c| c.is_ascii_digit() || c == '.');
        let (unit, after) = split_while(after.trim_ascii_start(), char::is_alphabetic);
        let (_, seconds) = UNITS.into_iter().find(|(names, _)| names.contains(&unit))?;
        // Rust also reads `1.`.
        let number: f64 = Some(number).filter(|number| !number.ends_with('.'))?.parse().ok()?;
        duration = duration.checked_add(Duration::try_from_secs_f64(number * seconds).ok()?)?;
        rest = after.trim_ascii_start();
    }
    Some(duration)
}

/// Splits a text before the first other character.
fn split_while(text: &str, is_part: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|c| !is_part(c)).unwrap_or(text.len()))
}
