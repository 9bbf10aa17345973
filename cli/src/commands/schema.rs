//! `millicron schema`.

use std::process::ExitCode;

use clap::Args;

use crate::error::Error;
use crate::output::Output;
use crate::times::Now;

/// Not built yet
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  millicron schema > jobs.schema.json")]
pub(crate) struct Schema {}

impl Schema {
    pub(crate) fn run(self, now: &Now, output: &mut Output) -> Result<ExitCode, Error> {
        let _ = (now, output.is_json());
        Err(Error::new("not built yet"))
    }
}
