//! In place of the schedules in databases, in a build without them.

use crate::commands::Schedules;
use crate::error::Error;
use crate::output::Output;
use crate::times::Now;

pub(crate) fn run(_: Schedules, _: &Now, _: &mut Output) -> Result<(), Error> {
    Err(Error::without_feature("schedules", "schedules"))
}
