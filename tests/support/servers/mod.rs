//! Real servers for tests. Each has a temporary directory and a Unix socket, so tests that run at the
//! same time do not disturb each other.
//!
//! If a server is not installed, starting it returns [`NotInstalled`]: the test reports what it skips,
//! and passes. If `MILLICRON_REQUIRE_SERVERS` is set to anything but 0, the test fails instead.

mod guard;
mod postgres;
mod redis;

use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use std::{env, fmt, fs, io, process, thread};

pub use postgres::PostgresServer;
pub use redis::RedisServer;

/// A server program that is neither in `PATH` nor where packages install it.
#[derive(Clone, Copy, Debug)]
pub struct NotInstalled {
    program: &'static str,
}

impl fmt::Display for NotInstalled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is not installed", self.program)
    }
}

impl NotInstalled {
    /// Reports on standard error what a test skips, even if the output of tests is captured.
    /// Panics if servers are required.
    pub fn leave_out(self, what: &str) {
        let required = env::var_os("MILLICRON_REQUIRE_SERVERS");
        let is_required = required.is_some_and(|value| !value.is_empty() && value != "0");
        assert!(!is_required, "{what}: {self}, and MILLICRON_REQUIRE_SERVERS is set");
        let _ = writeln!(io::stderr(), "left out: {what}: {self}");
    }
}

/// How a server is stopped.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Stop {
    /// Connections are closed, and the data is written, as when an administrator stops the server.
    Fast,
    /// Nothing is written, as after a crash of the server. What the server has confirmed is kept.
    Immediate,
}

/// Sends a signal, such as `KILL`, `STOP` or `CONT`, to a process. Returns whether there is such a
/// process.
pub fn signal(process: u32, name: &str) -> bool {
    // `kill` is built into the shell, so it needs no package.
    let mut shell = Command::new("sh");
    shell.args(["-c", "kill -s \"$0\" \"$1\" 2>/dev/null", name, &process.to_string()]);
    shell.status().expect("a shell").success()
}

/// Finds a program in `PATH`, or in one of the other directories.
fn find(
    program: &'static str,
    others: impl IntoIterator<Item = PathBuf>,
) -> Result<PathBuf, NotInstalled> {
    let path = env::var_os("PATH").unwrap_or_default();
    let mut directories = env::split_paths(&path).chain(others);
    directories
        .find_map(|directory| Some(directory.join(program)).filter(|path| path.is_file()))
        .ok_or(NotInstalled { program })
}

/// Creates an empty directory whose name is unique, and short enough for a socket in it.
fn new_directory(prefix: &str) -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("millicron-{prefix}-{}-{number}", process::id());
    let path = env::temp_dir().join(name);
    // An earlier process with the same ID may have left it behind.
    let _ = fs::remove_dir_all(&path);
    fs::create_dir(&path).expect("a temporary directory");
    path
}

/// The user and group of a server that refuses to run as root.
#[derive(Clone, Copy, Debug)]
struct User(u32, u32);

impl User {
    /// Returns the user `postgres`, or `nobody`, if this process runs as root.
    fn instead_of_root(own: &Path) -> Option<Self> {
        if fs::metadata(own).expect("an accessible directory").uid() != 0 {
            return None;
        }
        let users = fs::read_to_string("/etc/passwd").expect("a list of users");
        let find = |name| users.lines().find_map(|line| Self::parse(line, name));
        Some(find("postgres").or_else(|| find("nobody")).expect("the user postgres or nobody"))
    }

    fn parse(line: &str, name: &str) -> Option<Self> {
        let mut fields = line.split(':');
        (fields.next()? == name).then_some(())?;
        let mut numbers = fields.skip(1).map_while(|field| field.parse().ok());
        Some(Self(numbers.next()?, numbers.next()?))
    }

    fn own(self, path: &Path) {
        chown(path, Some(self.0), Some(self.1)).expect("root changes the owner of a file");
    }

    fn run(self, command: &mut Command) {
        command.uid(self.0).gid(self.1);
    }
}

/// Waits until a server answers. Panics with its log if it ends, or does not answer within five minutes.
fn wait_until_ready(server: &mut Child, log: &Path, mut is_ready: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_ready() {
        let ended = server.try_wait().expect("a child process");
        if ended.is_some() || began.elapsed() >= Duration::from_mins(5) {
            let log = fs::read_to_string(log).unwrap_or_default();
            panic!("the server does not start ({ended:?}):\n{log}");
        }
        thread::sleep(Duration::from_millis(10));
    }
}
