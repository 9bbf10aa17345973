//! What a request sends to say who asks.

use axum::http::{HeaderMap, header};

/// Returns the token that a program has sent.
pub(crate) fn bearer_of(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Returns the name of the cookie. Browsers send the cookies of one port to all others of the same host, so another
/// server must have another name.
pub(crate) fn cookie_name(epoch: &str) -> String {
    format!("millicron-{}", epoch.get(..8).unwrap_or(epoch))
}

/// Returns the name of the session that a request belongs to.
pub(crate) fn cookie_of<'h>(headers: &'h HeaderMap, epoch: &str) -> Option<&'h str> {
    let name = cookie_name(epoch);
    let cookies = headers.get_all(header::COOKIE).into_iter().filter_map(|it| it.to_str().ok());
    let mut cookies =
        cookies.flat_map(|it| it.split(';')).filter_map(|it| it.trim().split_once('='));
    cookies.find(|(it, _)| *it == name).map(|(_, session)| session)
}
