//! Four processes run the same program with a shared server or file. At random moments, a process is killed
//! and restarted, and the server is stopped and started. In the end, each event is one task, and each task
//! was executed.
//!
//! The processes append what they do to a log. The test compares it with the events, which it computes
//! without the crate.
//!
//! Each test takes about ten seconds, or a minute with `MILLICRON_FULL_TESTS=1`; that of schedules in
//! `PostgreSQL`, 15 seconds or three minutes. It prints its seed; set `MILLICRON_TEST_SEED` to that seed to
//! repeat it.
#![cfg(unix)]

mod account;
mod chaos;
mod random;
mod storage;
mod stored;
mod worker;

use chaos::{Chaos, Disturbance};
use storage::Kind;
use worker::Work;

fn prove(kind: Kind, work: Work, disturbance: Disturbance) {
    let Some(mut chaos) = Chaos::start(kind, work, disturbance) else { return };
    chaos.disturb();
    let account = chaos.wait_until_done();
    account.check(work);
    chaos.end(&account);
}

macro_rules! proofs {
    ($($kind:ident => $module:ident),*) => {$(
        mod $module {
            use super::{Disturbance, Kind, Work, prove};

            #[test]
            fn every_event_is_one_task_though_processes_are_killed() {
                prove(Kind::$kind, Work::Events, Disturbance::Kill);
            }

            #[test]
            fn every_event_is_one_task_though_processes_are_suspended() {
                prove(Kind::$kind, Work::Events, Disturbance::Suspend);
            }

            #[test]
            fn runs_of_a_pipeline_follow_what_they_need_though_processes_are_killed() {
                prove(Kind::$kind, Work::Pipeline, Disturbance::Kill);
            }

            #[test]
            fn runs_of_a_pipeline_follow_what_they_need_though_processes_are_suspended() {
                prove(Kind::$kind, Work::Pipeline, Disturbance::Suspend);
            }
        }
    )*};
}

proofs!(Postgres => postgres, Redis => redis, Sqlite => sqlite);

/// The entry point of child processes. It does nothing in the parent process.
#[test]
fn child() {
    worker::run_if_child();
}
