//! The playground's WebAssembly module.
//!
//! The page passes what was typed to [`answer`], and shows the JSON that comes back, which is an [`Answer`].
//! All that is drawn or said about a schedule is made here or in the libraries; the page only places it.

mod answer;
mod clocks;
mod times;
mod zone;

use wasm_bindgen::prelude::wasm_bindgen;

pub use answer::{Answer, Choice, Explanation, Month, Problem, Question, Writing};
pub use clocks::Change;
pub use times::Event;

/// Answers a question about a schedule, in JSON.
///
/// `language` is the keyword of a language, or empty if it is to be recognized. `zone` is the name of a time zone
/// of the browser, `now` is in milliseconds since 1970, and `year` is 0 for the current one. `width` is that
/// of the year's picture, in CSS pixels.
#[wasm_bindgen]
#[must_use]
pub fn answer(text: &str, language: &str, zone: &str, now: f64, year: i32, width: u32) -> String {
    let question = Question::new(text, language, zone, now, year, width);
    let answer = Answer::new::<zone::BrowserZone>(&question);
    serde_json::to_string(&answer).unwrap_or_default()
}
