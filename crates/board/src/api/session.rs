//! Signing in and out.

use std::sync::Arc;

use axum::Json;
use axum::extract::{OriginalUri, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse};
use serde::Deserialize;

use crate::access::{self, Token};
use crate::failure::Failure;
use crate::shared::Shared;

#[derive(Deserialize)]
pub(super) struct Attempt {
    token: String,
}

/// Begins a session.
pub(super) async fn sign_in(
    State(shared): State<Arc<Shared>>,
    OriginalUri(uri): OriginalUri,
    Json(attempt): Json<Attempt>,
) -> Result<impl IntoResponse, Failure> {
    match shared.access.check(&attempt.token).unwrap_or(Token::Wrong) {
        Token::Right => {
            let session = shared.sessions.begin();
            let session =
                session.ok_or_else(|| Failure::internal("this system has no random numbers"))?;
            Ok(set_cookie(&shared.epoch, &session, uri.path(), ""))
        }
        Token::Wrong => Err(Failure::new(StatusCode::FORBIDDEN, "this is not the token")),
        Token::TooMany => Err(Failure::too_many_tokens()),
    }
}

/// Ends the session.
pub(super) async fn sign_out(
    State(shared): State<Arc<Shared>>,
    OriginalUri(uri): OriginalUri,
    headers: HeaderMap,
) -> impl IntoResponse {
    if let Some(session) = access::cookie_of(&headers, &shared.epoch) {
        shared.sessions.end(session);
    }
    set_cookie(&shared.epoch, "", uri.path(), "; Max-Age=0")
}

fn set_cookie(epoch: &str, session: &str, path: &str, more: &str) -> impl IntoResponse + use<> {
    let mount = path.strip_suffix("api/session").unwrap_or("/");
    let cookie = format!(
        "{}={session}; Path={mount}; HttpOnly; SameSite=Strict{more}",
        access::cookie_name(epoch)
    );
    (StatusCode::NO_CONTENT, AppendHeaders([(header::SET_COOKIE, cookie)]))
}
