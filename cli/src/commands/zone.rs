//! `millicron zone`.

use std::process::ExitCode;

use clap::Args;

use crate::error::Error;
use crate::output::Output;
use crate::times::Now;

/// Not built yet
#[derive(Args, Debug)]
pub(crate) struct Zone {}

impl Zone {
    pub(crate) fn run(self, now: &Now, output: &mut Output) -> Result<ExitCode, Error> {
        let _ = (now, output.is_json());
        Err(Error::new("not built yet"))
    }
}
