//! In place of the table of schedules, in a build without clients of databases.

use super::arguments::{Action, DatabaseArguments};
use crate::error::Error;
use crate::output::Output;
use crate::times::Now;

pub(crate) fn run(_: Action, _: &DatabaseArguments, _: &Now, _: &mut Output) -> Result<(), Error> {
    Err(Error::without_feature("schedules", "schedules"))
}
