//! [`Page`]: a page of ours in headless Chromium, for tests.
//!
//! Where Chromium is not installed, [`Page::blank`] returns `None`: the test reports what it leaves out, and
//! passes. If `MILLICRON_REQUIRE_BROWSER` is set to anything but 0, it fails instead.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use std::{env, fmt, fs, io, thread};

use headless_chrome::browser::tab::{ModifierKey, Tab};
use headless_chrome::protocol::cdp::types::{Event, Method};
use headless_chrome::protocol::cdp::{Emulation, Network, Page as Protocol, Runtime};
use headless_chrome::{Browser, LaunchOptions};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// How long the page may take for what a test waits for.
const PATIENCE: Duration = Duration::from_mins(1);

const ARGUMENTS: [&str; 5] = [
    "--disable-component-update",
    "--disable-quic",
    // So that every machine draws the same.
    "--force-device-scale-factor=1",
    "--hide-scrollbars",
    "--lang=en-US",
];

/// A tab of a browser that belongs to one test, and ends with it.
pub struct Page {
    tab: Arc<Tab>,
    requests: Arc<Mutex<Vec<String>>>,
    complaints: Arc<Mutex<Vec<String>>>,
    _browser: Browser,
}

impl fmt::Debug for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Page").field("url", &self.tab.get_url()).finish_non_exhaustive()
    }
}

impl Page {
    /// Starts a browser with an empty page of 900 pixels, in UTC and in light colors. Returns `None` if no
    /// browser is installed, so that the test called `what` is left out.
    pub fn blank(what: &str) -> Option<Self> {
        let Some(program) = find() else {
            leave_out(what);
            return None;
        };
        let options = LaunchOptions {
            path: Some(program),
            // Root has no sandbox, and the pages are ours.
            sandbox: false,
            args: ARGUMENTS.iter().map(OsStr::new).collect(),
            idle_browser_timeout: Duration::from_mins(10),
            ..LaunchOptions::default()
        };
        let browser = Browser::new(options).expect("Chromium starts");
        let tab = browser.new_tab().expect("a tab");
        tab.set_default_timeout(PATIENCE);
        let page =
            Self { tab, requests: Arc::default(), complaints: Arc::default(), _browser: browser };
        page.listen();
        page.set_width(900);
        page.set_zone("UTC");
        page.set_dark(false);
        Some(page)
    }

    /// Records what the page requests, and what it complains about.
    fn listen(&self) {
        let (requests, complaints) = (Arc::clone(&self.requests), Arc::clone(&self.complaints));
        let add = |list: &Mutex<Vec<String>>, text| list.lock().expect("a list").push(text);
        let listener = move |event: &Event| match event {
            Event::NetworkRequestWillBeSent(event) => {
                add(&requests, event.params.request.url.clone());
            }
            Event::LogEntryAdded(event) => add(&complaints, event.params.entry.text.clone()),
            Event::RuntimeExceptionThrown(event) => {
                let details = &event.params.exception_details;
                let exception = details.exception.as_ref();
                let description = exception.and_then(|it| it.description.clone());
                add(&complaints, description.unwrap_or_else(|| details.text.clone()));
            }
            _ => {}
        };
        self.tab.add_event_listener(Arc::new(listener)).expect("a listener");
        self.call::<Network::Enable>(json!({}));
        self.tab.enable_log().expect("the log");
        self.tab.enable_runtime().expect("exceptions");
    }

    /// Calls a method of the protocol with these parameters.
    fn call<M>(&self, parameters: Value) -> M::ReturnObject
    where
        M: Method + DeserializeOwned + serde::Serialize + fmt::Debug,
    {
        let method: M = serde_json::from_value(parameters).expect("parameters of the method");
        self.tab.call_method(method).expect("an answer of the browser")
    }

    /// Sets the width of the window, in CSS pixels.
    pub fn set_width(&self, width: u32) {
        self.set_size(width, 800);
    }

    fn set_size(&self, width: u32, height: u32) {
        self.call::<Emulation::SetDeviceMetricsOverride>(
            json!({ "width": width, "height": height, "deviceScaleFactor": 1.0, "mobile": false }),
        );
    }

    /// Sets the time zone that the page believes to be in.
    pub fn set_zone(&self, name: &str) {
        self.call::<Emulation::SetTimezoneOverride>(json!({ "timezoneId": name }));
    }

