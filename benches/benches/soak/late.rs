//! How late a process is, which it prints for the one that observes it.

use std::env;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::process::Command;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use millicron_benches::lateness::percentiles;

use crate::ROLE;

/// Returns the 99th percentile since the last call, in milliseconds.
pub(crate) type Lateness = Box<dyn FnMut() -> f64>;

/// How often a process prints how late it was.
const PERIOD: Duration = Duration::from_millis(200);

/// Returns the command for this program with another role.
pub(crate) fn process(role: &str) -> Command {
    let mut command = Command::new(env::current_exe().expect("this program"));
    command.env(ROLE, role);
    command
}

/// How late runs are that start in this process.
#[derive(Clone, Default)]
pub(crate) struct Late(Arc<Mutex<Vec<Duration>>>);

impl Late {
    pub(crate) fn add(&self, lateness: Duration) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(lateness);
    }

    /// Prints how late they are, until nobody reads it.
    pub(crate) fn print(&self) {
        loop {
            thread::sleep(PERIOD);
            let late = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
            let mut lines = String::new();
            for late in late {
                let _ = writeln!(lines, "{}", late.as_micros());
            }
            if std::io::stdout().write_all(lines.as_bytes()).is_err() {
                return;
            }
        }
    }
}

/// Reads what a process prints.
pub(crate) fn printed(output: impl Read + Send + 'static) -> Lateness {
    let (sender, lines) = channel();
    thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            let micros = line.parse().expect("a number");
            if sender.send(Duration::from_micros(micros)).is_err() {
                return;
            }
        }
    });
    Box::new(move || percentiles(&mut lines.try_iter().collect::<Vec<_>>()).p99 / 1000.0)
}
