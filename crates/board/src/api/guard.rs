//! Checks of all requests.

use std::sync::Arc;

use axum::Extension;
use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::access::{self, Session, Token};
use crate::failure::Failure;
use crate::shared::Shared;

/// The longest reason of an error of the framework, in bytes.
const LONGEST_REASON: usize = 4096;

/// Who asks.
#[derive(Clone, Debug)]
pub(super) enum Visitor {
    /// Somebody who has not signed in.
    Unknown,
    /// Somebody who has signed in, on the page.
    SignedIn(Session),
    /// A program that has sent the token.
    Program,
}

impl Visitor {
    pub(super) const fn is_signed_in(&self) -> bool {
        matches!(self, Self::SignedIn(_) | Self::Program)
    }
}

/// Refuses requests under a foreign name and changes from other pages, and finds out who asks.
pub(super) async fn check(
    State(shared): State<Arc<Shared>>,
    mut request: Request,
    next: Next,
) -> Response {
    let (headers, uri) = (request.headers(), request.uri());
    if !access::is_known(headers, uri, &shared.access.hosts) {
        let message = "this page is not served under that name: ask for it by its address, or pass the name to \
                       the program that serves it";
        return Failure::new(StatusCode::MISDIRECTED_REQUEST, message).into_response();
    }
    let bearer = access::bearer_of(headers).and_then(|token| shared.access.check(token));
    let visitor = match bearer {
        Some(Token::Right) => Visitor::Program,
        Some(Token::Wrong) => {
            return Failure::new(StatusCode::UNAUTHORIZED, "this is not the token").into_response();
        }
        Some(Token::TooMany) => return Failure::too_many_tokens().into_response(),
        None => access::cookie_of(headers, &shared.epoch)
            .and_then(|name| shared.sessions.get(name))
            .map_or(Visitor::Unknown, Visitor::SignedIn),
    };
    let is_program = matches!(visitor, Visitor::Program);
    if !access::is_safe(request.method()) && !is_program && !access::is_same_origin(headers, uri) {
        let message = "only the page itself may do this";
        return Failure::new(StatusCode::FORBIDDEN, message).into_response();
    }
    request.extensions_mut().insert(visitor);
    next.run(request).await
}

/// Protects all responses.
pub(super) async fn secure(request: Request, next: Next) -> Response {
    let mut response = explain(next.run(request).await).await;
    access::secure(response.headers_mut());
    response
}

/// Gives errors of the framework the form of all others.
async fn explain(response: Response) -> Response {
    let status = response.status();
    let is_error = status.is_client_error() || status.is_server_error();
    let kind = response.headers().get(header::CONTENT_TYPE);
    if !is_error || kind.is_some_and(|kind| kind == "application/json") {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let text = to_bytes(body, LONGEST_REASON).await.unwrap_or_default();
    let text = match &*String::from_utf8_lossy(&text) {
        "" => status.canonical_reason().unwrap_or("this failed").to_owned(),
        text => text.to_owned(),
    };
    let (explained, body) = Failure::new(status, text).into_response().into_parts();
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.extend(explained.headers);
    Response::from_parts(parts, body)
}

/// Lets those through who may read.
pub(super) async fn may_read(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
    request: Request,
    next: Next,
) -> Response {
    if shared.access.is_public || visitor.is_signed_in() {
        return next.run(request).await;
    }
    let message = match &shared.access.token {
        Some(_) => "sign in with the token",
        None => {
            "nobody may read this: the program that serves it has neither set a token nor made it public"
        }
    };
    Failure::new(StatusCode::UNAUTHORIZED, message).into_response()
}

/// Lets those through who may act.
pub(super) async fn may_act(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
    request: Request,
    next: Next,
) -> Response {
    let refusal = if !shared.access.offers_actions() {
        (StatusCode::FORBIDDEN, "this page only shows what runs: actions are not offered")
    } else if !visitor.is_signed_in() {
        (StatusCode::UNAUTHORIZED, "sign in with the token")
    } else {
        return next.run(request).await;
    };
    Failure::new(refusal.0, refusal.1).into_response()
}
