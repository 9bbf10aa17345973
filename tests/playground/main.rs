//! Tests of the playground in a browser.

mod access;
mod answers;
mod history;
mod pictures;
mod zones;

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use millicron_browser_tests::Page;
use serde_json::{Value, json};

/// 2026-03-28 12:00:00 UTC, the day before Berlin's clocks go forward.
const NOW: i64 = 1_774_699_200_000;

/// Returns the page: built once, or the file that `MILLICRON_PLAYGROUND` names.
static FILE: LazyLock<PathBuf> = LazyLock::new(|| {
    if let Some(file) = env::var_os("MILLICRON_PLAYGROUND") {
        return file.into();
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let status = Command::new(root.join("scripts/build-playground")).status().expect("a shell");
    assert!(status.success(), "the playground is built, and is small enough");
    root.join("crates/playground/dist/index.html")
});

/// Opens the playground in Berlin, with a fragment such as `#text=12:00:00` or an empty one.
fn playground(what: &str, fragment: &str) -> Option<Page> {
    let page = Page::blank(what)?;
    page.set_now(NOW);
    page.set_zone("Europe/Berlin");
    open(&page, fragment);
    Some(page)
}

fn open(page: &Page, fragment: &str) {
    page.open(&FILE, fragment);
    page.wait_for("document.getElementById('message').textContent !== ''");
}

/// Replaces the text by typing another one.
fn type_schedule(page: &Page, text: &str) {
    page.evaluate(
        "document.getElementById('text').select(), document.getElementById('text').focus()",
    );
    if text.is_empty() {
        page.press("Delete");
    }
    page.type_text(text);
    let typed = json!(text);
    page.wait_for(&format!("new URLSearchParams(location.hash.slice(1)).get('text') === {typed}"));
}

/// Opens the box of calendars, and replaces its text by pasting another one.
fn type_calendars(page: &Page, text: &str) {
    page.evaluate(
        "document.querySelector('form details').open = true, \
         document.getElementById('calendars').select(), document.getElementById('calendars').focus()",
    );
    page.insert_text(text);
    let typed = json!(text);
    page.wait_for(&format!(
        "new URLSearchParams(location.hash.slice(1)).get('calendars') === {typed}"
    ));
}

/// Chooses an option as a reader would, so that the page notices.
fn choose(page: &Page, id: &str, value: &str) {
    page.evaluate(&format!(
        "(it => {{ it.value = {}; it.dispatchEvent(new Event('change', {{ bubbles: true }})); }})\
         (document.getElementById({}))",
        json!(value),
        json!(id),
    ));
}

/// Returns the texts of all elements that a CSS selector finds.
fn texts(page: &Page, selector: &str) -> Vec<String> {
    let selector = json!(selector);
    let all = page.evaluate(&format!(
        "[...document.querySelectorAll({selector})].map(it => it.innerText.trim())"
    ));
    let all = all.as_array().cloned().unwrap_or_default();
    all.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}
