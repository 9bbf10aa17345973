//! Jobs from closures with all kinds of outputs.

use millicron_scheduler::{Job, Outcome, RunContext};

#[test]
fn compiles_and_runs() {
    let jobs = [
        Job::new(|_| {}),
        Job::new(|_| todo!()),
        Job::new(|_| "7".parse::<u32>()),
        Job::new(|_| Err::<(), _>("no paper")),
        Job::new(|_| Err::<(), Box<dyn std::error::Error>>("no paper".into())),
        Job::new(|_| Outcome::Abandoned),
        Job::new_mut(|run: RunContext| println!("{}", run.number())),
        Job::once(|_| unimplemented!()),
        Job::new(async |_| {}),
        Job::new(async |run: RunContext| run.job_name().to_string().parse::<u32>()),
        Job::once(async |_| Err::<u32, _>("no ink")),
        Job::new(|_| std::future::ready(Ok::<u32, String>(7))),
    ];
    drop(jobs);
}
