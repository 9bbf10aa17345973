//! Runs three processes for hours and draws what they use: a scheduler with 100,000 jobs of all kinds, `millicron run`
//! with 200 jobs, and a source of stored schedules in `PostgreSQL`. None may need more as time goes on, or get later:
//! the lateness is the 99th percentile, or the mean for `millicron run`.
//!
//! The arguments are the number of seconds, the path of the command `millicron`, and that of the picture. `scripts/soak`
//! builds all of it.

mod command;
mod jobs;
mod late;
mod picture;
mod subject;
mod tasks;

use std::env;
use std::thread;
use std::time::{Duration, Instant};

use millicron_benches::rounds::median;
use millicron_benches::table::{Bound, Table};

use crate::subject::{Sample, Subject};

/// Says what this process is: `jobs`, or the connection string of the database of `tasks`.
const ROLE: &str = "MILLICRON_SOAK";

/// How often all processes are looked at.
const SAMPLES: u32 = 240;

/// How long all processes run before they are first looked at.
const WARM_UP: Duration = Duration::from_secs(5);

fn main() {
    match env::var(ROLE).as_deref() {
        Ok("jobs") => return jobs::run(),
        Ok(url) => return tasks::run(url),
        Err(_) => {}
    }
    let arguments: Vec<String> = env::args().skip(1).filter(|it| it != "--bench").collect();
    let [seconds, command, picture] = &arguments[..] else {
        println!("This needs arguments: see `scripts/soak`.");
        return;
    };
    let length = Duration::from_secs(seconds.parse().expect("a number of seconds"));
    let server = tasks::Server::start();
    let subjects = [
        Subject::start("100,000 jobs", late::process("jobs")),
        command::start("millicron run", command),
        Subject::start("stored schedules", late::process(&server.url)),
    ];
    let subjects = observe(subjects, length);
    picture::draw(picture.as_ref(), &subjects, length).expect("a picture");
    println!("{}", table(&subjects));
}

/// Looks at all processes again and again.
fn observe(mut subjects: [Subject; 3], length: Duration) -> [Subject; 3] {
    thread::sleep(WARM_UP);
    let start = Instant::now();
    for subject in &mut subjects {
        subject.forget();
    }
    for sample in 1..=SAMPLES {
        thread::sleep((length * sample / SAMPLES).saturating_sub(start.elapsed()));
        for subject in &mut subjects {
            subject.look();
        }
    }
    subjects
}

/// Compares the last quarter of the time with the second one, as the first one fills caches.
fn table(subjects: &[Subject]) -> Table {
    let headers = ["process", "second quarter", "last quarter", "last / second (≤ 1.1)"];
    let mut table = Table::new("What processes use that run for long", &headers);
    for subject in subjects {
        for measure in Sample::MEASURES {
            let quarter = subject.samples.len() / 4;
            let of = |samples: &[Sample]| median(samples.iter().map(measure.value).collect());
            let before = of(&subject.samples[quarter..2 * quarter]);
            let after = of(&subject.samples[3 * quarter..]);
            table
                .row(&format!("{}: {}", subject.name, measure.name))
                .figure(before, Bound::None)
                .figure(after, Bound::None)
                .figure(after / before, Bound::AtMost(1.1));
        }
    }
    table
}
