//! Headers of requests that may change something, and of all responses.

use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Method, Uri, header};

use super::host::authority_of;

const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
     form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
);

/// Whether a method changes nothing.
pub(crate) fn is_safe(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD)
}

/// Whether a request comes from a page of this server, which only browsers say, and always.
pub(crate) fn is_same_origin(headers: &HeaderMap, uri: &Uri) -> bool {
    let site = headers.get("Sec-Fetch-Site");
    // It knows the scheme, too, but is only sent to servers that are encrypted or local.
    if site.is_some_and(|site| site != "same-origin") {
        return false;
    }
    if let Some(origin) = headers.get(header::ORIGIN) {
        let authority = origin.to_str().ok().and_then(|origin| {
            let (_, authority) = origin.split_once("://")?;
            authority.parse::<Authority>().ok()
        });
        // The scheme is unknown behind a proxy, and the name is what an attacker lacks.
        return authority.is_some() && authority == authority_of(headers, uri);
    }
    site.is_some()
}

/// Adds what protects the page to a response.
pub(crate) fn secure(headers: &mut HeaderMap) {
    let fixed = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (header::HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    // A picture has its own, and a file of the page says how long it may be kept.
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(POLICY);
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}
