//! [`Client`]: sends requests to a router.

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode, header};
use http_body_util::BodyExt as _;
use serde_json::Value;
use tower::ServiceExt as _;

/// What was answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn text(&self) -> &str {
        str::from_utf8(&self.body).expect("UTF-8")
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }

    /// Returns a header as text.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().expect("text"))
    }
}

/// Returns the keys of an object, in order.
pub(crate) fn keys(object: &Value) -> Vec<&str> {
    let mut keys =
        object.as_object().expect("an object").keys().map(String::as_str).collect::<Vec<_>>();
    keys.sort_unstable();
    keys
}

/// Sends requests with some headers.
#[derive(Clone)]
pub(crate) struct Client {
    router: Router,
    headers: Vec<(String, String)>,
}

pub(crate) const HOST: &str = "127.0.0.1:8080";

impl Client {
    /// Returns a client that sends no headers but the host.
    pub(crate) fn new(router: Router) -> Self {
        Self { router, headers: Vec::new() }.with("host", HOST)
    }

    /// Returns a client that sends what a browser sends from the page.
    pub(crate) fn page(router: Router) -> Self {
        Self::new(router)
            .with("origin", "http://127.0.0.1:8080")
            .with("sec-fetch-site", "same-origin")
    }

    /// Sets a header.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self = self.without(name);
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(it, _)| it != name);
        self
    }

    /// Signs in, and returns a client with the cookie.
    pub(crate) async fn signed_in(self, token: &str) -> Self {
        let answer = self.send("POST", "/api/session", &format!(r#"{{"token":"{token}"}}"#)).await;
        assert_eq!(answer.status, StatusCode::NO_CONTENT, "{answer:?}");
        let cookie = answer.header("set-cookie").expect("a cookie");
        let cookie = cookie.split(';').next().unwrap_or_default().to_owned();
        self.with("cookie", &cookie)
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send("GET", path, "").await
    }

    pub(crate) async fn post(&self, path: &str) -> Answer {
        self.send("POST", path, "").await
    }

    pub(crate) async fn send(&self, method: &str, path: &str, body: &str) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        if !body.is_empty() {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        let request = request.body(Body::from(body.to_owned())).expect("a request");
        let (parts, body) =
            self.router.clone().oneshot(request).await.expect("an answer").into_parts();
        let body = body.collect().await.expect("a body").to_bytes().to_vec();
        Answer { status: parts.status, headers: parts.headers, body }
    }
}
