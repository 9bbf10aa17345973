//! Actions on jobs.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{MethodRouter, post};

use super::name::JobName;
use crate::failure::Failure;
use crate::shared::Shared;
use crate::source::{Action, NotOffered, Source};

type Answer = Result<StatusCode, Failure>;

/// Returns the route of an action on a job.
pub(super) fn on_job(action: Action) -> MethodRouter<Arc<Shared>> {
    post(async move |State(shared): State<Arc<Shared>>, Path(JobName(job)): Path<JobName>| {
        act(&shared, job, action).await
    })
}

pub(super) async fn cancel(
    State(shared): State<Arc<Shared>>,
    Path((JobName(job), run)): Path<(JobName, i64)>,
) -> Answer {
    act(&shared, job, Action::Cancel { run }).await
}

async fn act(shared: &Shared, job: String, action: Action) -> Answer {
    let act = move |source: &dyn Source| {
        let is_offered = source.actions().contains(&action.kind());
        if is_offered { source.act(&job, action) } else { Err(NotOffered.into()) }
    };
    let is_done = shared.source.ask(act).await?;
    shared.feed.hurry();
    if is_done {
        Ok(StatusCode::NO_CONTENT)
    } else {
        let message = "there is no such job or run any more, or nothing to do for it";
        Err(Failure::new(StatusCode::NOT_FOUND, message))
    }
}
