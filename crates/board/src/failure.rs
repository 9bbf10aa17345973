//! [`Failure`]: why a request was not carried out.

use std::error::Error;

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::source::{Conflict, Invalid, NotOffered};

/// Why a request was not carried out.
#[derive(Debug)]
pub(crate) struct Failure {
    status: StatusCode,
    message: String,
}

impl Failure {
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }

    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, message)
    }

    pub(crate) fn too_many_tokens() -> Self {
        let message = "too many wrong tokens: try again in a second";
        Self::new(StatusCode::TOO_MANY_REQUESTS, message)
    }

    pub(crate) fn no_job() -> Self {
        Self::new(StatusCode::NOT_FOUND, "there is no such job")
    }

    /// Returns the failure for an error of the source.
    pub(crate) fn of(error: &(dyn Error + Send + Sync + 'static)) -> Self {
        let status = if error.is::<Conflict>() {
            StatusCode::CONFLICT
        } else if error.is::<NotOffered>() {
            StatusCode::FORBIDDEN
        } else if error.is::<Invalid>() {
            StatusCode::UNPROCESSABLE_ENTITY
        } else {
            StatusCode::INTERNAL_SERVER_ERROR
        };
        Self::new(status, error.to_string())
    }

    /// Returns the reason in words.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        (self.status, Json(json!({ "error": self.message }))).into_response()
    }
}
