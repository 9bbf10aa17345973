//! Child processes, which run this test program in a role from an environment variable.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStderr, ChildStdin, Command, Stdio};
use std::{env, io};

use millicron_test_support::directory::Directory;
use millicron_test_support::processes::this_program;

/// The connection string of the database that a child uses instead of a file in its directory.
const DATABASE: &str = "MILLICRON_TEST_DATABASE";

const ROLE: &str = "MILLICRON_TEST_ROLE";

/// Sends a line to the parent, in a single write.
pub(crate) fn send(line: impl std::fmt::Display) {
    io::stderr().write_all(format!("{line}\n").as_bytes()).expect("the parent reads");
}

/// Receives a line from the parent. Returns `None` if the input has ended.
pub(crate) fn receive() -> Option<String> {
    let mut line = String::new();
    let read = io::stdin().lock().read_line(&mut line).expect("UTF-8");
    (read > 0).then(|| line.trim_end_matches('\n').to_owned())
}

/// The entry point of child processes. In the parent it does nothing.
#[test]
fn child() {
    let Ok(role) = env::var(ROLE) else {
        return;
    };
    match env::var(DATABASE) {
        #[cfg(all(feature = "postgres", unix))]
        Ok(database) => crate::postgres::run_child(&role, &database),
        #[cfg(feature = "sqlite")]
        Err(_) => crate::sqlite::run_child(&role),
        #[cfg(not(all(feature = "postgres", feature = "sqlite", unix)))]
        _ => panic!("no history for the role {role}"),
    }
}

/// Prepares this program, or one that executes it with further arguments, for a role in a directory.
pub(crate) fn in_role(mut program: Command, role: &str, directory: &Directory) -> Command {
    program.args(["--exact", "processes::child", "--nocapture"]);
    program.env(ROLE, role).current_dir(directory.path());
    program
}

/// A child process, which is killed on drop.
pub(crate) struct Process {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStderr>,
}

impl Process {
    /// Starts a process with a role, and a file in its current directory.
    #[cfg(feature = "sqlite")]
    pub(crate) fn start(role: &str, directory: &Directory) -> Self {
        Self::start_with(role, directory, None)
    }

    /// Starts a process with a role, and a database or a file.
    pub(crate) fn start_with(role: &str, directory: &Directory, database: Option<&str>) -> Self {
        let mut child = in_role(this_program(), role, directory)
            .envs(database.map(|database| (DATABASE, database)))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("child process");
        let input = child.stdin.take();
        let output = BufReader::new(child.stderr.take().expect("piped"));
        Self { child, input, output }
    }

    pub(crate) fn send(&mut self, line: &str) {
        let input = self.input.as_mut().expect("not ended");
        input.write_all(format!("{line}\n").as_bytes()).expect("the child reads");
    }

    pub(crate) fn receive(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("UTF-8");
        assert_eq!(line.pop(), Some('\n'), "the child wrote an incomplete line: {line:?}");
        line
    }

    /// Kills the process, like `kill -9`, and returns the lines that were not read yet.
    pub(crate) fn kill(mut self) -> Vec<String> {
        self.child.kill().expect("killed");
        self.child.wait().expect("ended");
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).expect("UTF-8");
        assert!(rest.is_empty() || rest.ends_with('\n'), "{rest:?}");
        rest.lines().map(str::to_owned).collect()
    }

    /// Closes the process's input, and waits for it to end.
    pub(crate) fn end(mut self) {
        self.input = None;
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).expect("UTF-8");
        assert_eq!(rest, "");
        assert!(self.child.wait().expect("ended").success());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
