//! Schedules in a database, which a further process changes all the time: through the crate and by plain
//! SQL, also several in one transaction.
//!
//! Triggers of the test itself record when each change was committed, and what it changed. In the end, each
//! event of each version is one task with the payload of that version, and there is no other task.

mod changer;
mod patterns;
mod table;
mod versions;

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

pub(crate) use changer::change;
use sqlx::{Postgres, Sqlite};
use table::ProofTable;
pub(crate) use table::prepare;
use versions::{Counts, Versions};

use crate::account::Account;
use crate::chaos::{Chaos, Disturbance};
use crate::storage::{Kind, Server};
use crate::worker::Work;

#[test]
fn postgres_every_event_of_every_version_is_one_task_though_processes_are_killed() {
    prove::<Postgres>(Kind::Postgres, Disturbance::Both);
}

#[test]
fn postgres_reports_no_errors_if_nothing_is_killed() {
    prove::<Postgres>(Kind::Postgres, Disturbance::None);
}

#[test]
fn sqlite_every_event_of_every_version_is_one_task_though_processes_are_killed() {
    prove::<Sqlite>(Kind::Sqlite, Disturbance::Both);
}

fn prove<DB: ProofTable>(kind: Kind, disturbance: Disturbance) {
    let Some(mut chaos) = Chaos::start(kind, Work::Stored, disturbance) else { return };
    chaos.disturb();
    chaos.end_changes();
    end_schedules::<DB>(&chaos);
    chaos.end_processes();
    let pool = chaos.runtime.block_on(DB::connect_test(&chaos.settings.url));
    let records = chaos.runtime.block_on(DB::records(&pool));
    chaos.runtime.block_on(pool.close());
    let versions = Versions::new(records);
    check_logs(&chaos, &versions);
    let Counts { versions, events, triggered, tasks, uncertain, late_push, latest_push } =
        versions.check();
    let log = chaos.settings.directory.join("log");
    let account = Account::read(&log, i64::MIN, i64::MAX);
    for (key, run) in &account.runs {
        assert_eq!(run.tasks.len(), 1, "{key} was {:?}", run.tasks);
    }
    println!(
        "{} stored {disturbance:?}: {versions} versions, {events} events, {triggered} triggers, \
         {tasks} tasks, {} executed, {} kills; pushed after {late_push} ms (p99), at most \
         {latest_push} ms; {uncertain} changes took several milliseconds to commit",
        kind.name(),
        account.runs.len(),
        chaos.kills,
    );
}

/// Removes half of the schedules, pauses the others, and waits until all events are tasks.
fn end_schedules<DB: ProofTable>(chaos: &Chaos) {
    let (table, retired) = (DB::TABLE, DB::RETIRED);
    let pool = chaos.runtime.block_on(DB::connect_test(&chaos.settings.url));
    let execute = |sql: String| {
        chaos.runtime.block_on(async {
            let mut connection = pool.acquire().await.expect("a connection");
            DB::run_sql(&mut connection, sql).await.expect("a valid statement");
        });
    };
    execute(format!("UPDATE {table} SET paused = TRUE WHERE name < 's12'"));
    let waiting = format!(
        "SELECT (SELECT count(*) FROM {retired})
            + (SELECT count(*) FROM {table} WHERE next_at IS NOT NULL)"
    );
    let began = Instant::now();
    // What the changer has begun may still be committed.
    loop {
        execute(format!("DELETE FROM {table} WHERE NOT paused"));
        let count = chaos.runtime.block_on(DB::count(&pool, waiting.clone()));
        if count == 0 {
            break;
        }
        assert!(began.elapsed() < Duration::from_mins(10), "{count} rows have events that wait");
        thread::sleep(Duration::from_millis(100));
    }
    chaos.runtime.block_on(pool.close());
}

/// Checks that neither the changes nor the server have reported an error of ours.
fn check_logs(chaos: &Chaos, versions: &Versions) {
    let errors = fs::read_to_string(chaos.settings.directory.join("errors")).unwrap_or_default();
    assert_eq!(errors, "");
    let Server::Postgres(server) = &chaos.server else { return };
    let log = fs::read_to_string(server.directory().join("log")).expect("a log");
    assert!(!log.contains("deadlock detected"), "{log}");
    if chaos.kills == 0 {
        let errors: Vec<_> = log.lines().filter(|line| line.contains("ERROR:")).collect();
        let duplicate =
            "duplicate key value violates unique constraint \"idx_jobs_idempotency_key\"";
        let (duplicates, others): (Vec<_>, Vec<_>) =
            errors.into_iter().partition(|line| line.contains(duplicate));
        assert_eq!(others, [""; 0]);
        // A schedule that is triggered at the instant of an event has a single task.
        let expected = versions.triggered_events();
        assert!(duplicates.len() <= expected, "{} duplicates, not {expected}", duplicates.len());
    }
}
