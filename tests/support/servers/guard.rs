use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A process that removes a server when the test process drops this, or ends: even if it is killed,
/// and where the server is a static, which is never dropped.
///
/// It reads from a pipe that only the test process can write to, and so notices its end.
#[derive(Debug)]
pub(super) struct Guard {
    directory: PathBuf,
    process: Child,
}

/// The directory, the file with the number of the server's process, and the signal that ends it.
/// It does not wait forever, because a process that nobody waits for may never disappear.
const SCRIPT: &str = r#"
trap '' HUP INT TERM
cat >/dev/null
process=$(head -n 1 "$1" 2>/dev/null)
if [ -n "$process" ] && kill -s "$2" "$process" 2>/dev/null; then
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        kill -0 "$process" 2>/dev/null || break
        sleep 0.2
    done
fi
rm -rf "$0"
"#;

impl Guard {
    /// Guards a directory, in which a file has the number of the server's process as long as the
    /// server runs.
    pub(super) fn start(directory: PathBuf, process_file: &str, signal: &str) -> Self {
        let process = Command::new("sh")
            .args(["-c", SCRIPT])
            .arg(&directory)
            .arg(directory.join(process_file))
            .arg(signal)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            // A test whose output is a pipe ends without waiting for this process.
            .stderr(Stdio::null())
            // Not in the group that a terminal interrupts.
            .process_group(0)
            .spawn()
            .expect("a shell");
        Self { directory, process }
    }

    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}
