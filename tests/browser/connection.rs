//! [`Connection`]: a tab of Chromium, driven through the `DevTools` protocol.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};
use std::{env, fs, io, process, thread};

use serde_json::{Value, json};

/// The time limit for the browser's answers, and for conditions that tests wait for.
pub(crate) const PATIENCE: Duration = Duration::from_mins(5);

/// Connects our pipes to file descriptors 3 and 4, from which Chromium reads and to which it writes.
const SCRIPT: &str = r#"exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1"#;

const ARGUMENTS: [&str; 18] = [
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
    // A spare process for each page would take as long to start as the one that is used.
    "--disable-features=SpareRendererForSitePerProcess",
    "--metrics-recording-only",
    "--no-first-run",
    // The same rendering on every machine.
    "--force-color-profile=srgb",
    "--force-device-scale-factor=1",
    "--hide-scrollbars",
    "--lang=en-US",
];

/// A browser process with a profile that is removed on drop.
///
/// The tests of a program share it, since starting it takes longer than most of them.
#[derive(Debug)]
struct Browser {
    process: Mutex<Child>,
    profile: PathBuf,
    input: Mutex<ChildStdin>,
    /// Where the messages of a session go, by its ID. The browser's own have an empty one.
    receivers: Arc<Mutex<HashMap<String, Sender<Value>>>>,
    /// The answers to its own commands, which are called one after another.
    answers: Mutex<Receiver<Value>>,
    /// The number of the last command.
    count: AtomicU64,
}

impl Browser {
    /// Returns the browser that is running, or starts one.
    fn shared(program: &Path) -> Arc<Self> {
        static RUNNING: Mutex<Weak<Browser>> = Mutex::new(Weak::new());
        let mut running = lock(&RUNNING);
        running.upgrade().unwrap_or_else(|| {
            let browser = Arc::new(Self::start(program));
            *running = Arc::downgrade(&browser);
            browser
        })
    }

    fn start(program: &Path) -> Self {
        let profile = new_directory();
        let mut process = Command::new("sh")
            .args(["-c", SCRIPT])
            .arg(program)
            .args(ARGUMENTS)
            .arg(format!("--user-data-dir={}", profile.display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let input = process.stdin.take().expect("a pipe");
        let output = BufReader::new(process.stdout.take().expect("a pipe"));
        let (sender, answers) = mpsc::channel();
        let receivers = Arc::new(Mutex::new(HashMap::from([(String::new(), sender)])));
        let all = Arc::clone(&receivers);
        thread::spawn(move || {
            for message in output.split(0) {
                let Ok(message) = message else { break };
                let message: Value = serde_json::from_slice(&message).expect("JSON of the browser");
                let session = message["sessionId"].as_str().unwrap_or_default();
                let receiver = lock(&all).get(session).cloned();
                // The session may have ended.
                receiver.map(|it| it.send(message));
            }
            // Nobody waits for a browser that has ended.
            lock(&all).clear();
        });
        Self {
            process: Mutex::new(process),
            profile,
            input: Mutex::new(input),
            receivers,
            answers: Mutex::new(answers),
            count: AtomicU64::new(0),
        }
    }

    /// Sends a command of a session, or of the browser itself, and returns its number.
    fn send(&self, session: Option<&str>, method: &str, parameters: &Value) -> io::Result<u64> {
        let id = self.count.fetch_add(1, Ordering::Relaxed) + 1;
        let mut command = json!({ "id": id, "method": method, "params": parameters });
        if let Some(session) = session {
            command["sessionId"] = json!(session);
        }
        let command = format!("{command}\0");
        lock(&self.input).write_all(command.as_bytes())?;
        Ok(id)
    }

    /// Calls a method of the browser itself, and returns its result.
    fn call(&self, method: &str, parameters: &Value) -> Value {
        let answers = lock(&self.answers);
        let id = self.send(None, method, parameters).expect("a running browser");
        loop {
            let answer = receive(&answers, method);
            if answer["id"] == id {
                return result(&answer, method);
            }
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // If it is killed, the browser leaves files behind outside its profile.
        let _ = lock(&self.input).write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0");
        let mut process = lock(&self.process);
        let is_closed = retry(|| matches!(process.try_wait(), Ok(Some(_))));
        if !is_closed {
            let _ = process.kill();
            let _ = process.wait();
        }
        // The browser's child processes may continue to write for a moment.
        retry(|| fs::remove_dir_all(&self.profile).is_ok());
    }
}

/// A tab that shares nothing with others of the same browser.
#[derive(Debug)]
pub(crate) struct Connection {
    browser: Arc<Browser>,
    /// The ID of what the browser calls a context: cookies, storage, cache.
    context: Value,
    session: String,
    messages: Receiver<Value>,
    events: Vec<Value>,
}

impl Connection {
    pub(crate) fn new(program: &Path) -> Self {
        let browser = Browser::shared(program);
        let created = browser.call("Target.createBrowserContext", &json!({}));
        let context = created["browserContextId"].clone();
        let target = json!({ "url": "about:blank", "browserContextId": context });
        let target = browser.call("Target.createTarget", &target);
        let target = json!({ "targetId": target["targetId"], "flatten": true });
        let attached = browser.call("Target.attachToTarget", &target);
        let session = attached["sessionId"].as_str().expect("the ID of a session").to_owned();
        let (sender, messages) = mpsc::channel();
        lock(&browser.receivers).insert(session.clone(), sender);
        Self { browser, context, session, messages, events: Vec::new() }
    }

    /// Calls a method of the protocol, and returns its result.
    pub(crate) fn call(&mut self, method: &str, parameters: &Value) -> Value {
        let id = self.browser.send(Some(&self.session), method, parameters);
        let id = id.expect("a running browser");
        loop {
            let answer = receive(&self.messages, method);
            if answer["id"] == id {
                return result(&answer, method);
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
            self.events.push(receive(&self.messages, method));
        }
    }

    /// Returns the events so far with their parameters.
    pub(crate) fn events(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.events.iter().map(|it| (it["method"].as_str().unwrap_or_default(), &it["params"]))
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        lock(&self.browser.receivers).remove(&self.session);
        // Nobody needs to know whether that works: if it does not, the browser ends soon.
        let context = json!({ "browserContextId": self.context });
        let _ = self.browser.send(None, "Target.disposeBrowserContext", &context);
    }
}

fn receive(messages: &Receiver<Value>, what: &str) -> Value {
    let message = messages.recv_timeout(PATIENCE);
    message.unwrap_or_else(|error| panic!("the browser does not answer {what}: {error}"))
}

/// Returns the result in an answer.
fn result(answer: &Value, method: &str) -> Value {
    assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
    answer["result"].clone()
}

/// Locks, also after a test has failed.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Repeats an action until it succeeds, unless that takes too long. Returns whether it has succeeded.
fn retry(mut action: impl FnMut() -> bool) -> bool {
    let began = Instant::now();
    while !action() {
        if began.elapsed() >= PATIENCE {
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
