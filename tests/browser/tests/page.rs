//! Tests of the browser driver that the other tests use.

use std::path::PathBuf;

use millicron_browser_tests::Page;
use serde_json::json;

/// Writes a page to a file that is removed with the test's directory.
fn page(name: &str, html: &str) -> PathBuf {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, html).expect("a temporary file");
    file
}

#[test]
fn clock_zone_width_and_colors_are_those_of_the_test() {
    let Some(browser) = Page::blank("the browser's settings") else { return };
    browser.set_now(1_774_746_000_000);
    browser.set_zone("Europe/Berlin");
    browser.set_dark(true);
    browser.set_width(400);
    browser.open(&page("settings.html", "<!doctype html><title>Settings</title>"), "#top");
    assert_eq!(browser.evaluate("Date.now()"), json!(1_774_746_000_000_i64));
    let zone = browser.evaluate("Intl.DateTimeFormat().resolvedOptions().timeZone");
    assert_eq!(zone, json!("Europe/Berlin"));
    let is_dark = browser.evaluate("matchMedia('(prefers-color-scheme: dark)').matches");
    assert_eq!(is_dark, json!(true));
    assert_eq!(browser.evaluate("innerWidth"), json!(400));
    assert_eq!(browser.evaluate("location.hash"), json!("#top"));
}

#[test]
fn keys_and_clicks_arrive() {
    let Some(browser) = Page::blank("keys and clicks") else { return };
    let html = "<!doctype html><title>Keys</title><input autofocus><button>Press</button><p></p>\
        <script>const shown = document.querySelector('p');\
        document.querySelector('button').onclick = () => { shown.innerText += '!'; };\
        document.querySelector('input').oninput = it => { shown.innerText = it.target.value; };</script>";
    browser.open(&page("keys.html", html), "");
    browser.click("input");
    browser.type_text("0 9 * * MON-FRI");
    browser.wait_for("document.querySelector('p').innerText === '0 9 * * MON-FRI'");
    browser.press("Tab");
    browser.press("Enter");
    browser.wait_for("document.querySelector('p').innerText.endsWith('!')");
    browser.click("button");
    browser.wait_for("document.querySelector('p').innerText.endsWith('!!')");
    assert_eq!(browser.text("p"), "0 9 * * MON-FRI!!");
    browser.evaluate("document.querySelector('input').select()");
    browser.insert_text("pasted");
    browser.wait_for("document.querySelector('p').innerText === 'pasted'");
}

#[test]
fn requests_and_errors_are_recorded() {
    let Some(browser) = Page::blank("requests and errors") else { return };
    let html = "<!doctype html><title>Errors</title><img src='missing.png'>\
        <script>setTimeout(() => { window.done = true; throw new Error('on purpose'); });</script>";
    browser.open(&page("errors.html", html), "");
    browser.wait_for("window.done === true");
    assert!(browser.requests().iter().any(|it| it.ends_with("missing.png")));
    assert!(browser.complaints().iter().any(|it| it.contains("on purpose")));
}

#[test]
fn whole_pages_are_drawn() {
    let Some(browser) = Page::blank("screenshots") else { return };
    let html = "<!doctype html><title>Tall</title><body style='margin: 0; height: 1500px'>";
    browser.open(&page("tall.html", html), "");
    let picture = browser.screenshot(400);
    // The PNG header contains the width and the height.
    assert_eq!(picture[16..24], [400_u32.to_be_bytes(), 1500_u32.to_be_bytes()].concat());
}
