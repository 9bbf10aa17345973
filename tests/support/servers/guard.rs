use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A process that removes a server when the test process drops this guard, or ends: even if the test
/// process is killed, and even if the server is a static, which is never dropped.
///
/// The process reads from a pipe to which only the test process can write, so it notices when the test
/// process ends.
#[derive(Debug)]
pub(super) struct Guard {
    directory: PathBuf,
    process: Child,
}

/// Its arguments are the directory, the file with the server's process ID, and the signal that ends the
/// server. A busy server needs a while to end, and its last processes may still write into the directory. The script
/// waits neither for a zombie, which may never be reaped, nor forever.
const SCRIPT: &str = r#"
trap '' HUP INT TERM
cat >/dev/null
process=$(head -n 1 "$1" 2>/dev/null)
if [ -n "$process" ] && kill -s "$2" "$process" 2>/dev/null; then
    for _ in $(seq 150); do
        kill -0 "$process" 2>/dev/null || break
        grep -q '^State:.Z' "/proc/$process/status" 2>/dev/null && break
        sleep 0.2
    done
fi
for _ in $(seq 150); do
    rm -rf "$0" 2>/dev/null && break
    sleep 0.2
done
"#;

impl Guard {
    /// Guards a directory, in which a file contains the server's process ID as long as the server runs.
    pub(super) fn start(directory: PathBuf, process_file: &str, signal: &str) -> Self {
        let process = Command::new("sh")
            .args(["-c", SCRIPT])
            .arg(&directory)
            .arg(directory.join(process_file))
            .arg(signal)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            // If the output of a test is a pipe, its reader need not wait for this process.
            .stderr(Stdio::null())
            // Outside the process group that Ctrl-C interrupts.
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
