//! The lateness of goroutines that Go's timers start.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use millicron_benches::lateness::Lateness;

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/peers/timers.go");

/// The program `peers/timers.go`.
pub(crate) struct Timers {
    program: PathBuf,
}

impl Timers {
    /// Builds the program. Returns `None` if Go is not installed.
    pub(crate) fn build() -> Option<Self> {
        let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("timers");
        let built = Command::new("go").arg("build").arg("-o").arg(&program).arg(SOURCE).status();
        built.ok()?.success().then_some(Self { program })
    }

    /// Measures a number of equally spaced timers.
    pub(crate) fn measure(&self, timers: usize, apart: Duration) -> Lateness {
        let arguments = [timers.to_string(), apart.as_micros().to_string()];
        let output = Command::new(&self.program).args(arguments).output().expect("it was built");
        let text = String::from_utf8_lossy(&output.stdout);
        let mut micros = text.split_whitespace().map(|it| it.parse().expect("a number"));
        let mut next = || micros.next().expect("two numbers");
        Lateness { p50: next(), p99: next() }
    }
}
