//! [`Page`]: tests our pages in headless Chromium.
//!
//! If Chromium is not installed, [`Page::blank`] returns `None`: the test reports what it skips, and passes.
//! If `MILLICRON_REQUIRE_BROWSER` is set to anything but 0, it fails instead.

mod connection;

use std::cell::RefCell;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{env, fs, io, thread};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use connection::{Connection, PATIENCE};

/// The contrast ratio of two colors, by WCAG 2.2, as a function in JavaScript.
pub const CONTRAST: &str = "((one, other) => {
    const channel = it => it <= 0.04045 ? it / 12.92 : ((it + 0.055) / 1.055) ** 2.4;
    const [less, more] = [one, other].map(color => {
        const [red, green, blue] = color.match(/[\\d.]+/g).map(it => channel(it / 255));
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    }).sort((one, other) => one - other);
    return (more + 0.05) / (less + 0.05);
})";

/// A browser tab that belongs to one test. The browser ends when the last tab is dropped.
#[derive(Debug)]
pub struct Page(RefCell<Connection>);

impl Page {
    /// Opens an empty page that is 900 pixels wide, in UTC and in light colors. Returns `None` if no browser is
    /// installed, and reports that the test called `what` is skipped.
    pub fn blank(what: &str) -> Option<Self> {
        let Some(program) = find() else {
            leave_out(what);
            return None;
        };
        let page = Self(RefCell::new(Connection::new(&program)));
        for domain in ["Page", "Network", "Log", "Runtime"] {
            page.call(&format!("{domain}.enable"), &json!({}));
        }
        page.call("Page.setLifecycleEventsEnabled", &json!({ "enabled": true }));
        // Each page is used as if it were the only one.
        page.call("Emulation.setFocusEmulationEnabled", &json!({ "enabled": true }));
        page.set_width(900);
        page.set_zone("UTC");
        page.set_dark(false);
        Some(page)
    }

    fn call(&self, method: &str, parameters: &Value) -> Value {
        self.0.borrow_mut().call(method, parameters)
    }

    /// Sets the width of the window, in CSS pixels.
    pub fn set_width(&self, width: u32) {
        self.set_size(width, 800);
    }

