//! The names under which the server may be asked.

use std::net::{IpAddr, Ipv6Addr};

use axum::http::uri::Authority;
use axum::http::{HeaderMap, Uri, header};

/// Returns the host and port that a request names.
pub(crate) fn authority_of(headers: &HeaderMap, uri: &Uri) -> Option<Authority> {
    // HTTP/2 has it in the URI.
    if let Some(authority) = uri.authority() {
        return Some(authority.clone());
    }
    headers.get(header::HOST)?.to_str().ok()?.parse().ok()
}

/// Whether the server may be asked under the name of a request. A foreign name can resolve to our address, but an
/// address cannot be anybody else's name.
pub(crate) fn is_known(headers: &HeaderMap, uri: &Uri, names: &[String]) -> bool {
    let Some(authority) = authority_of(headers, uri) else { return false };
    let host = authority.host();
    let is_v6 = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'))
        .is_some_and(|host| host.parse::<Ipv6Addr>().is_ok());
    let host = host.to_ascii_lowercase();
    let host = host.strip_suffix('.').unwrap_or(&host);
    is_v6
        || host.parse::<IpAddr>().is_ok()
        || host == "localhost"
        || names.iter().any(|name| name == host)
}
