//! Finds schedules that would mix local time and UTC.

use alloc::vec::Vec;

use millicron::{Recurrence, Unit};

use crate::error::PipelineProblem;
use crate::model::job::Job;
use crate::model::relation::Relation;

/// If any schedule has a time zone, reports schedules without one, needs that would use calendar
/// units in UTC, and civil times.
pub(crate) fn check(jobs: &[Job], has_civil_time: bool, problems: &mut Vec<PipelineProblem>) {
    let Some(zoned) = jobs.iter().find(|job| job.timeline.is_zoned()) else { return };
    let name = |job: &Job| (&*job.name).into();
    if let Some(civil) = jobs.iter().find(|job| job.timeline.is_civil()) {
        problems
            .push(PipelineProblem::MixedZones { zoned: name(zoned), without_zone: name(civil) });
    }
    for job in jobs {
        problems.extend(Relation::of(jobs, job).filter_map(unit_without_zone));
    }
    if has_civil_time {
        problems.push(PipelineProblem::CivilTime { job: name(zoned) });
    }
}

/// Returns a problem if a need would use calendar units in UTC.
fn unit_without_zone(relation: Relation<'_>) -> Option<PipelineProblem> {
    let Relation { job, upstream, .. } = relation;
    for own in job.timeline.versions() {
        for of in upstream.timeline.versions() {
            for (unit, version) in relation.local_units(own, of) {
                // Zones differ by whole minutes, so shorter units need no zone. A cron expression
                // without a zone is reported separately.
                let recurrence = &version.recurrence;
                let has_zone = recurrence.is_zoned() || recurrence.schedule().is_some();
                if unit >= Unit::Hour && !has_zone {
                    let without_zone = if core::ptr::eq(version, own) { job } else { upstream };
                    let [job, without_zone] = [job, without_zone].map(|job| (&*job.name).into());
                    return Some(PipelineProblem::UnitWithoutZone { job, without_zone, unit });
                }
            }
        }
    }
    None
}