    fn set_size(&self, width: u32, height: u32) {
        self.call(
            "Emulation.setDeviceMetricsOverride",
            &json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false }),
        );
    }

    /// Sets the page's time zone.
    pub fn set_zone(&self, name: &str) {
        self.call("Emulation.setTimezoneOverride", &json!({ "timezoneId": name }));
    }

    /// Sets whether the reader prefers dark colors.
    pub fn set_dark(&self, is_dark: bool) {
        let scheme = if is_dark { "dark" } else { "light" };
        self.call(
            "Emulation.setEmulatedMedia",
            &json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] }),
        );
    }

    /// Stops the clock of all pages opened later at a time in milliseconds since 1970.
    pub fn set_now(&self, millis: i64) {
        self.run_first(&format!("Date.now = () => {millis};"));
    }

    /// Runs a script in all pages opened later, before their own scripts.
    pub fn run_first(&self, script: &str) {
        self.call("Page.addScriptToEvaluateOnNewDocument", &json!({ "source": script }));
    }

    /// Opens a file, with a fragment such as `#top` or an empty one, and waits until it is loaded.
    pub fn open(&self, file: &Path, fragment: &str) {
        let file = fs::canonicalize(file).expect("an existing file");
        self.visit(&format!("file://{}{fragment}", file.display()));
    }

    /// Opens a URL, and waits until the page is loaded.
    pub fn visit(&self, url: &str) {
        let page = url.split('#').next();
        // Going straight to another fragment of the same page would not load it again.
        if self.evaluate("location.href.split('#')[0]").as_str() == page {
            self.load("about:blank");
        }
        self.load(url);
    }

    fn load(&self, url: &str) {
        let navigation = self.call("Page.navigate", &json!({ "url": url }));
        let loader = &navigation["loaderId"];
        let is_loaded = |event: &Value| event["name"] == "load" && event["loaderId"] == *loader;
        self.0.borrow_mut().wait_for("Page.lifecycleEvent", is_loaded);
    }

    /// Evaluates a JavaScript expression, and awaits it if it is a promise. Panics if it throws.
    pub fn evaluate(&self, expression: &str) -> Value {
        let parameters =
            json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let result = self.call("Runtime.evaluate", &parameters);
        let details = &result["exceptionDetails"];
        assert!(details.is_null(), "{expression}: {}", exception(details));
        result["result"]["value"].clone()
    }

    /// Returns the text of the first element that a CSS selector finds, as it is displayed.
    pub fn text(&self, selector: &str) -> String {
        let expression = format!("document.querySelector({}).innerText", json!(selector));
        self.evaluate(&expression).as_str().unwrap_or_default().to_owned()
    }

    /// Returns the elements whose texts have too little contrast for WCAG 2.2, apart from those within a CSS selector.
    pub fn pale_texts(&self, except: &str) -> Value {
        let except = json!(except);
        self.evaluate(&format!(
            "(() => {{
                const paper = it => {{
                    for (; it; it = it.parentElement) {{
                        const color = getComputedStyle(it).backgroundColor;
                        if (!/, 0\\)$/.test(color)) return color;
                    }}
                    return 'rgb(255, 255, 255)';
                }};
                const hasText = it => [...it.childNodes].some(node => node.nodeType === 3 && node.data.trim());
                return [...document.querySelectorAll('body *')]
                    .filter(it => !it.closest({except}) && hasText(it) && it.checkVisibility())
                    .filter(it => {CONTRAST}(getComputedStyle(it).color, paper(it)) < 4.5)
                    .map(it => it.outerHTML);
            }})()"
        ))
    }

    /// Waits until a JavaScript expression is true. Panics if this takes too long.
    pub fn wait_for(&self, expression: &str) {
        let began = Instant::now();
        while self.evaluate(expression) != Value::Bool(true) {
            assert!(began.elapsed() < PATIENCE, "not true in time: {expression}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Types a text on the keyboard.
    pub fn type_text(&self, text: &str) {
        for character in text.chars() {
            self.key(&character.to_string(), &character.to_string(), 0, 0);
        }
    }

    /// Inserts a text all at once, as if it were pasted.
    pub fn insert_text(&self, text: &str) {
        self.call("Input.insertText", &json!({ "text": text }));
    }

    /// Presses a key, such as `Tab` or `Enter`.
    pub fn press(&self, key: &str) {
        self.press_with(key, 0);
    }

    /// Presses a key together with Shift.
    pub fn press_with_shift(&self, key: &str) {
        self.press_with(key, 8);
    }

    fn press_with(&self, key: &str, modifiers: u8) {
        let (code, text) = match key {
            "Backspace" => (8, ""),
            "Tab" => (9, ""),
            "Enter" => (13, "\r"),
            "Escape" => (27, ""),
            "End" => (35, ""),
            "Home" => (36, ""),
            "ArrowLeft" => (37, ""),
            "ArrowUp" => (38, ""),
            "ArrowRight" => (39, ""),
            "ArrowDown" => (40, ""),
            "Delete" => (46, ""),
            " " => (32, " "),
            _ => panic!("no key is called {key}"),
        };
        self.key(key, text, code, modifiers);
    }

    /// Presses a key with a key code, and enters a text, which may be empty.
    fn key(&self, key: &str, text: &str, code: u8, modifiers: u8) {
        for kind in ["keyDown", "keyUp"] {
            let text = if kind == "keyDown" { text } else { "" };
            self.call(
                "Input.dispatchKeyEvent",
                &json!({
                    "type": kind, "key": key, "text": text, "modifiers": modifiers,
                    "windowsVirtualKeyCode": code, "nativeVirtualKeyCode": code,
                }),
            );
        }
    }

    /// Moves the pointer to the middle of the first element that a CSS selector finds.
    pub fn hover(&self, selector: &str) {
        self.mouse("mouseMoved", selector);
    }

    /// Clicks on the middle of the first element that a CSS selector finds.
    pub fn click(&self, selector: &str) {
        for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
            self.mouse(kind, selector);
        }
    }

    fn mouse(&self, kind: &str, selector: &str) {
        let place = self.evaluate(&format!(
            "(it => {{ it.scrollIntoView({{ block: 'nearest', behavior: 'instant' }});\
             const box = it.getBoundingClientRect();\
             return [box.left + box.width / 2, box.top + box.height / 2]; }})\
             (document.querySelector({}))",
            json!(selector)
        ));
        let (x, y) = (&place[0], &place[1]);
        self.call(
            "Input.dispatchMouseEvent",
            &json!({ "type": kind, "x": x, "y": y, "button": "left", "clickCount": 1 }),
        );
    }

    /// Returns the URLs requested since the page was opened, including the page's own.
    pub fn requests(&self) -> Vec<String> {
        self.events(|method, event| {
            let is_request = method == "Network.requestWillBeSent";
            is_request.then(|| event["request"]["url"].as_str().unwrap_or_default().to_owned())
        })
    }

    /// Returns the errors and warnings on the browser's console, and uncaught exceptions.
    pub fn complaints(&self) -> Vec<String> {
        self.events(|method, event| match method {
            "Log.entryAdded" => Some(event["entry"]["text"].to_string()),
            "Runtime.exceptionThrown" => Some(exception(&event["exceptionDetails"])),
            _ => None,
        })
    }

    fn events(&self, select: impl Fn(&str, &Value) -> Option<String>) -> Vec<String> {
        // When this answer arrives, all earlier events have arrived.
        self.evaluate("0");
        self.0.borrow().events().filter_map(|(method, event)| select(method, event)).collect()
    }

    /// Draws the whole page at a width, as a PNG.
    pub fn screenshot(&self, width: u32) -> Vec<u8> {
        self.set_width(width);
        let height = self.evaluate("document.documentElement.scrollHeight").as_u64();
        self.set_size(width, height.and_then(|it| u32::try_from(it).ok()).expect("a height"));
        let picture = self.call("Page.captureScreenshot", &json!({ "format": "png" }));
        let picture = STANDARD.decode(picture["data"].as_str().expect("a picture"));
        self.set_width(width);
        picture.expect("a picture in base64")
    }

    /// If `MILLICRON_SCREENSHOTS` names a directory, saves a [screenshot](Self::screenshot) there under a name.
    pub fn save_screenshot(&self, width: u32, name: &str) {
        if let Some(directory) = env::var_os("MILLICRON_SCREENSHOTS") {
            let file = PathBuf::from(directory).join(format!("{name}-{width}.png"));
            fs::write(&file, self.screenshot(width)).expect("a directory for pictures");
        }
    }
}

/// Returns the message of an exception.
fn exception(details: &Value) -> String {
    let description = &details["exception"]["description"];
    description.as_str().or(details["text"].as_str()).unwrap_or_default().to_owned()
}

/// Finds Chromium or Chrome.
fn find() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let path = env::var_os("PATH")?;
    let directories: Vec<_> = env::split_paths(&path).collect();
    let files = names.iter().flat_map(|name| directories.iter().map(move |it| it.join(name)));
    files.into_iter().find(|file| file.is_file())
}

/// Reports on standard error that a test is skipped, even if test output is captured. Panics if a browser is
/// required.
fn leave_out(what: &str) {
    let required = env::var_os("MILLICRON_REQUIRE_BROWSER");
    let is_required = required.is_some_and(|value| !value.is_empty() && value != "0");
    assert!(
        !is_required,
        "{what}: Chromium is not installed, and MILLICRON_REQUIRE_BROWSER is set"
    );
    let _ = writeln!(io::stderr(), "left out: {what}: Chromium is not installed");
}
