//! `millicron check`.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::error::Error;
use crate::file::{JobFile, ReadArguments};
use crate::output::Output;
use crate::times::Now;

/// Not built yet
#[derive(Args, Debug)]
pub(crate) struct Check {
    files: Vec<PathBuf>,
    #[command(flatten)]
    reading: ReadArguments,
}

impl Check {
    pub(crate) fn run(self, now: &Now, output: &mut Output) -> Result<ExitCode, Error> {
        let _ = (now, output.is_json());
        for path in &self.files {
            let file = JobFile::load(path, &self.reading.options()?)?;
            for problem in &file.problems {
                writeln!(output, "{problem:#?} {:?}", &file.text[problem.span.clone()])?;
            }
            writeln!(output, "{:#?}", file.jobs)?;
            writeln!(output, "{:?}", file.pipeline().map_err(|error| Error::new(error))?)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
