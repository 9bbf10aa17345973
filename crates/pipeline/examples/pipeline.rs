//! Replays a day of a small data pipeline, with a late run and a failed one.

use millicron::{CalendarDigits, Schedule, Unit, schedule};
use millicron_pipeline::{History, MemoryHistory, Need, Pipeline, Readiness, RunState};

/// The name, the schedule and the needs of each job.
static JOBS: [(&str, Schedule, &[Need<'static>]); 5] = [
    ("orders", schedule!("*:01:04"), &[]),
    ("rates", schedule!("2:30:00"), &[]),
    // Several runs a day, each of which needs the last rates and the previous run.
    ("prices", schedule!("3-23/4:05:00"), &[Need::last("rates"), Need::self_previous()]),
    // A daily job needs the hourly orders since its previous run.
    ("report", schedule!("4:00:00"), &[Need::all("orders"), Need::last("rates")]),
    // On weekdays, the briefing needs the previous day's report.
    (
        "briefing",
        schedule!("*.*.* Mon-Fri 3:30:00"),
        &[Need::all("report").period(Unit::Day).periods_back(1)],
    ),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let at = |text: &str| text.parse().map(CalendarDigits::to_millis);
    let (since, day) = (at("2026-11-19 00:00:00")?, at("2026-11-20 00:00:00")?);
    let jobs =
        JOBS.iter().fold(Pipeline::builder().since(since), |jobs, (name, schedule, needs)| {
            jobs.job(name, schedule.clone(), needs.iter().copied())
        });
    let pipeline = jobs.build()?;
    for job in pipeline.jobs() {
        println!("{}\n", pipeline.explain(job)?);
    }

    // Every run of the previous day succeeded.
    let mut history = MemoryHistory::new();
    for run in pipeline.plan(since..day)? {
        history.record(run.job, run.scheduled)?;
    }

    // Today the rates are late, and the orders of 02:01:04 fail at first.
    let late = ("rates", at("2026-11-20 02:30:00")?);
    let failed = ("orders", at("2026-11-20 02:01:04")?);
    for run in pipeline.plan(day..day + 86_400_000)? {
        if [late, failed].contains(&(run.job, run.scheduled)) {
            println!("{run} does not succeed");
            continue;
        }
        match pipeline.ready(run.job, run.scheduled, &history)? {
            Readiness::Ready => history.record(run.job, run.scheduled)?,
            Readiness::Waiting(waiting) => println!("{run} waits for {waiting}"),
        }
    }

    // Each of these runs unlocks others, which in turn unlock more.
    let mut successes = vec![late, failed];
    while let Some((job, scheduled)) = successes.pop() {
        let unlocked = pipeline.runs_unlocked_by(
            job,
            scheduled,
            RunState::Succeeded,
            &history,
            ..=day + 86_399_999,
        )?;
        history.record(job, scheduled)?;
        let names: Vec<String> = unlocked.iter().map(ToString::to_string).collect();
        if !names.is_empty() {
            println!("after `{job}`, these may start: {}", names.join(", "));
        }
        successes.extend(unlocked.into_iter().map(|run| (run.job, run.scheduled)));
    }
    for run in pipeline.plan(day..day + 86_400_000)? {
        assert_eq!(history.first_at_or_after(run.job, run.scheduled)?, Some(run.scheduled));
    }
    Ok(())
}
