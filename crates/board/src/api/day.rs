//! A day of all jobs.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::IntoResponse;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use millicron::{CalendarDigits, Recurrence};
use millicron_pictures::{Picture as _, Timeline, TimelineJob};
use serde::Deserialize;
use serde_json::{Value, json};

use super::pictures;
use crate::asked::now;
use crate::failure::Failure;
use crate::shared::Shared;
use crate::source::{Job, JobState, Pattern, Run, Source, SourceError};

/// The most jobs of a picture.
const MOST: usize = 200;
/// The most runs of a job that are looked at, the latest first.
const MOST_RUNS: usize = 2000;

#[derive(Deserialize)]
pub(super) struct DayQuery {
    date: Date,
    #[serde(default)]
    zone: String,
    #[serde(default)]
    search: String,
    #[serde(default)]
    width: u32,
}

/// Draws a day.
pub(super) async fn picture(
    State(shared): State<Arc<Shared>>,
    Query(query): Query<DayQuery>,
) -> Result<impl IntoResponse, Failure> {
    let width = pictures::width(query.width);
    let day = day(&shared, query).await?;
    Ok(pictures::svg(day.timeline.to_svg(width)))
}

/// Describes a day in words.
pub(super) async fn words(
    State(shared): State<Arc<Shared>>,
    Query(query): Query<DayQuery>,
) -> Result<Json<Value>, Failure> {
    let Day { timeline, starting, shown, matching } = day(&shared, query).await?;
    let description = timeline.description();
    Ok(Json(json!({
        "description": description, "jobs": starting, "shown": shown, "matching": matching,
    })))
}

struct Day {
    timeline: Timeline,
    /// The names of the shown jobs that start on this day.
    starting: Vec<String>,
    shown: usize,
    matching: usize,
}

async fn day(shared: &Shared, query: DayQuery) -> Result<Day, Failure> {
    let zone = pictures::zone(&query.zone)?;
    let day = shared.source.ask(move |source| draw(source, &query, &zone)).await?;
    let none = || Failure::new(StatusCode::BAD_REQUEST, "a day from 2000-01-01 to 2100-12-31");
    day.ok_or_else(none)
}

fn draw(
    source: &dyn Source,
    query: &DayQuery,
    zone: &TimeZone,
) -> Result<Option<Day>, SourceError> {
    // Each day begins on its own: the clocks may skip its midnight.
    let midnight = |date: Date| date.to_zoned_datetime(zone.clone());
    let Ok(start) = midnight(query.date) else { return Ok(None) };
    let end = query.date.tomorrow().and_then(midnight).unwrap_or_else(|_| start.clone());
    let first = CalendarDigits::from(query.date.at(0, 0, 0, 0));
    let range = [start, end].map(|it| it.timestamp().as_millisecond());
    let search = query.search.to_lowercase();
    let mut jobs = source.changes(None)?.jobs;
    jobs.retain(|job| matches(job, &search));
    jobs.sort_by(|one, other| one.name.cmp(&other.name));
    let (matching, now) = (jobs.len(), now());
    jobs.truncate(MOST);
    let mut rows = Vec::new();
    for job in jobs {
        let events = Events::of(source, &job, range, now)?;
        rows.push((job.name, events));
    }
    let [start, end] = range;
    let starts = |events: &Events| events.nearest_event(start).is_some_and(|first| first < end);
    let starting = rows.iter().filter(|(_, events)| starts(events)).map(|(name, _)| name.clone());
    let starting = starting.collect();
    let jobs =
        rows.iter().map(|(name, events)| TimelineJob { name, events, duration: events.duration() });
    let jobs = jobs.collect::<Vec<_>>();
    let timeline = Timeline::new(&jobs, zone, first, 1, &query.date.to_string());
    Ok(timeline.map(|timeline| Day { timeline, starting, shown: jobs.len(), matching }))
}

/// Whether the page finds a job with a text.
fn matches(job: &Job, search: &str) -> bool {
    let texts = [&job.name, &job.schedule, &job.description].into_iter().chain(&job.tags);
    search.is_empty() || texts.into_iter().any(|text| text.to_lowercase().contains(search))
}

/// When a job has started, and when it will.
struct Events {
    /// The recorded starts, in order.
    started: Vec<i64>,
    /// How long its runs took, in order.
    durations: Vec<i64>,
    pattern: Option<Pattern>,
    now: i64,
}

impl Events {
    fn of(
        source: &dyn Source,
        job: &Job,
        [start, end]: [i64; 2],
        now: i64,
    ) -> Result<Self, SourceError> {
        let runs = source.runs(&job.name, None, MOST_RUNS)?.runs;
        let mut durations: Vec<_> = runs.iter().filter_map(duration).collect();
        durations.sort_unstable();
        let longest = durations.last().copied().unwrap_or_default();
        let within = start.saturating_sub(longest)..end;
        let mut started: Vec<_> = runs.iter().filter_map(|run| run.started).collect();
        started.retain(|at| within.contains(at) && *at <= now);
        started.sort_unstable();
        // A job that is paused or has ended will not start.
        let is_waiting = job.state == JobState::Waiting;
        let pattern = if is_waiting { source.pattern(&job.name)? } else { None };
        Ok(Self { started, durations, pattern, now })
    }

    /// Returns how long a run takes: half of them took longer.
    fn duration(&self) -> Option<Duration> {
        let median = *self.durations.get(self.durations.len() / 2)?;
        Some(Duration::from_millis(median.try_into().ok()?))
    }
}

fn duration(run: &Run) -> Option<i64> {
    run.ended?.checked_sub(run.started?)
}

impl Recurrence for Events {
    fn next_event(&self, instant: i64) -> Option<i64> {
        let past = self.started.get(self.started.partition_point(|at| *at <= instant));
        past.copied()
            .or_else(|| self.pattern.as_ref()?.recurrence().next_event(instant.max(self.now)))
    }

    fn nearest_prev_event(&self, instant: i64) -> Option<i64> {
        let future = self.pattern.as_ref().filter(|_| instant > self.now);
        let future = future.and_then(|it| it.recurrence().nearest_prev_event(instant));
        future.filter(|at| *at > self.now).or_else(|| {
            let count = self.started.partition_point(|at| *at <= instant);
            self.started.get(count.checked_sub(1)?).copied()
        })
    }

    fn count(&self, range: RangeInclusive<i64>) -> u64 {
        let (start, end) = range.into_inner();
        let before = |bound| self.started.partition_point(|at| *at < bound);
        let past = before(end.saturating_add(1)).saturating_sub(before(start));
        let from = start.max(self.now.saturating_add(1));
        // A schedule counts events without visiting them.
        let pattern = self.pattern.as_ref().filter(|_| from <= end);
        past as u64 + pattern.map_or(0, |it| it.recurrence().count(from..=end))
    }
}
