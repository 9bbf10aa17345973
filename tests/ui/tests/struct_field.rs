//! Schedules in the fields of a struct, and in its `Default`.

use millicron::{Schedule, schedule};

struct Job {
    name: &'static str,
    schedule: Schedule,
}

impl Default for Job {
    fn default() -> Self {
        Self { name: "backup", schedule: schedule!("*.*.* Sun 03:00:00") }
    }
}

const REPORT: Job = Job { name: "report", schedule: schedule!("*.*.1 06:00:00") };

#[test]
fn compiles_and_runs() {
    let jobs = [Job::default(), REPORT];
    assert!(jobs.iter().all(|job| !job.name.is_empty()));
    assert!(jobs[0].schedule != jobs[1].schedule);
}
