//! Serves a page with jobs that only seem to run, to try it: `cargo run -p millicron-board --example page`.
//!
//! Arguments: `--address 127.0.0.1:8080`, `--jobs 10000` adds many jobs, `--hostile` adds those that try to break out,
//! `--actions SECRET` offers actions to those who know the token, `--edit` lets them change schedules.

mod demo;

use std::env;
use std::error::Error;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use demo::{Demo, now};
use millicron_board::{Board, JobState, RunState, Source as _};
use tokio::net::TcpListener;

type Failure = Box<dyn Error + Send + Sync>;

/// A job: its name, schedule, zone and tags, how long it takes in milliseconds, and how many of 100 runs fail.
type Sample = (&'static str, &'static str, &'static str, &'static [&'static str], i64, u64);

const BERLIN: &str = "Europe/Berlin";
const NEW_YORK: &str = "America/New_York";

const SAMPLES: [Sample; 18] = [
    ("accounts-report", "0 7 * * MON-FRI", NEW_YORK, &["finance"], 95_000, 0),
    ("certificates", "15 4 * * *", "", &["security"], 3_200, 5),
    ("clean-sessions", "*/10 * * * *", "", &["web"], 850, 0),
    ("database-backup", "30 2 * * *", BERLIN, &["database", "nightly"], 1_510_000, 4),
    ("database-vacuum", "0 3 * * SUN", BERLIN, &["database"], 640_000, 0),
    ("exchange-rates", "30 16 * * MON-FRI", BERLIN, &["finance"], 4_100, 12),
    ("invoices", "0 9 1 * *", NEW_YORK, &["finance"], 45_000, 0),
    ("log-rotation", "0 0 * * *", "", &["nightly"], 12_000, 0),
    ("mail-queue", "* * * * *", "", &["web"], 2_400, 3),
    ("market-open", "*.*.* Mon-Fri 09:30:00", NEW_YORK, &["finance"], 600, 0),
    ("metrics", "*:*:00/10", "", &["monitoring"], 140, 0),
    ("orders-import", "5 * * * *", "", &["warehouse"], 240_000, 8),
    ("password-reminder", "0 10 * * MON", BERLIN, &["web", "security"], 31_000, 0),
    ("search-index", "*/3 * * * *", "", &["web"], 48_000, 6),
    ("stock-levels", "*/15 8-18 * * MON-SAT", BERLIN, &["warehouse"], 27_000, 10),
    ("thumbnails", "*/2 * * * *", "", &["web"], 71_000, 2),
    ("warehouse-load", "30 0 * * *", "", &["warehouse", "nightly"], 2_380_000, 6),
    ("weekly-report", "0 6 * * MON", BERLIN, &["finance", "warehouse"], 180_000, 0),
];

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = env::args().collect();
    let value = |name: &str| {
        let place = arguments.iter().position(|it| it == name)?;
        arguments.get(place + 1).cloned()
    };
    let has = |name: &str| arguments.iter().any(|it| it == name);
    let mut demo = Demo::default();
    if value("--actions").is_some() {
        demo = demo.with_actions();
    }
    if has("--edit") {
        demo = demo.editable();
    }
    let demo = Arc::new(demo);
    fill(&demo, value("--jobs").map_or(Ok(0), |it| it.parse())?)?;
    if has("--hostile") {
        add_hostile(&demo)?;
    }
    let lively = Arc::clone(&demo);
    thread::spawn(move || {
        let mut seen = 0;
        loop {
            let _ = step(&lively);
            for (name, action) in lively.acts().into_iter().skip(seen) {
                println!("A visitor has acted on {name}: {action:?}");
                seen += 1;
            }
            thread::sleep(Duration::from_millis(200));
        }
    });
    let mut board = Board::of(demo).title("Shop").public();
    if let Some(token) = value("--actions") {
        board = board.token(token).actions();
    }
    let address = value("--address").unwrap_or_else(|| "127.0.0.1:8080".to_owned());
    let listener = TcpListener::bind(address).await?;
    println!("http://{}/", listener.local_addr()?);
    axum::serve(listener, board.router()).await?;
    Ok(())
}

/// Adds the jobs, with runs in the past.
fn fill(demo: &Demo, many: usize) -> Result<(), Failure> {
    for (name, schedule, zone, tags, takes, failing) in SAMPLES {
        demo.add(name, schedule, zone, tags)?;
        record(demo, name, takes, failing)?;
    }
    for number in 1..=many {
        let (name, minute) = (format!("tenant-{number}"), number % 60);
        demo.add(&name, &format!("{minute} {} * * *", number % 24), "", &["tenants"])?;
        record(demo, &name, 5_000, 3)?;
    }
    demo.need("orders-import", "warehouse-load", "all runs of the day before");
    demo.need("exchange-rates", "warehouse-load", "the last run");
    demo.need("warehouse-load", "weekly-report", "the last 7 runs");
    demo.need("stock-levels", "weekly-report", "the last run");
    demo.change("password-reminder", |job| job.state = JobState::Paused);
    demo.change("log-rotation", |job| job.overdue_at = Some(now() - 600_000));
    Ok(())
}

/// Records the runs of the last 40 events.
fn record(demo: &Demo, name: &str, takes: i64, failing: u64) -> Result<(), Failure> {
    let Some(pattern) = demo.pattern(name)? else { return Ok(()) };
    let mut events = Vec::new();
    let mut event = now();
    while let Some(before) = pattern.recurrence().prev_event(event).filter(|_| events.len() < 40) {
        events.push(before);
        event = before;
    }
    for scheduled in events.into_iter().rev() {
        let chance = mixed(name, scheduled);
        let started = scheduled + i64::try_from(chance % 90)?;
        demo.start(name, scheduled, started);
        print(demo, name, chance);
        let ended = started + length(takes, chance);
        if ended <= now() {
            end(demo, name, ended, chance % 100 < failing);
        }
    }
    Ok(())
}

/// Starts what is due, and ends what is done.
fn step(demo: &Demo) -> Result<(), Failure> {
    for (name, _, _, _, takes, failing) in SAMPLES {
        let Some(job) = demo.job(name)? else { continue };
        let chance = mixed(name, job.last.as_ref().map_or(0, |it| it.scheduled));
        if let Some(started) = job.last.filter(|it| it.ended.is_none()).and_then(|it| it.started) {
            if started + length(takes, chance) < now() {
                end(demo, name, now(), chance % 100 < failing);
            } else if takes > 10_000
                && chance.wrapping_add(now().cast_unsigned() / 200).is_multiple_of(10)
            {
                print(demo, name, now().cast_unsigned() / 2000);
            }
        } else if let Some(next) =
            job.next.filter(|&it| it <= now() && job.state == JobState::Waiting)
        {
            demo.start(name, next, now());
        }
    }
    Ok(())
}

fn print(demo: &Demo, name: &str, chance: u64) {
    let percent = chance % 100;
    let line = format!(
        "\x1b[2m{}\x1b[0m \x1b[36m{name}\x1b[0m processed \x1b[1m{}\x1b[0m records, {percent} % done\n",
        jiff::Timestamp::now().strftime("%H:%M:%S"),
        chance % 8000,
    );
    demo.write(name, line.as_bytes());
}

fn end(demo: &Demo, name: &str, ended: i64, has_failed: bool) {
    if has_failed {
        demo.write(name, b"\x1b[1;31merror:\x1b[0m connection refused (os error 111)\n");
        demo.end(name, ended, RunState::Failed, Some("It ended with exit status 1."));
    } else {
        demo.write(name, b"\x1b[32mDone.\x1b[0m\n");
        demo.end(name, ended, RunState::Succeeded, None);
    }
}

/// Adds jobs whose names and outputs try to break out of the page.
fn add_hostile(demo: &Demo) -> Result<(), Failure> {
    for name in demo::HOSTILE {
        demo.add(name, "0 2 * * *", "", &["<i>hostile</i>"])?;
        demo.start(name, now(), now());
        demo.write(name, &demo::hostile_output());
        demo.end(name, now(), RunState::Failed, Some("<script>document.title = 'hacked'</script>"));
    }
    Ok(())
}

/// Returns a number that depends on a name and an instant only.
fn mixed(name: &str, instant: i64) -> u64 {
    name.bytes().fold(instant.cast_unsigned() / 1000, |mixed, byte| {
        (mixed ^ u64::from(byte)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
    })
}

/// Returns how long a run takes: some more or less than usual.
fn length(takes: i64, chance: u64) -> i64 {
    takes * i64::try_from(70 + (chance >> 8) % 60).unwrap_or(100) / 100
}
