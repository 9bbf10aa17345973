//! What the page shows of jobs.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::header;
use axum::response::IntoResponse;
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::clocks;
use super::guard::Visitor;
use super::name::JobName;
use crate::asked::now;
use crate::failure::Failure;
use crate::shared::Shared;
use crate::source::{Changes, Job, Runs};

/// How many events the page lists.
const UPCOMING: usize = 10;
/// The most runs that a page of them has.
const MOST_RUNS: usize = 200;

/// Returns what the page needs before it shows anything.
pub(super) async fn board(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
) -> Result<Json<Value>, Failure> {
    let access = &shared.access;
    let (actions, can_edit) = if access.offers_actions() {
        shared
            .source
            .ask(|source| Ok((source.actions().to_vec(), source.editor().is_some())))
            .await?
    } else {
        (Vec::new(), false)
    };
    // What others might not know of is not told to those who may not read.
    let may_read = access.is_public || visitor.is_signed_in();
    let links = if may_read { &*shared.links } else { &[] };
    Ok(Json(json!({
        "title": shared.title,
        "epoch": shared.epoch,
        "now": now(),
        "actions": actions,
        "canEdit": can_edit,
        "isSignedIn": visitor.is_signed_in(),
        "needsToken": access.token.is_some() && (!access.is_public || access.has_actions),
        "links": links,
    })))
}

/// All jobs.
#[derive(Serialize)]
struct AllJobs {
    epoch: String,
    version: u64,
    now: i64,
    unlisted: u64,
    jobs: Vec<Job>,
}

/// Returns all jobs.
pub(super) async fn all(State(shared): State<Arc<Shared>>) -> Result<impl IntoResponse, Failure> {
    let epoch = shared.epoch.clone();
    // Making the text may take a while, too.
    let text = shared.source.ask(move |source| {
        let Changes { version, unlisted, jobs, .. } = source.changes(None)?;
        Ok(serde_json::to_vec(&AllJobs { epoch, version, now: now(), unlisted, jobs })?)
    });
    Ok(([(header::CONTENT_TYPE, "application/json")], text.await?))
}

/// Returns a job with what is to be said of it.
pub(super) async fn one(
    State(shared): State<Arc<Shared>>,
    Path(JobName(name)): Path<JobName>,
) -> Result<Json<Value>, Failure> {
    let answer = shared.source.ask(move |source| {
        let Some(job) = source.job(&name)? else { return Ok(None) };
        let pattern = source.pattern(&name)?;
        let (upstream, others): (Vec<_>, Vec<_>) =
            source.needs()?.into_iter().partition(|need| need.downstream == name);
        let downstream = others.into_iter().filter(|need| need.upstream == name);
        Ok(Some(json!({
            "job": job,
            "upcoming": pattern.as_ref().map_or_else(Vec::new, |it| clocks::upcoming(it, now(), UPCOMING)),
            "clockChanges": pattern.as_ref().map_or_else(Vec::new, |it| clocks::changes(it, now())),
            "waitsFor": source.waits_for(&name)?,
            "upstream": upstream,
            "downstream": downstream.collect::<Vec<_>>(),
        })))
    });
    answer.await?.map(Json).ok_or_else(Failure::no_job)
}

#[derive(Deserialize)]
pub(super) struct RunsQuery {
    before: Option<i64>,
    limit: Option<usize>,
}

/// Returns runs of a job.
pub(super) async fn runs(
    State(shared): State<Arc<Shared>>,
    Path(JobName(name)): Path<JobName>,
    Query(query): Query<RunsQuery>,
) -> Result<Json<Runs>, Failure> {
    let limit = query.limit.unwrap_or(50).clamp(1, MOST_RUNS);
    shared.source.ask(move |source| source.runs(&name, query.before, limit)).await.map(Json)
}
