//! The files of the page.

use axum::extract::{OriginalUri, Path};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};

use crate::failure::Failure;

/// A file of the page, in this program.
struct File {
    name: &'static str,
    bytes: &'static [u8],
    /// Differs for another version of the file.
    fingerprint: u64,
}

/// The files, but for the page itself.
macro_rules! files {
    ($($name:literal)*) => {
        [$(const { File::new($name, include_bytes!(concat!("../../page/", $name))) }),*]
    };
}

const INDEX: File = File::new("index.html", include_bytes!("../../page/index.html"));
const FILES: &[File] = &files![
    "about.js"
    "actions.js"
    "ansi.js"
    "api.js"
    "day.js"
    "dom.js"
    "edit.js"
    "feed.js"
    "icon.svg"
    "job.js"
    "jobs.js"
    "main.js"
    "notices.js"
    "output.js"
    "overview.js"
    "page.css"
    "picture.js"
    "rows.js"
    "runs.js"
    "session.js"
    "times.js"
];

/// Returns the page, whose links are relative to its directory.
pub(super) async fn index(OriginalUri(uri): OriginalUri, headers: HeaderMap) -> Response {
    let path = uri.path();
    if path.ends_with('/') {
        return INDEX.response(&headers);
    }
    let name = path.rsplit('/').next().unwrap_or_default();
    Redirect::permanent(&format!("./{name}/")).into_response()
}

/// Returns another file.
pub(super) async fn file(Path(name): Path<String>, headers: HeaderMap) -> Response {
    match FILES.iter().find(|file| file.name == name) {
        Some(file) => file.response(&headers),
        None => Failure::new(StatusCode::NOT_FOUND, "there is no such file").into_response(),
    }
}

impl File {
    const fn new(name: &'static str, bytes: &'static [u8]) -> Self {
        Self { name, bytes, fingerprint: fingerprint(bytes) }
    }

    /// Returns the file, unless the browser has it.
    fn response(&self, headers: &HeaderMap) -> Response {
        let tag = format!("\"{:016x}\"", self.fingerprint);
        let kept = [(header::CACHE_CONTROL, "no-cache"), (header::ETAG, &*tag)];
        if headers.get(header::IF_NONE_MATCH).is_some_and(|it| it.as_bytes() == tag.as_bytes()) {
            return (StatusCode::NOT_MODIFIED, kept).into_response();
        }
        let kind = match self.name.rsplit('.').next() {
            Some("html") => "text/html; charset=utf-8",
            Some("js") => "text/javascript; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            _ => "image/svg+xml",
        };
        (kept, [(header::CONTENT_TYPE, kind)], self.bytes).into_response()
    }
}

/// Returns the hash of a file: FNV-1a with 64 bits.
const fn fingerprint(mut bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    while let [byte, rest @ ..] = bytes {
        hash = (hash ^ *byte as u64).wrapping_mul(0x0100_0000_01b3);
        bytes = rest;
    }
    hash
}
