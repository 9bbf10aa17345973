//! Starts a command in its own process group.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, absolute};
use std::process::{self, ChildStderr, ChildStdin, ChildStdout, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread;

use millicron_scheduler::RunContext;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group};

use crate::file::{Command, Program};
use crate::run::log::timestamp;

/// A started process with its output pipes.
#[derive(Debug)]
pub(crate) struct Process {
    /// Its ID, which is also the ID of its process group.
    pub(crate) pid: Pid,
    pub(crate) stdout: ChildStdout,
    pub(crate) stderr: ChildStderr,
}

/// The variable with the token of the page, which commands do not get.
pub(crate) const PAGE_TOKEN: &str = "MILLICRON_PAGE_TOKEN";

/// Starts a command for a run.
pub(crate) fn start(command: &Arc<Command>, run: &RunContext) -> io::Result<Process> {
    let feeder = command.input.as_ref().map(|_| feeder(command)).transpose()?;
    let mut child = match &command.program {
        Program::Direct(words) => spawn(words, command, run),
        Program::Shell { shell, line } => spawn(&[shell.as_str(), "-c", line], command, run),
    }?;
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let (Some(pid), Some(stdout), Some(stderr)) = (pid, child.stdout.take(), child.stderr.take())
    else {
        return Err(io::Error::other("the process has no ID or no pipes"));
    };
    if let (Some(feeder), Some(stdin)) = (feeder, child.stdin.take()) {
        // The thread waits for it.
        drop(feeder.send(stdin));
    }
    Ok(Process { pid, stdout, stderr })
}

fn spawn(
    words: &[impl AsRef<str>],
    command: &Command,
    run: &RunContext,
) -> io::Result<process::Child> {
    let Some((program, arguments)) = words.split_first() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the command is empty"));
    };
    let scheduled = timestamp(run.scheduled());
    let mut process = process::Command::new(program.as_ref());
    process
        .args(arguments.iter().map(AsRef::as_ref))
        .env_remove(PAGE_TOKEN)
        .env("MILLICRON_JOB", run.job_name().to_string())
        .env("MILLICRON_SCHEDULED", format!("{scheduled:.3}"))
        .env("MILLICRON_ATTEMPT", run.attempt().to_string())
        .envs(command.shared_environment.iter().chain(&command.environment).cloned())
        .stdin(if command.input.is_some() { Stdio::piped() } else { Stdio::null() })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // Ctrl+C in a terminal signals only us, and the command's own children can be ended with it.
        .process_group(0);
    if let Some(directory) = &command.directory {
        // As shells do. Programs read the name of their directory from it.
        process.current_dir(directory).env("PWD", absolute(directory)?);
    }
    process.spawn().map_err(|error| match &command.directory {
        Some(directory) if error.kind() == io::ErrorKind::NotFound && !directory.is_dir() => {
            io::Error::other(format!("there is no directory `{}`", directory.display()))
        }
        directory => {
            let kind =
                if lacks_resources(&error) { io::ErrorKind::ResourceBusy } else { error.kind() };
            let missing = match kind {
                io::ErrorKind::NotFound => {
                    missing_interpreter(directory.as_deref(), program.as_ref())
                }
                _ => None,
            };
            let reason = missing.unwrap_or_else(|| error.to_string());
            io::Error::new(kind, format!("`{}`: {reason}", program.as_ref()))
        }
    })
}

/// Returns what is missing although a program exists: the system reports that in the same way as a missing program.
fn missing_interpreter(directory: Option<&Path>, program: &str) -> Option<String> {
    // Other names are looked up in `PATH`.
    let path = Some(program).filter(|program| program.contains('/'))?;
    let mut start = Vec::new();
    let directory = directory.unwrap_or(Path::new(""));
    let file = File::open(directory.join(path)).ok()?;
    file.take(256).read_to_end(&mut start).ok()?;
    let Some(line) = start.strip_prefix(b"#!") else {
        return Some("the program is there, but its loader is missing".to_owned());
    };
    let line = String::from_utf8_lossy(line.split(|byte| *byte == b'\n').next()?);
    let name = line.trim_start_matches([' ', '\t']).split([' ', '\t']).next()?;
    if directory.join(name).exists() {
        // Something that the interpreter itself needs is missing.
        return None;
    }
    let ends = if name.ends_with('\r') { "; the script has the line ends of Windows" } else { "" };
    Some(format!("its interpreter `{}` is missing{ends}", name.escape_debug()))
}

/// Whether the machine lacked descriptors, processes or memory for another process or connection.
pub(crate) fn lacks_resources(error: &io::Error) -> bool {
    let errors = [Errno::AGAIN, Errno::MFILE, Errno::NFILE, Errno::NOBUFS, Errno::NOMEM];
    Errno::from_io_error(error).is_some_and(|error| errors.contains(&error))
}

/// Whether a command that could not be started may be started later.
pub(crate) fn is_temporary(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::ResourceBusy
}

/// Starts a thread that writes the input of a command to its pipe, since the command may never read it. The thread is
/// started before the command, which must not find its input empty if there can be no thread.
fn feeder(command: &Arc<Command>) -> io::Result<Sender<ChildStdin>> {
    let command = Arc::clone(command);
    let (sender, receiver) = channel::<ChildStdin>();
    let write = move || {
        let input = command.input.as_deref().unwrap_or_default();
        // Fails if the command ends without reading all of its input.
        drop(receiver.recv().map(|mut stdin| stdin.write_all(input.as_bytes())));
    };
    let started = thread::Builder::new().name("input".to_owned()).spawn(write);
    started.map(|_| sender).map_err(|error| {
        let kind = if lacks_resources(&error) { io::ErrorKind::ResourceBusy } else { error.kind() };
        io::Error::new(kind, format!("its input cannot be written: {error}"))
    })
}

/// Sends a signal to a process group, whose processes may have ended.
pub(crate) fn signal_group(group: Pid, signal: Signal) {
    let _ = kill_process_group(group, signal);
}

/// Returns how a process failed, or `None` if it succeeded.
pub(crate) fn failure(status: ExitStatus) -> Option<String> {
    if let Some(signal) = status.signal() {
        let name = signal_hook::low_level::signal_name(signal);
        return Some(name.map_or_else(
            || format!("killed by signal {signal}"),
            |name| format!("killed by {name}"),
        ));
    }
    let code = status.code().filter(|code| *code != 0)?;
    Some(format!("exit status {code}"))
}

#[cfg(test)]
mod tests {
    use std::io;

    use rustix::io::Errno;

    use super::lacks_resources;

    #[test]
    fn only_some_errors_mean_that_resources_are_lacking() {
        for (error, expected) in [
            (Errno::MFILE, true),
            (Errno::NFILE, true),
            (Errno::NOBUFS, true),
            (Errno::NOMEM, true),
            // The client has gone.
            (Errno::CONNABORTED, false),
            (Errno::NOENT, false),
        ] {
            assert_eq!(lacks_resources(&io::Error::from(error)), expected, "{error}");
        }
    }
}
