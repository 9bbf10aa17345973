use std::fs::{self, File};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use super::guard::Guard;
use super::{NotInstalled, Stop, User, find, new_directory, signal, wait_until_ready};

/// The name of the only user, who needs no password.
const USER: &str = "millicron";

/// A `PostgreSQL` server, which is removed with all its data on drop.
#[derive(Debug)]
pub struct PostgresServer {
    programs: PathBuf,
    settings: Vec<String>,
    user: Option<User>,
    databases: AtomicU32,
    /// `None` while it is stopped.
    process: Option<Child>,
    // The last field, so that the server is stopped before its directory is removed.
    guard: Guard,
}

impl PostgresServer {
    /// Starts a server whose data survives a crash of the server, but not of the machine.
    pub fn start() -> Result<Self, NotInstalled> {
        // Waiting for the disk takes time, and proves nothing as long as the machine runs.
        Self::start_with(&["fsync=off"])
    }

    /// Starts a server with settings such as `synchronous_commit=off`.
    pub fn start_with(settings: &[&str]) -> Result<Self, NotInstalled> {
        // `PATH` may contain a link to only one of the programs.
        let program = find("initdb", installed_versions())?;
        let programs = program.canonicalize().expect("a path");
        let programs = programs.parent().expect("the directory of a program").to_owned();
        let directory = new_directory("pg");
        let user = User::instead_of_root(&directory);
        if let Some(user) = user {
            user.own(&directory);
        }
        let mut server = Self {
            programs,
            settings: settings.iter().map(|&setting| setting.to_owned()).collect(),
            user,
            databases: AtomicU32::new(0),
            process: None,
            guard: Guard::start(directory, "data/postmaster.pid", "QUIT"),
        };
        server.create();
        server.start_again();
        Ok(server)
    }

    /// Returns a server that all tests of this process share, each with its own databases. If it is not
    /// installed, returns `None` and reports that `what` is skipped.
    ///
    /// The server is removed at the end of the process.
    pub fn shared(what: &str) -> Option<&'static Self> {
        static SERVER: OnceLock<Result<PostgresServer, NotInstalled>> = OnceLock::new();
        SERVER.get_or_init(Self::start).as_ref().map_err(|error| error.leave_out(what)).ok()
    }

    /// Creates an empty database, and returns its connection string.
    pub fn new_database(&self) -> String {
        let name = format!("test_{}", self.databases.fetch_add(1, Ordering::Relaxed));
        let mut command = self.client("createdb");
        // The other template is locked while a connection to it exists.
        command.args(["--template", "template0", &name]);
        check(command.output().expect("createdb"));
        self.url(&name)
    }

    /// Returns the connection string of the database `postgres`.
    pub fn connection_string(&self) -> String {
        self.url("postgres")
    }

    /// Executes SQL in a database, and returns the values of its rows.
    pub fn query(&self, database: &str, sql: &str) -> String {
        let mut command = self.client("psql");
        command.args(["--no-psqlrc", "--tuples-only", "--no-align", "--dbname", database]);
        command.args(["--set", "ON_ERROR_STOP=1", "--command", sql]);
        check(command.output().expect("psql")).trim_end().to_owned()
    }

    /// Restarts the server after it was stopped, and waits until it accepts connections.
    pub fn start_again(&mut self) {
        assert!(self.process.is_none(), "the server runs already");
        let log_path = self.directory().join("log");
        let log = File::options().create(true).append(true).open(&log_path).expect("a log");
        let mut command = self.server("postgres");
        command.arg("-D").arg(self.directory().join("data")).arg("-k").arg(self.directory());
        // Tests that run at once on a machine with many cores have a pool of connections each.
        let settings = ["listen_addresses=", "shared_buffers=32MB", "max_connections=300"];
        for setting in settings.into_iter().chain(self.settings()) {
            command.args(["-c", setting]);
        }
        // Outside the process group that Ctrl-C interrupts: the guard stops it.
        command.process_group(0).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        let mut process = command.spawn().expect("postgres");
        wait_until_ready(&mut process, &log_path, || {
            let output = self.client("pg_isready").output().expect("pg_isready");
            output.status.success()
        });
        self.process = Some(process);
    }

    /// Stops the server, and waits until it has ended. Does nothing if it is already stopped.
    pub fn stop(&mut self, how: Stop) {
        if let Some(mut process) = self.process.take() {
            let name = if how == Stop::Fast { "INT" } else { "QUIT" };
            signal(process.id(), name);
            process.wait().expect("a child process");
        }
    }

    /// Returns the directory of the server, which contains its log.
    pub fn directory(&self) -> &Path {
        self.guard.directory()
    }

    fn settings(&self) -> impl Iterator<Item = &str> {
        self.settings.iter().map(String::as_str)
    }

    fn url(&self, database: &str) -> String {
        format!("postgres:///{database}?host={}&user={USER}", self.directory().display())
    }

    fn create(&self) {
        let mut command = self.server("initdb");
        command.args(["--username", USER, "--auth=trust", "--encoding=UTF8", "--locale=C"]);
        command.args(["--no-sync", "--pgdata"]).arg(self.directory().join("data"));
        check(command.output().expect("initdb"));
    }

    /// Returns a command that runs a program of the server as the server's user.
    fn server(&self, program: &str) -> Command {
        let mut command = Command::new(self.programs.join(program));
        command.env_remove("PGDATA").current_dir(self.directory());
        if let Some(user) = self.user {
            user.run(&mut command);
        }
        command
    }

    fn client(&self, program: &str) -> Command {
        let mut command = Command::new(self.programs.join(program));
        command.arg("--host").arg(self.directory()).args(["--username", USER, "--port", "5432"]);
        command
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        self.stop(Stop::Immediate);
    }
}

/// Returns where Debian's and Red Hat's packages put the programs, the newest version first.
fn installed_versions() -> Vec<PathBuf> {
    let installed = |directory: &str| fs::read_dir(directory).into_iter().flatten().flatten();
    let debian = installed("/usr/lib/postgresql").map(|version| version.path().join("bin"));
    let red_hat = installed("/usr").map(|entry| entry.path().join("bin"));
    let red_hat = red_hat.filter(|path| path.to_string_lossy().starts_with("/usr/pgsql-"));
    let mut directories: Vec<_> = debian.chain(red_hat).collect();
    let version = |path: &PathBuf| {
        let digits = path.to_string_lossy().replace(|it: char| !it.is_ascii_digit(), "");
        digits.parse().unwrap_or(0_u64)
    };
    directories.sort_by_key(|path| std::cmp::Reverse(version(path)));
    directories
}

/// Returns the output of a program, and panics with its message if it failed.
fn check(output: Output) -> String {
    let Output { status, stdout, stderr } = output;
    assert!(status.success(), "{status}: {}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).expect("UTF-8")
}
