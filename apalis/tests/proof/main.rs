//! Four processes run the same program, on a server or a file that they share. At random moments one of
//! them is killed and started again, and the server is stopped and started. In the end, every event is
//! one task, and every task was executed.
//!
//! What the processes did is read from a log that they append to. It is compared with the events, which
//! are computed without the crate.
//!
//! Each test takes some ten seconds, or a minute with `MILLICRON_FULL_TESTS=1`. It prints its seed, with which
//! `MILLICRON_TEST_SEED` repeats it.
#![cfg(unix)]

mod account;
mod chaos;
mod storage;
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

/// The entry point of child processes. In the parent it does nothing.
#[test]
fn child() {
    worker::run_if_child();
}
