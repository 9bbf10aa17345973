//! `millicron schema`.

use std::io::Write;

use clap::Args;

use crate::error::Error;
use crate::file::schema;
use crate::output::Output;
use crate::times::Now;

/// Write the JSON schema of TOML job files, for editors
///
/// Editors complete and check a file whose first line names the schema:
/// `#:schema ./jobs.schema.json`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  millicron schema > jobs.schema.json")]
pub(crate) struct Schema {}

impl Schema {
    #[expect(clippy::unused_self, reason = "same signature as other commands")]
    pub(crate) fn run(self, _: &Now, output: &mut Output) -> Result<(), Error> {
        if output.is_json() {
            // On one line, like all results.
            return output.json(&schema());
        }
        let text = serde_json::to_string_pretty(&schema()).map_err(Error::of)?;
        Ok(writeln!(output, "{text}")?)
    }
}