    /// Sets whether the reader prefers dark colors.
    pub fn set_dark(&self, is_dark: bool) {
        let scheme = if is_dark { "dark" } else { "light" };
        self.call::<Emulation::SetEmulatedMedia>(
            json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] }),
        );
    }

    /// Sets the time, in milliseconds since 1970, at which the clock of all pages that are opened later stands.
    pub fn set_now(&self, millis: i64) {
        let source = format!("Date.now = () => {millis};");
        self.call::<Protocol::AddScriptToEvaluateOnNewDocument>(json!({ "source": source }));
    }

    /// Opens a file, with a fragment such as `#top` or without, and waits until it is loaded.
    pub fn open(&self, file: &Path, fragment: &str) {
        let file = fs::canonicalize(file).expect("an existing file");
        let url = format!("file://{}{fragment}", file.display());
        // From the same page with another fragment, nothing would be loaded.
        for url in ["about:blank", &url] {
            self.tab.navigate_to(url).expect("an address").wait_until_navigated().expect("a page");
        }
    }

    /// Evaluates a JavaScript expression, and awaits it if it is a promise. Panics if it throws.
    pub fn evaluate(&self, expression: &str) -> Value {
        let result = self.call::<Runtime::Evaluate>(json!({
            "expression": expression, "returnByValue": true, "awaitPromise": true,
        }));
        if let Some(details) = result.exception_details {
            let description = details.exception.and_then(|it| it.description);
            panic!("{expression}: {}", description.unwrap_or(details.text));
        }
        result.result.value.unwrap_or(Value::Null)
    }

    /// Returns the text of the first element that a CSS selector finds, as it is displayed.
    pub fn text(&self, selector: &str) -> String {
        let expression = format!("document.querySelector({}).innerText", json!(selector));
        self.evaluate(&expression).as_str().unwrap_or_default().to_owned()
    }

    /// Waits until a JavaScript expression is true. Panics if it does not become so.
    pub fn wait_for(&self, expression: &str) {
        let began = Instant::now();
        while self.evaluate(expression) != Value::Bool(true) {
            assert!(began.elapsed() < PATIENCE, "not true in time: {expression}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Types a text with the keyboard.
    pub fn type_text(&self, text: &str) {
        self.tab.type_str(text).expect("a keyboard");
    }

    /// Inserts a text at once, as if it was pasted.
    pub fn insert_text(&self, text: &str) {
        self.tab.send_character(text).expect("a keyboard");
    }

    /// Presses a key, such as `Tab` or `Enter`.
    pub fn press(&self, key: &str) {
        self.tab.press_key(key).expect("a key");
    }

    /// Presses a key together with Shift.
    pub fn press_with_shift(&self, key: &str) {
        self.tab.press_key_with_modifiers(key, Some(&[ModifierKey::Shift])).expect("a key");
    }

    /// Moves the pointer to the middle of the first element that a CSS selector finds.
    pub fn hover(&self, selector: &str) {
        let element = self.tab.find_element(selector).expect("an element");
        element.move_mouse_over().expect("a visible element");
    }

    /// Clicks on the middle of the first element that a CSS selector finds.
    pub fn click(&self, selector: &str) {
        let element = self.tab.find_element(selector).expect("an element");
        element.click().expect("a visible element");
    }

    /// Returns what the page requested since the browser started, itself included.
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().expect("a list").clone()
    }

    /// Returns the errors and warnings of the browser's console.
    pub fn complaints(&self) -> Vec<String> {
        self.complaints.lock().expect("a list").clone()
    }

    /// Draws the whole page at a width, as a PNG. If `MILLICRON_SCREENSHOTS` names a directory, the picture is
    /// kept there under a name.
    pub fn screenshot(&self, width: u32, name: &str) -> Vec<u8> {
        self.set_width(width);
        let height = self.evaluate("document.documentElement.scrollHeight");
        self.set_size(
            width,
            height.as_u64().and_then(|it| u32::try_from(it).ok()).expect("a height"),
        );
        let png = Protocol::CaptureScreenshotFormatOption::Png;
        let picture = self.tab.capture_screenshot(png, None, None, true).expect("a picture");
        self.set_width(width);
        if let Some(directory) = env::var_os("MILLICRON_SCREENSHOTS") {
            let file = PathBuf::from(directory).join(format!("{name}-{width}.png"));
            fs::write(&file, &picture).expect("a directory for pictures");
        }
        picture
    }
}

/// Finds Chromium or Chrome.
fn find() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let path = env::var_os("PATH")?;
    let directories: Vec<_> = env::split_paths(&path).collect();
    let files = names.iter().flat_map(|name| directories.iter().map(move |it| it.join(name)));
    files.into_iter().find(|file| file.is_file())
}

/// Reports on standard error what a test leaves out, even if the output of tests is captured. Panics if
/// a browser is required.
fn leave_out(what: &str) {
    let required = env::var_os("MILLICRON_REQUIRE_BROWSER");
    let is_required = required.is_some_and(|value| !value.is_empty() && value != "0");
    assert!(
        !is_required,
        "{what}: Chromium is not installed, and MILLICRON_REQUIRE_BROWSER is set"
    );
    let _ = writeln!(io::stderr(), "left out: {what}: Chromium is not installed");
}
