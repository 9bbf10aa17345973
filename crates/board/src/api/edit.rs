//! Creating and changing schedules.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde_json::{Value, json};

use super::clocks;
use super::name::JobName;
use crate::asked::now;
use crate::failure::Failure;
use crate::shared::Shared;
use crate::source::{Draft, Editor, NotOffered, Source, SourceError};

/// How many events a preview lists.
const UPCOMING: usize = 5;

/// Returns what a draft means.
pub(super) async fn preview(
    State(shared): State<Arc<Shared>>,
    Json(draft): Json<Draft>,
) -> Result<Json<Value>, Failure> {
    let answer = shared.source.ask(move |source| {
        let preview = editor(source)?.preview(&draft)?;
        Ok(json!({
            "description": preview.description,
            "upcoming": clocks::upcoming(&preview.pattern, now(), UPCOMING),
            "clockChanges": clocks::changes(&preview.pattern, now()),
        }))
    });
    answer.await.map(Json)
}

/// Returns the draft of a job.
pub(super) async fn draft(
    State(shared): State<Arc<Shared>>,
    Path(JobName(job)): Path<JobName>,
) -> Result<Json<Draft>, Failure> {
    let draft = shared.source.ask(move |source| editor(source)?.draft(&job)).await?;
    draft.map(Json).ok_or_else(Failure::no_job)
}

/// Creates or changes a job.
pub(super) async fn store(
    State(shared): State<Arc<Shared>>,
    Path(JobName(job)): Path<JobName>,
    Json(draft): Json<Draft>,
) -> Result<StatusCode, Failure> {
    if draft.name != job {
        let message = "a job cannot be renamed";
        return Err(Failure::new(StatusCode::UNPROCESSABLE_ENTITY, message));
    }
    shared.source.ask(move |source| editor(source)?.store(&draft)).await?;
    shared.feed.hurry();
    Ok(StatusCode::NO_CONTENT)
}

/// Removes a job.
pub(super) async fn remove(
    State(shared): State<Arc<Shared>>,
    Path(JobName(job)): Path<JobName>,
) -> Result<StatusCode, Failure> {
    let is_removed = shared.source.ask(move |source| editor(source)?.remove(&job)).await?;
    shared.feed.hurry();
    if is_removed { Ok(StatusCode::NO_CONTENT) } else { Err(Failure::no_job()) }
}

fn editor(source: &dyn Source) -> Result<&dyn Editor, SourceError> {
    source.editor().ok_or_else(|| NotOffered.into())
}
