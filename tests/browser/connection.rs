//! [`Connection`]: a Chromium process, driven through the `DevTools` protocol.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};
use std::{env, fs, process, thread};

use serde_json::{Value, json};

/// The time limit for the browser's answers, and for conditions that tests wait for.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// Connects our pipes to file descriptors 3 and 4, from which Chromium reads and to which it writes.
const SCRIPT: &str = r#"exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1"#;

const ARGUMENTS: [&str; 17] = [
    "--headless",
    "--remote-debugging-pipe",
    // The sandbox does not work as root, and we trust our own pages.
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    // No requests by the browser itself.
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-quic",
    "--disable-sync",
    "--metrics-recording-only",
    "--no-first-run",
    // The same rendering on every machine.
    "--force-color-profile=srgb",
    "--force-device-scale-factor=1",
    "--hide-scrollbars",
    "--lang=en-US",
];

/// A browser with one tab.
#[derive(Debug)]
pub(crate) struct Connection {
    browser: Child,
    profile: PathBuf,
    input: ChildStdin,
    messages: Receiver<Value>,
    /// The number of the last command.
    count: u64,
    /// The session ID of the tab.
    session: Option<String>,
    events: Vec<Value>,
}

impl Connection {
    /// Starts the browser with a profile that is removed on drop.
    pub(crate) fn new(program: &Path) -> Self {
        let profile = new_directory();
        let mut browser = Command::new("sh")
            .args(["-c", SCRIPT])
            .arg(program)
            .args(ARGUMENTS)
            .arg(format!("--user-data-dir={}", profile.display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let input = browser.stdin.take().expect("a pipe");
        let output = BufReader::new(browser.stdout.take().expect("a pipe"));
        let (sender, messages) = mpsc::channel();
        thread::spawn(move || {
            for message in output.split(0) {
                let Ok(message) = message else { break };
                let message = serde_json::from_slice(&message).expect("JSON of the browser");
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let events = Vec::new();
        let mut connection =
            Self { browser, profile, input, messages, count: 0, session: None, events };
        let target = connection.call("Target.createTarget", &json!({ "url": "about:blank" }));
        let target = json!({ "targetId": target["targetId"], "flatten": true });
        let attached = connection.call("Target.attachToTarget", &target);
        connection.session = attached["sessionId"].as_str().map(str::to_owned);
        connection
    }

    /// Calls a method of the protocol, and returns its result.
    pub(crate) fn call(&mut self, method: &str, parameters: &Value) -> Value {
        self.count += 1;
        let id = self.count;
        let mut command = json!({ "id": id, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            command["sessionId"] = json!(session);
        }
        let command = format!("{command}\0");
        self.input.write_all(command.as_bytes()).expect("a running browser");
        loop {
            let answer = self.receive(method);
            if answer["id"] == id {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            self.events.push(answer);
        }
    }

    /// Waits for an event whose parameters satisfy `is_it`.
    pub(crate) fn wait_for(&mut self, method: &str, is_it: impl Fn(&Value) -> bool) {
        let began = Instant::now();
        let mut seen = 0;
        loop {
            let events = self.events.get(seen..).unwrap_or_default();
            if events.iter().any(|it| it["method"] == method && is_it(&it["params"])) {
                return;
            }
            seen = self.events.len();
            assert!(began.elapsed() < PATIENCE, "not in time: {method}");
            let event = self.receive(method);
            self.events.push(event);
        }
    }

    fn receive(&self, what: &str) -> Value {
        let message = self.messages.recv_timeout(PATIENCE);
        message.unwrap_or_else(|error| panic!("the browser does not answer {what}: {error}"))
    }

    /// Returns the events so far with their parameters.
    pub(crate) fn events(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.events.iter().map(|it| (it["method"].as_str().unwrap_or_default(), &it["params"]))
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // If it is killed, the browser leaves files behind outside its profile.
        let _ = self.input.write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0");
        let is_closed = retry(|| matches!(self.browser.try_wait(), Ok(Some(_))));
        if !is_closed {
            let _ = self.browser.kill();
            let _ = self.browser.wait();
        }
        // The browser's child processes may continue to write for a moment.
        retry(|| fs::remove_dir_all(&self.profile).is_ok());
    }
}

/// Repeats an action until it succeeds, for up to ten seconds. Returns whether it has succeeded.
fn retry(mut action: impl FnMut() -> bool) -> bool {
    let began = Instant::now();
    while !action() {
        if began.elapsed().as_secs() >= 10 {
            return false;
        }
        thread::sleep(Duration::from_millis(10));
    }
    true
}

/// Creates an empty directory whose name is unique.
fn new_directory() -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let path = env::temp_dir().join(format!("millicron-browser-{}-{number}", process::id()));
    // An earlier process with the same ID may have left it behind.
    let _ = fs::remove_dir_all(&path);
    fs::create_dir(&path).expect("a temporary directory");
    path
}
