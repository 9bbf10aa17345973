//! Moves schedules to other databases.

use std::time::{Duration, Instant, SystemTime};

use millicron::unix_millis;

use super::Shards;
use crate::job::millis;
use crate::stored::access::Access;
use crate::stored::database::Table;
use crate::stored::error::StoredError;
use crate::stored::filter::{Filter, Selection};
use crate::stored::schedule::StoredSchedule;
use crate::stored::schedules::Schedules;

/// The tag of rows that stay until their last event.
const MOVED: &str = "millicron:moved";

/// How many schedules are moved at once.
const TOGETHER: usize = 1000;

impl<DB: Table> Shards<DB> {
    /// Moves the schedules in the databases of `from` that belong into a database with another name. Returns how
    /// many of their rows are still in `from`: call this again after `delay`, until it returns 0.
    ///
    /// See [Adding and removing a database](Self#adding-and-removing-a-database).
    ///
    /// A schedule that moves is in both databases for a while. Its events until `delay` from now still
    /// come from the old database, whose row [ends](StoredSchedule::ends_at) then, and all later ones from the new
    /// database, whose row starts then. So each event is one task, provided that `delay`, such as a minute, is longer
    /// than the sum of: the time to write 1,000 schedules, the difference between the clocks of the machines and
    /// databases, and the time that tasks are pushed [ahead](crate::SourceBuilder::ahead). The old row has the tag
    /// `millicron:moved`, and a later call removes it. The new one has version 1, and keeps its start. Invalid
    /// schedules stay where they are.
    ///
    /// # Errors
    ///
    /// A database failed, or a schedule was changed meanwhile. Some schedules have moved. Call this again before
    /// `delay` has passed; otherwise, up to 1,000 schedules have events in both databases until you do. If writing took
    /// longer than `delay`, the error is [`TooSlow`](StoredError::TooSlow), and up to 1,000 schedules may have lost or
    /// doubled events.
    pub async fn rebalance(&self, from: &Self, delay: Duration) -> Result<usize, StoredError> {
        let mut left = 0;
        for (name, table) in from.iter() {
            left += remove_moved(table, delay).await?;
            let mut next = Some(Filter::default().limit(TOGETHER));
            while let Some(filter) = next {
                let page = table.list(table.pool(), &filter).await?;
                let strays = page.schedules.into_iter().filter(|it| self.name_of(&it.name) != name);
                left += self.move_all(table, strays.collect(), delay).await?;
                next = page.next;
            }
        }
        Ok(left)
    }

    /// Returns how many rows are still to be removed.
    async fn move_all(
        &self,
        table: &Schedules<DB>,
        mut schedules: Vec<StoredSchedule>,
        delay: Duration,
    ) -> Result<usize, StoredError> {
        schedules.retain(|it| !has_moved(it) && table.read(it).is_ok());
        let (now, start) = (unix_millis(SystemTime::now()), Instant::now());
        let moves = schedules.iter().filter_map(|it| divide(it, now, millis(delay)));
        let (old, new): (Vec<_>, Vec<_>) = moves.unzip();
        // A schedule must not be lost if this fails in between.
        self.put_all(&new).await?;
        if !old.is_empty() {
            table.put_all(table.pool(), &old).await?;
        }
        if start.elapsed() < delay { Ok(schedules.len()) } else { Err(StoredError::TooSlow(delay)) }
    }
}

/// Removes rows whose last event has passed for longer than a delay. Returns how many are left.
async fn remove_moved<DB: Table>(
    table: &Schedules<DB>,
    delay: Duration,
) -> Result<usize, StoredError> {
    let mut left = 0;
    let mut next = Some(Filter::default().tag(MOVED).limit(TOGETHER));
    let before = unix_millis(SystemTime::now()).saturating_sub(millis(delay));
    while let Some(filter) = next {
        let page = table.list(table.pool(), &filter).await?;
        let mut connection = Access::Pool(table.pool()).acquire().await?;
        let mut transaction = connection.begin().await?;
        for schedule in &page.schedules {
            if schedule.paused || has_ended(schedule, before) {
                table.remove(&mut transaction, Selection::Name(&schedule.name)).await?;
            } else {
                left += 1;
            }
        }
        transaction.commit().await?;
        next = page.next;
    }
    Ok(left)
}

fn has_moved(schedule: &StoredSchedule) -> bool {
    schedule.tags.iter().any(|tag| tag == MOVED)
}

fn has_ended(schedule: &StoredSchedule, before: i64) -> bool {
    schedule.ends_at.is_some_and(|end| end < before)
}

/// Returns the rows of a schedule in the old and in the new database. `None` if it ends so soon that it moves
/// later.
fn divide(
    schedule: &StoredSchedule,
    now: i64,
    delay: i64,
) -> Option<(StoredSchedule, StoredSchedule)> {
    let at = now.saturating_add(delay);
    let (mut old, mut new) = (schedule.clone(), schedule.clone());
    old.tags.push(MOVED.to_owned());
    new.version = None;
    if schedule.starts_at >= Some(at) || has_ended(schedule, now.saturating_sub(delay)) {
        // All events are in the new database, or have passed.
        old.paused = true;
    } else if has_ended(schedule, at) {
        return None;
    } else {
        old.ends_at = Some(at - 1);
        new.starts_at = Some(at);
    }
    Some((old, new))
}
