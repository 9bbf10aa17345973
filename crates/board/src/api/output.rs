//! The output of runs.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use super::name::JobName;
use crate::failure::Failure;
use crate::shared::Shared;

/// The most bytes of an answer.
const MOST: usize = 64 * 1024;

#[derive(Deserialize)]
pub(super) struct OutputQuery {
    #[serde(default)]
    from: u64,
}

/// Returns what a run has written.
pub(super) async fn read(
    State(shared): State<Arc<Shared>>,
    Path((JobName(job), run)): Path<(JobName, i64)>,
    Query(OutputQuery { from }): Query<OutputQuery>,
) -> Result<Json<Value>, Failure> {
    let output = shared.source.ask(move |source| source.output(&job, run, from)).await?;
    let none = || Failure::new(StatusCode::NOT_FOUND, "the output of this run is not kept");
    let output = output.ok_or_else(none)?;
    let (start, bytes) = last(output.start, &output.bytes);
    // The rest of a character may follow.
    let taken = if output.is_complete { bytes.len() } else { whole_characters(bytes) };
    let text = String::from_utf8_lossy(bytes.get(..taken).unwrap_or_default());
    Ok(Json(json!({
        "start": start,
        "end": start.saturating_add(taken as u64),
        "isComplete": output.is_complete,
        "text": text,
    })))
}

/// Returns the last bytes that one answer may have, and where they start.
fn last(start: u64, bytes: &[u8]) -> (u64, &[u8]) {
    let mut skipped = bytes.len().saturating_sub(MOST);
    if skipped > 0 {
        // The rest of a character that is cut: at most three bytes.
        let rest = bytes.iter().skip(skipped).take(3).take_while(|byte| **byte & 0xc0 == 0x80);
        skipped += rest.count();
    }
    (start.saturating_add(skipped as u64), bytes.get(skipped..).unwrap_or_default())
}

/// Returns the length of the bytes without a character that has begun at their end.
fn whole_characters(bytes: &[u8]) -> usize {
    let invalid = bytes.utf8_chunks().last().map_or(&[][..], |chunk| chunk.invalid());
    let has_begun = str::from_utf8(invalid).is_err_and(|error| error.error_len().is_none());
    bytes.len() - if has_begun { invalid.len() } else { 0 }
}
