use std::rc::Rc;

use millicron_scheduler::Job;

fn main() {
    Job::new(async |run| {
        let number = Rc::new(run.number());
        std::future::ready(()).await;
        println!("{number}");
    });
}
