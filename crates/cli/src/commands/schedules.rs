//! `millicron schedules`.

use clap::Args;

use crate::error::Error;
use crate::output::Output;
use crate::schedules::{self, Action, DatabaseArguments};
use crate::times::Now;

/// List and change the schedules in a PostgreSQL or SQLite database
///
/// Programs with the library `millicron-apalis` run tasks at the events of these schedules, and notice changes at once,
/// or with SQLite within a second. If the database has no table of schedules, this creates it.
#[derive(Args, Debug)]
#[command(
    disable_help_subcommand = true,
    after_help = "\
Examples:
  millicron schedules list --database postgres://app@localhost/app
  millicron schedules put report/7 '0 9 * * MON-FRI' --zone Europe/Berlin --payload '\"PDF\"'
  millicron schedules show report/7 --database sqlite:schedules.db
  millicron schedules pause --tag customer-7"
)]
pub(crate) struct Schedules {
    #[command(flatten)]
    database: DatabaseArguments,

    #[command(subcommand)]
    action: Action,
}

impl Schedules {
    pub(crate) fn run(self, now: &Now, output: &mut Output) -> Result<(), Error> {
        schedules::run(self.action, &self.database, now, output)
    }
}
