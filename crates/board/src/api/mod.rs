//! The routes, and who may use which.

mod actions;
mod clocks;
mod day;
mod edit;
mod guard;
mod jobs;
mod live;
mod name;
mod output;
mod page;
mod pictures;
mod session;

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::StatusCode;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{get, post};

use crate::failure::Failure;
use crate::shared::Shared;
use crate::source::Action;

/// The longest body of a request, in bytes.
const LONGEST_BODY: usize = 64 * 1024;

/// Returns the router.
pub(crate) fn router(shared: Arc<Shared>) -> Router {
    // A route is for those who may read, or for those who may act, unless it is among the last ones.
    let read = Router::new()
        .route("/jobs", get(jobs::all))
        .route("/feed", get(live::feed))
        .route("/day", get(day::words))
        .route("/day.svg", get(day::picture))
        .route("/graph.svg", get(pictures::graph))
        .route("/jobs/{job}", get(jobs::one))
        .route("/jobs/{job}/runs", get(jobs::runs))
        .route("/jobs/{job}/runs/{run}/output", get(output::read))
        .route("/jobs/{job}/year.svg", get(pictures::year))
        .route("/jobs/{job}/clock-changes.svg", get(pictures::clock_changes))
        .route_layer(from_fn_with_state(Arc::clone(&shared), guard::may_read));
    let act = Router::new()
        .route("/jobs/{job}/run", actions::on_job(Action::Run))
        .route("/jobs/{job}/pause", actions::on_job(Action::Pause))
        .route("/jobs/{job}/resume", actions::on_job(Action::Resume))
        .route("/jobs/{job}/runs/{run}/cancel", post(actions::cancel))
        .route("/jobs/{job}/draft", get(edit::draft))
        .route("/jobs/{job}", axum::routing::put(edit::store).delete(edit::remove))
        .route("/preview", post(edit::preview))
        .route_layer(from_fn_with_state(Arc::clone(&shared), guard::may_act));
    let api = read
        .merge(act)
        .route("/board", get(jobs::board))
        .route("/session", post(session::sign_in).delete(session::sign_out));
    Router::new()
        .route("/", get(page::index))
        .route("/page/{file}", get(page::file))
        .nest("/api", api)
        .fallback(missing)
        .layer(DefaultBodyLimit::max(LONGEST_BODY))
        .layer(from_fn_with_state(Arc::clone(&shared), guard::check))
        // Also of what the guard refuses.
        .layer(from_fn(guard::secure))
        .with_state(shared)
}

async fn missing() -> Failure {
    Failure::new(StatusCode::NOT_FOUND, "there is nothing here")
}
