//! Simulated jobs with random disturbances report every event of their schedules once, like the model of the
//! scheduler's tests. Two bytes select what happens in each step.

#[path = "../../../crates/scheduler/tests/support/accounts.rs"]
#[allow(dead_code, reason = "other tests need the rest")]
mod accounts;
#[path = "../../../crates/scheduler/tests/support/chance.rs"]
mod chance;
#[path = "../../../crates/scheduler/tests/support/instants.rs"]
#[allow(dead_code, reason = "other tests need the rest")]
mod instants;
#[path = "../../../crates/scheduler/tests/world.rs"]
#[allow(dead_code, reason = "other tests need the rest")]
mod world;

/// What the model uses of the scheduler's tests.
mod support {
    pub(crate) use millicron_test_support::threads::lock;

    pub(crate) use super::accounts::Account;
    pub(crate) use super::chance::Chance;
    pub(crate) use super::instants::{events, secs, start};
}

use std::sync::LazyLock;

use chance::Chance;
use instants::start;
use world::{DAY, ScheduleEvents, World, schedules};

/// How many days an input may simulate.
const MOST_DAYS: u32 = 400;

static SCHEDULES: LazyLock<Vec<ScheduleEvents>> =
    LazyLock::new(|| schedules(&mut Chance(1), start() + MOST_DAYS * DAY));

pub(crate) fn run(data: &[u8]) {
    let mut seeds =
        data.chunks_exact(2).map(|bytes| u64::from(u16::from_le_bytes([bytes[0], bytes[1]])));
    let Some(first) = seeds.next() else { return };
    let mut world = World::new(Chance(first), SCHEDULES.clone(), 1 + first % 4, false);
    for seed in seeds {
        if world.now() >= start() + MOST_DAYS * DAY {
            break;
        }
        world.chance = Chance(seed);
        world.go_on();
    }
    world.close();
}
