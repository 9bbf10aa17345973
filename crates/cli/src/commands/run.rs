//! `millicron run`.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use millicron_pictures::counted;
use serde_json::json;

use crate::characters::visible;
use crate::error::Error;
use crate::output::Output;
use crate::run::{self, Options};
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
  millicron run jobs.toml --page 127.0.0.1:8080
  millicron run warehouse.toml --history runs.db")]
pub(crate) struct Run {
    #[command(flatten)]
    options: Options,

    /// Only check that the file has no errors, and a command for each job; programs are not looked for
    #[arg(long)]
    check: bool,
}

impl Run {
    pub(crate) fn run(self, now: &Now, output: &mut Output) -> Result<ExitCode, Error> {
        output.exclude_json("--raw", self.options.raw)?;
        if !self.check {
            return run::run(self.options, now, output.is_json());
        }
        let file = run::read(&self.options.file)?;
        let (path, count) = (file.path.display().to_string(), file.jobs.len());
        if output.is_json() {
            output.json(&json!({ "file": path, "jobs": count }))?;
        } else {
            let jobs = counted(count as u64, "job");
            writeln!(output, "{}: {jobs}, no errors", visible(&path))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
