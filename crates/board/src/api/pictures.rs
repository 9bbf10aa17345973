//! Pictures of jobs.

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use jiff::tz::TimeZone;
use millicron_pictures::{ClockChanges, Graph, GraphJob, GraphNeed, Picture, YearCalendar};
use serde::Deserialize;

use super::clocks::AHEAD;
use super::name::JobName;
use crate::asked::now;
use crate::failure::Failure;
use crate::shared::Shared;
use crate::source::{Need, Pattern, Source, SourceError};
use crate::zone::time_zone;

/// The most jobs of a graph: placing them takes long.
const MOST_IN_GRAPH: usize = 200;

#[derive(Deserialize)]
pub(super) struct YearQuery {
    year: i32,
    #[serde(default)]
    zone: String,
    #[serde(default)]
    width: u32,
}

/// Draws the events of a job in a year.
pub(super) async fn year(
    State(shared): State<Arc<Shared>>,
    Path(JobName(name)): Path<JobName>,
    Query(query): Query<YearQuery>,
) -> Result<impl IntoResponse, Failure> {
    let zone = zone(&query.zone)?;
    let draw = move |source: &dyn Source| {
        let pattern = source.pattern(&name)?;
        let picture = pattern.map(|pattern| match pattern {
            // Counted by its rules rather than one by one.
            Pattern::Schedule(schedule) => YearCalendar::new(&schedule, &zone, query.year, &name),
            Pattern::Other(events) => YearCalendar::new(&*events, &zone, query.year, &name),
        });
        Ok(picture.map(|picture| picture.to_svg(width(query.width))))
    };
    shared.source.ask(draw).await?.map(svg).ok_or_else(Failure::no_job)
}

#[derive(Deserialize)]
pub(super) struct Size {
    #[serde(default)]
    width: u32,
}

/// Draws what clock changes do to the events of a job.
pub(super) async fn clock_changes(
    State(shared): State<Arc<Shared>>,
    Path(JobName(name)): Path<JobName>,
    Query(size): Query<Size>,
) -> Result<impl IntoResponse, Failure> {
    let draw = move |source: &dyn Source| {
        let Some(Pattern::Schedule(schedule)) = source.pattern(&name)? else { return Ok(None) };
        let from = now();
        let picture = ClockChanges::new(&schedule, from, from.saturating_add(AHEAD), &name);
        Ok(Some(picture.to_svg(width(size.width))))
    };
    shared.source.ask(draw).await?.map(svg).ok_or_else(Failure::no_job)
}

/// Draws what jobs need of each other.
pub(super) async fn graph(
    State(shared): State<Arc<Shared>>,
    Query(size): Query<Size>,
) -> Result<impl IntoResponse, Failure> {
    let title = shared.title.clone();
    let draw = move |source: &dyn Source| Ok(graph_of(source, &title)?.to_svg(width(size.width)));
    shared.source.ask(draw).await.map(svg)
}

fn graph_of(source: &dyn Source, title: &str) -> Result<Graph, SourceError> {
    let (mut places, mut jobs, mut needs) = (HashMap::new(), Vec::new(), Vec::new());
    let mut place = |name: &str| -> Result<Option<usize>, SourceError> {
        if let Some(place) = places.get(name) {
            return Ok(Some(*place));
        }
        if jobs.len() >= MOST_IN_GRAPH {
            return Ok(None);
        }
        let schedule = source.job(name)?.map_or_else(String::new, |job| job.schedule);
        jobs.push(GraphJob { name: name.to_owned(), schedule, runs: None });
        places.insert(name.to_owned(), jobs.len() - 1);
        Ok(Some(jobs.len() - 1))
    };
    for need in source.needs()? {
        if let (Some(from), Some(to)) = (place(&need.upstream)?, place(&need.downstream)?) {
            let Need { label, is_alternative, .. } = need;
            needs.push(GraphNeed { from, to, label, is_alternative });
        }
    }
    Ok(Graph::new(title, jobs, needs))
}

/// Returns a time zone by its name or its offset; UTC if it has none.
pub(super) fn zone(name: &str) -> Result<TimeZone, Failure> {
    if name.is_empty() {
        return Ok(TimeZone::UTC);
    }
    let unknown = || Failure::new(StatusCode::BAD_REQUEST, "this time zone is not known here");
    time_zone(name).ok_or_else(unknown)
}

/// Returns the width of a picture in pixels.
pub(super) fn width(asked: u32) -> u32 {
    asked.clamp(300, 2000)
}

/// Returns a picture as a response. The page takes its styles out of it, and it has no scripts.
pub(super) fn svg(text: String) -> impl IntoResponse {
    let policy = "default-src 'none'; sandbox";
    let headers =
        [(header::CONTENT_TYPE, "image/svg+xml"), (header::CONTENT_SECURITY_POLICY, policy)];
    (headers, text)
}
