//! How often queries read a history, and that all kinds of histories give the same answers.

use std::cell::Cell;
use std::convert::Infallible;
use std::ops::{ControlFlow, RangeInclusive};

use millicron::{Unit, schedule};
use millicron_pipeline::{History, MemoryHistory, Need, Pipeline, RunQuery, RunRecord, RunState};

use crate::support::{HOUR, SATURDAY, all_before, build, builder, saturday};

/// A history that counts its reads.
struct Counting(MemoryHistory, Cell<u32>);

impl History for Counting {
    type Error = Infallible;

    fn record_runs(&mut self, runs: &[(&str, i64, RunRecord)]) -> Result<(), Infallible> {
        self.0.record_runs(runs)
    }

    fn read(
        &self,
        queries: &[RunQuery<'_>],
        visit: &mut dyn FnMut(usize, i64, RunRecord) -> ControlFlow<()>,
    ) -> Result<(), Infallible> {
        self.1.set(self.1.get() + 1);
        self.0.read(queries, visit)
    }

    fn forget_all(&mut self, runs: &[(&str, RangeInclusive<i64>)]) -> Result<(), Infallible> {
        self.0.forget_all(runs)
    }

    fn drop_before(&mut self, jobs: &[(&str, i64)]) -> Result<(), Infallible> {
        self.0.drop_before(jobs)
    }
}

/// Returns a pipeline with all kinds of needs.
fn pipeline() -> Pipeline {
    let either = [Need::last("rates").within_unit(Unit::Day), Need::all("other")];
    build(
        builder()
            .job("load", schedule!("*:01:04"), [])
            .job("rates", schedule!("2:30:00"), [Need::self_previous()])
            .job("other", schedule!("*/6:00:00"), [Need::last("load").ended()])
            .job(
                "report",
                schedule!("*/4:10:00"),
                [
                    Need::all("load"),
                    Need::latest("rates"),
                    Need::at_least(3, "load").period(Unit::Day).periods_back(1),
                    Need::any_of(&either),
                ],
            ),
    )
}

#[test]
fn queries_read_a_history_once_or_twice() {
    let pipeline = pipeline();
    let history = Counting(all_before(&pipeline, SATURDAY), Cell::new(0));
    let ready = |job: &str, run: &str| {
        let readiness = pipeline.ready(job, saturday(run), &history);
        assert!(readiness.is_ok());
        history.1.take()
    };
    assert_eq!(ready("report", "08:10:00"), 1);
    assert_eq!(ready("other", "06:00:00"), 1);
    assert_eq!(ready("load", "00:01:04"), 0, "it needs nothing");
    let unlocked = |job: &str, run: &str| {
        let end = SATURDAY + 24 * HOUR;
        let success = RunState::Succeeded;
        let runs = pipeline.runs_unlocked_by(job, saturday(run), success, &history, ..end);
        assert!(runs.is_ok());
        history.1.take()
    };
    assert_eq!(unlocked("load", "05:01:04"), 2);
    assert_eq!(unlocked("rates", "02:30:00"), 2);
    assert!(pipeline.diagram_of_runs(&history, SATURDAY..SATURDAY + 24 * HOUR).is_ok());
    assert_eq!(history.1.take(), 1);
}

#[cfg(all(feature = "postgres", unix))]
#[test]
fn server_gives_the_same_answers_as_memory() {
    use millicron_pipeline::PostgresHistory;
    use millicron_test_support::servers::PostgresServer;

    let Some(server) = PostgresServer::shared("pipelines in PostgreSQL") else { return };
    let mut database = PostgresHistory::connect(&server.new_database()).expect("a new database");
    let pipeline = pipeline();
    let mut memory = MemoryHistory::new();
    let mut answers = 0;
    for (number, run) in pipeline.plan(..SATURDAY + 30 * HOUR).expect("a plan").enumerate() {
        let ready = pipeline.ready(run.job, run.scheduled, &memory).expect("existing run");
        let of_server = pipeline.ready(run.job, run.scheduled, &database).expect("existing run");
        assert_eq!(of_server, ready, "{run}");
        for state in [RunState::Succeeded, RunState::Failed] {
            let end = run.scheduled + 12 * HOUR;
            let unlocked = pipeline.runs_unlocked_by(run.job, run.scheduled, state, &memory, ..end);
            let of_server =
                pipeline.runs_unlocked_by(run.job, run.scheduled, state, &database, ..end);
            let unlocked = unlocked.expect("existing run");
            answers += unlocked.len();
            assert_eq!(of_server.expect("existing run"), unlocked, "{run}");
        }
        let state = [RunState::Succeeded, RunState::Succeeded, RunState::Failed][number % 3];
        // Some runs are not recorded.
        if number % 7 != 0 {
            let Ok(()) = memory.record_state(run.job, run.scheduled, state);
            database.record_state(run.job, run.scheduled, state).expect("the record succeeds");
        }
    }
    assert!(answers > 10, "{answers}");
    pipeline.prune(SATURDAY, &mut memory).expect("a history in memory does not fail");
    pipeline.prune(SATURDAY, &mut database).expect("the removal succeeds");
    let range = SATURDAY - 48 * HOUR..SATURDAY + 48 * HOUR;
    let diagram = pipeline.diagram_of_runs(&memory, range.clone()).expect("a diagram");
    let of_server = pipeline.diagram_of_runs(&database, range).expect("a diagram");
    assert_eq!(of_server.to_mermaid(), diagram.to_mermaid());
}
