//! `millicron run`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use crate::error::Error;
use crate::file::{FileArguments, duration};
use crate::output::Output;
use crate::times::Now;

/// Run the commands in a file on schedule, in the foreground
///
/// SIGTERM or SIGINT stops: no more runs start, and running commands get SIGTERM after --grace, and SIGKILL another
/// --kill-after later. Each further signal starts the next of these steps at once, unless it comes within a second
/// of the last one. SIGHUP reads the file again.
///
/// A job with `needs` starts once the runs that it needs have succeeded. Runs that were due before this process
/// started are neither started nor needed.
///
/// Each command runs in its own process group, with the environment of this process, the variables of the
/// file, and `MILLICRON_JOB`, `MILLICRON_SCHEDULED` and `MILLICRON_ATTEMPT`.
///
/// The exit status is 0 after a signal, 1 if commands had to be killed while stopping or if it stops because
/// its output was closed, and 2 if the file or an argument is invalid.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  millicron run jobs.toml
  millicron run crontab --metrics 127.0.0.1:9090
  millicron run warehouse.toml --history runs.db")]
#[expect(clippy::struct_excessive_bools, reason = "independent flags")]
pub(crate) struct Run {
    #[command(flatten)]
    file: FileArguments,

    /// How long running commands may continue after SIGTERM or SIGINT
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = duration)]
    grace: Duration,

    /// How long a command may take to end after SIGTERM before it is killed
    #[arg(long, value_name = "TIME", default_value = "3s", value_parser = duration)]
    kill_after: Duration,

    /// Read the file again when it changes, as on SIGHUP
    #[arg(long)]
    watch: bool,

    /// Serve /metrics for Prometheus and /health at this address, such as 127.0.0.1:9090
    #[arg(long, value_name = "ADDRESS")]
    metrics: Option<String>,

    /// Write how runs ended to this SQLite file, for `millicron graph --history`
    #[arg(long, value_name = "FILE")]
    history: Option<PathBuf>,

    /// Write only the output of commands, warnings and errors
    #[arg(long, short)]
    quiet: bool,

    /// Pass output through unchanged, stdout to stdout and stderr to stderr; write messages to stderr
    #[arg(long, conflicts_with = "json")]
    raw: bool,

    /// Only check that the file has no errors, and a command for each job; programs are not looked for
    #[arg(long)]
    check: bool,
}

impl Run {
    #[cfg(unix)]
    pub(crate) fn run(self, now: &Now, output: &mut Output) -> Result<ExitCode, Error> {
        use std::io::Write;
        use std::path::Path;

        use millicron_pictures::counted;

        use crate::run::{self, LogFormat, Options};

        if self.check {
            let file = run::read(&self.file)?;
            if output.is_json() {
                let path = file.path.display().to_string();
                output.json(&serde_json::json!({ "file": path, "jobs": file.jobs.len() }))?;
                return Ok(ExitCode::SUCCESS);
            }
            let jobs = counted(file.jobs.len() as u64, "job");
            writeln!(output, "{}: {jobs}, no errors", file.path.display())?;
            return Ok(ExitCode::SUCCESS);
        }
        if now.is_chosen() {
            return Err(Error::new("`run` starts commands by the clock of this machine")
                .hint("leave out `--now`; `simulate --from TIME` starts nothing"));
        }
        if self.watch && self.file.file == Path::new("-") {
            return Err(Error::new("the standard input cannot be watched")
                .hint("name a file, or leave out `--watch`"));
        }
        run::run(Options {
            format: match (self.raw, output.is_json()) {
                (true, _) => LogFormat::Raw,
                (false, true) => LogFormat::Json,
                (false, false) => LogFormat::Text,
            },
            file: self.file,
            is_quiet: self.quiet,
            grace: self.grace,
            kill_after: self.kill_after,
            is_watched: self.watch,
            metrics: self.metrics,
            history: self.history,
        })
    }

    #[cfg(not(unix))]
    pub(crate) fn run(self, _: &Now, _: &mut Output) -> Result<ExitCode, Error> {
        Err(Error::new("`millicron run` needs Unix signals and process groups"))
    }
}
