use millicron::schedule;
use millicron_scheduler::Scheduler;

fn main() {
    let scheduler = Scheduler::new().unwrap();
    scheduler.add(schedule!("*:00:00"), |_| 7_u32).unwrap();
}
