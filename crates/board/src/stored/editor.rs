//! Creates and changes stored schedules.

use millicron_apalis::stored::{Selection, StoredError, StoredSchedule, Table};

use super::row::{message, pattern};
use super::{StoredSource, wait};
use crate::source::{Conflict, Draft, Editor, Invalid, Preview, SourceError};

impl<DB: Table> Editor for StoredSource<DB> {
    fn preview(&self, draft: &Draft) -> Result<Preview, SourceError> {
        let schedule = self.drafted(draft)?;
        let invalid = |error| Invalid::new(message(&error));
        let read = self.schedules.read(&schedule).map_err(invalid)?;
        let description = schedule.describe(self.schedules.calendars()).map_err(invalid)?;
        Ok(Preview::new(description, pattern(read)))
    }

    fn draft(&self, job: &str) -> Result<Option<Draft>, SourceError> {
        Ok(self.get(job)?.map(|StoredSchedule { name, schedule, zone, tags, version, .. }| Draft {
            name,
            schedule,
            zone: zone.unwrap_or_default(),
            tags,
            // It may be secret.
            payload: None,
            version,
        }))
    }

    fn store(&self, draft: &Draft) -> Result<(), SourceError> {
        let schedule = self.drafted(draft)?;
        let (schedules, pool) = (&self.schedules, self.schedules.pool());
        let stored = wait(async { Ok(schedules.put(pool, &schedule).await) })?;
        self.read_again();
        match stored {
            Ok(_) => Ok(()),
            Err(StoredError::Invalid { error, .. }) => Err(Invalid::new(message(&error)).into()),
            Err(conflict @ StoredError::Conflict { .. }) => Err(Conflict::new(conflict).into()),
            Err(error) => Err(error.into()),
        }
    }

    fn remove(&self, job: &str) -> Result<bool, SourceError> {
        let removed = wait(self.schedules.remove(self.schedules.pool(), Selection::Name(job)))?;
        self.read_again();
        Ok(removed > 0)
    }
}

impl<DB: Table> StoredSource<DB> {
    /// Returns the row that a draft would store, with the settings of the stored one that a draft does not have.
    fn drafted(&self, draft: &Draft) -> Result<StoredSchedule, SourceError> {
        let Draft { name, schedule, zone, tags, payload, version } = draft;
        let mut drafted = match version {
            None => StoredSchedule::new(name, schedule),
            Some(_) => self.get(name)?.ok_or_else(|| {
                Conflict::new(format_args!("the schedule `{name}` was removed in the meantime"))
            })?,
        };
        drafted.schedule.clone_from(schedule);
        drafted.zone = (!zone.is_empty()).then(|| zone.clone());
        drafted.tags.clone_from(tags);
        if let Some(payload) = payload {
            let invalid = |error| Invalid::new(format_args!("the payload is not JSON: {error}"));
            drafted.payload = serde_json::from_str(payload).map_err(invalid)?;
        }
        // Without a version, there must be no schedule with the name.
        drafted.version = Some(version.unwrap_or_default());
        Ok(drafted)
    }
}
