//! The playground's WebAssembly module.
//!
//! The page passes the typed text to [`answer`], and shows the returned JSON, an [`Answer`]. This module and the
//! libraries create everything that the page says or draws about a schedule; the page only places it.

mod answer;
mod calendars;
mod clocks;
mod problem;
mod times;
#[cfg(target_family = "wasm")]
mod zone;

pub use answer::{Answer, Choice, Explanation, Month, Question, Writing};
pub use clocks::Change;
pub use problem::Problem;
pub use times::Event;

/// Answers a question about a schedule, in JSON.
///
/// `calendars` has the calendars that the text may name, each below its name in brackets. `language` is the keyword of a
/// language, or empty to recognize it. `zone` is the name of one of the browser's time
/// zones, `now` is in milliseconds since 1970, and `year` is 0 for the current year. `width` is the width of the year's
/// picture, in CSS pixels.
#[cfg(target_family = "wasm")]
#[wasm_bindgen::prelude::wasm_bindgen]
#[must_use]
pub fn answer(
    text: &str,
    calendars: &str,
    language: &str,
    zone: &str,
    now: f64,
    year: i32,
    width: u32,
) -> String {
    let question = Question::new(text, calendars, language, zone, now, year, width);
    let answer = Answer::new::<zone::BrowserZone>(&question);
    serde_json::to_string(&answer).unwrap_or_default()
}
