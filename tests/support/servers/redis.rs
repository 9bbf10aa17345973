use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::guard::Guard;
use super::{NotInstalled, Stop, find, new_directory, signal, wait_until_ready};

const SOCKET: &str = "redis.sock";

/// A Redis server, which is removed with all its data on drop.
#[derive(Debug)]
pub struct RedisServer {
    program: PathBuf,
    /// `None` while it is stopped.
    process: Option<Child>,
    // The last field, so that the server is stopped before its directory is removed.
    guard: Guard,
}

impl RedisServer {
    /// Starts a server whose data survives a crash of the server, but not of the machine.
    pub fn start() -> Result<Self, NotInstalled> {
        let program = find("redis-server", [PathBuf::from("/usr/sbin")])?;
        let guard = Guard::start(new_directory("redis"), "pid", "KILL");
        let mut server = Self { program, process: None, guard };
        server.start_again();
        Ok(server)
    }

    /// Returns the connection string.
    pub fn connection_string(&self) -> String {
        format!("redis+unix://{}", self.directory().join(SOCKET).display())
    }

    /// Restarts the server after it was stopped, and waits until it accepts connections.
    pub fn start_again(&mut self) {
        assert!(self.process.is_none(), "the server runs already");
        let log_path = self.directory().join("log");
        let log = File::options().create(true).append(true).open(&log_path).expect("a log");
        let mut command = Command::new(&self.program);
        command.current_dir(self.directory());
        // Each change is passed to the operating system before the client gets its answer. Waiting for
        // the disk takes time, and proves nothing as long as the machine runs.
        for (name, value) in [
            ("--port", "0"),
            ("--unixsocket", SOCKET),
            ("--save", ""),
            ("--appendonly", "yes"),
            ("--appendfsync", "no"),
            ("--pidfile", "pid"),
            ("--daemonize", "no"),
        ] {
            command.args([name, value]);
        }
        let errors = log.try_clone().expect("a log");
        // Outside the process group that Ctrl-C interrupts: the guard stops it.
        command.process_group(0).stdin(Stdio::null()).stdout(log).stderr(errors);
        let mut process = command.spawn().expect("redis-server");
        let socket = self.directory().join(SOCKET);
        wait_until_ready(&mut process, &log_path, || answers(&socket));
        self.process = Some(process);
    }

    /// Stops the server, and waits until it has ended. Does nothing if it is already stopped.
    pub fn stop(&mut self, how: Stop) {
        if let Some(mut process) = self.process.take() {
            let name = if how == Stop::Fast { "TERM" } else { "KILL" };
            signal(process.id(), name);
            process.wait().expect("a child process");
        }
    }

    /// Returns the directory of the server, which contains its log.
    pub fn directory(&self) -> &Path {
        self.guard.directory()
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        self.stop(Stop::Immediate);
    }
}

/// Returns whether the server has loaded its data.
fn answers(socket: &Path) -> bool {
    let Ok(mut stream) = UnixStream::connect(socket) else {
        return false;
    };
    let mut answer = [0; 5];
    stream
        .set_read_timeout(Some(Duration::from_secs(1)))
        .and_then(|()| stream.write_all(b"PING\r\n"))
        .and_then(|()| stream.read_exact(&mut answer))
        .is_ok_and(|()| answer == *b"+PONG")
}
