//! Processes that claim runs in a shared history, and are killed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::time::{Duration, SystemTime};
use std::{process, thread};

use millicron_history::{Claim, ClaimError, ClaimOutcome, Claims, RunState};
use millicron_test_support::scaled;

use crate::processes::{Process, receive, send};
use crate::reads::{HOUR, all, first};

const LEASE: Duration = Duration::from_millis(100);
const LEASE_MILLIS: i64 = 100;

/// How many runs a job has.
const RUNS: i64 = 60;

fn now() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970");
    i64::try_from(since.as_millis()).expect("an instant")
}

/// The role of a child process: receives the name of a job, and claims and ends its runs until all have ended. It
/// reports what it believes:
///
/// - `hold PROCESS RUN TOKEN START END`: it holds a run until its lease ends;
/// - `stop PROCESS RUN TOKEN NOW`: it no longer touches the run, and is about to end or release it;
/// - `succeeded PROCESS RUN TOKEN` and `lost PROCESS RUN TOKEN`: the answer of the history to that.
pub(crate) fn claim_runs<H: Claims<Error: Debug>>(history: &mut H) {
    let job = receive().expect("a job");
    loop {
        let mut ended = 0;
        for run in 0..RUNS {
            let start = now();
            match history.claim(&job, run, "a process", LEASE).expect("the claim succeeds") {
                ClaimOutcome::Granted(claim) => {
                    hold(&claim, start);
                    execute(history, &claim);
                }
                ClaimOutcome::Held { .. } => {}
                ClaimOutcome::Ended(state) => {
                    assert_eq!(state, RunState::Succeeded);
                    ended += 1;
                }
            }
        }
        if ended == RUNS {
            break;
        }
        thread::sleep(Duration::from_millis(1));
    }
    send("done");
}

fn tell(what: &str, Claim { scheduled, token, .. }: &Claim, instants: &str) {
    send(format!("{what} {} {scheduled} {token}{instants}", process::id()));
}

fn hold(claim: &Claim, start: i64) {
    tell("hold", claim, &format!(" {} {}", now(), start + LEASE_MILLIS));
}

/// Executes a run in one of several ways.
fn execute<H: Claims<Error: Debug>>(history: &mut H, claim: &Claim) {
    let stop = || tell("stop", claim, &format!(" {}", now()));
    match claim.token % 8 {
        // The process hangs until another one may claim the run.
        0 | 4 => thread::sleep(LEASE * 5 / 4),
        1 | 2 | 5 => {
            for _ in 0..4 {
                thread::sleep(LEASE / 2);
                let start = now();
                match history.renew(claim, LEASE) {
                    Ok(()) => hold(claim, start),
                    Err(ClaimError::Lost) => return tell("lost", claim, ""),
                    Err(error) => panic!("{error:?}"),
                }
            }
        }
        3 => {
            stop();
            return match history.release(claim) {
                Ok(()) | Err(ClaimError::Lost) => {}
                Err(error) => panic!("{error:?}"),
            };
        }
        _ => {}
    }
    stop();
    match history.record_claimed(claim, RunState::Succeeded) {
        Ok(()) => tell("succeeded", claim, ""),
        Err(ClaimError::Lost) => tell("lost", claim, ""),
        Err(error) => panic!("{error:?}"),
    }
}

/// Starts processes one after the other, and kills each one but the last after some lines. Returns
/// all lines.
fn run_and_kill(
    start: &dyn Fn() -> Process,
    job: &str,
    lines: impl IntoIterator<Item = usize>,
) -> Vec<String> {
    let mut log = Vec::new();
    'processes: for lines in lines {
        let mut process = start();
        process.send(job);
        for _ in 0..lines {
            log.push(process.receive());
            if log.last().is_some_and(|line| line == "done") {
                process.end();
                break 'processes;
            }
        }
        log.extend(process.kill());
    }
    log
}

/// What the processes believed about one claim.
#[derive(Debug, Default)]
struct Belief {
    owner: i64,
    run: i64,
    /// When the process held the run: from the first instant, inclusive, to the second, exclusive.
    held: Vec<(i64, i64)>,
    stopped: Option<i64>,
    has_succeeded: bool,
    is_lost: bool,
}

/// Returns the beliefs by token.
fn beliefs<'a>(log: impl IntoIterator<Item = &'a String>) -> BTreeMap<i64, Belief> {
    let mut beliefs = BTreeMap::<i64, Belief>::new();
    for line in log.into_iter().filter(|line| *line != "done") {
        let (what, numbers) = line.split_once(' ').expect("several words");
        let numbers: Vec<i64> =
            numbers.split(' ').map(|number| number.parse().expect("a number")).collect();
        let (owner, run, token) = (numbers[0], numbers[1], numbers[2]);
        let new = Belief { owner, run, ..Belief::default() };
        let belief = beliefs.entry(token).or_insert(new);
        assert_eq!((belief.owner, belief.run), (owner, run), "two claims with token {token}");
        match what {
            "hold" => belief.held.push((numbers[3], numbers[4])),
            "stop" => belief.stopped = Some(numbers[3]),
            "succeeded" => belief.has_succeeded = true,
            "lost" => belief.is_lost = true,
            _ => panic!("unknown line: {line}"),
        }
    }
    for belief in beliefs.values_mut() {
        if let Some(stopped) = belief.stopped {
            for (_, end) in &mut belief.held {
                *end = stopped.min(*end);
            }
        }
    }
    beliefs
}

/// Checks what was believed about one run, in the order of the tokens.
fn check_run(run: i64, beliefs: &[&Belief]) {
    let mut held: Vec<(i64, i64, usize)> = Vec::new();
    for (claim, belief) in beliefs.iter().enumerate() {
        held.extend(belief.held.iter().map(|(start, end)| (*start, *end, claim)));
    }
    held.retain(|(start, end, _)| start < end);
    for (index, a) in held.iter().enumerate() {
        for b in &held[index + 1..] {
            assert!(a.2 == b.2 || a.1 <= b.0 || b.1 <= a.0, "two owners hold {run}: {a:?}, {b:?}");
        }
    }
    let succeeded = beliefs.iter().filter(|belief| belief.has_succeeded).count();
    assert!(succeeded <= 1, "{run} succeeded {succeeded} times: {beliefs:?}");
    let last = beliefs.last().expect("every run was claimed");
    // A process that was killed between the record and its last line counts as successful.
    assert!(last.has_succeeded || (succeeded == 0 && last.stopped.is_some() && !last.is_lost));
}

/// Checks that removing a claimed run at an instant ends its claim. `open` opens a new history, or the
/// same one again, with a clock that shows the instant that is passed.
fn check_removal<H: Claims<Error: Debug>>(
    open: &dyn Fn(i64) -> H,
    now: i64,
    remove: impl Fn(&mut H),
) {
    let mut history = open(1_000);
    let claimed = history.claim("load", HOUR, "a runner", LEASE).expect("the claim succeeds");
    let ClaimOutcome::Granted(claim) = claimed else { panic!("{claimed:?}") };
    remove(&mut open(now));
    let recorded = history.record_claimed(&claim, RunState::Succeeded);
    assert!(matches!(recorded, Err(ClaimError::Lost)), "{recorded:?}");
    assert_eq!(history.state("load", HOUR).expect("the read succeeds"), None);
    let again = history.claim("load", HOUR, "another", LEASE).expect("the claim succeeds");
    assert!(matches!(again, ClaimOutcome::Granted(_)), "{again:?}");
}

/// Checks that a forgotten run loses its claim.
pub(crate) fn check_forgotten<H: Claims<Error: Debug>>(open: &dyn Fn(i64) -> H) {
    check_removal(open, 1_000, |history| {
        history.forget("load", HOUR..=HOUR).expect("the removal succeeds");
    });
}

/// Checks that a dropped run loses its claim once it has expired.
pub(crate) fn check_dropped<H: Claims<Error: Debug>>(open: &dyn Fn(i64) -> H) {
    check_removal(open, 1_000 + LEASE_MILLIS, |history| {
        history.drop_before(&[("load", 2 * HOUR)]).expect("the removal succeeds");
    });
}

/// Checks that a run's start is its first claim, no matter how often it is claimed again.
pub(crate) fn check_started<H: Claims<Error: Debug>>(open: &dyn Fn(i64) -> H) {
    let claim = |history: &mut H| history.claim("load", HOUR, "a runner", LEASE);
    let started = |history: &H, attempts| {
        let started = history.started_runs().expect("the read succeeds");
        assert_eq!((started[0].started, started[0].attempts), (1_000, attempts));
    };
    let mut history = open(1_000);
    assert!(matches!(claim(&mut history), Ok(ClaimOutcome::Granted(_))));
    started(&history, 1);
    let mut history = open(1_000 + LEASE_MILLIS);
    let Ok(ClaimOutcome::Granted(claim)) = claim(&mut history) else { panic!("it has expired") };
    started(&history, 2);
    let mut history = open(2_000);
    let claim = history.take_over(&claim, "another", LEASE).expect("the claim is held");
    started(&history, 3);
    history.record_claimed(&claim, RunState::Succeeded).expect("the claim is held");
    let record = history.run("load", HOUR).expect("the read succeeds").expect("recorded");
    assert_eq!((record.started, record.ended), (Some(1_000), Some(2_000)));
}

/// Checks that processes that are killed execute each run once. Their role is [`claim_runs`].
pub(crate) fn check_processes<H: Claims<Error: Debug>>(
    history: &H,
    start: &(dyn Fn() -> Process + Sync),
) {
    // Whether a claim is lost depends on chance.
    let mut jobs = (0..10).map(|number| format!("shared {number}"));
    assert!(jobs.any(|job| check_job(history, start, &job)), "no claim was lost");
}

/// Checks the runs of a job, and returns whether a claim was lost.
fn check_job<H: Claims<Error: Debug>>(
    history: &H,
    start: &(dyn Fn() -> Process + Sync),
    job: &str,
) -> bool {
    let kills = usize::try_from(scaled(30)).expect("a small number");
    let logs = thread::scope(|scope| {
        let processes = [1, 2, 3, 4].map(|number| {
            scope.spawn(move || {
                let lines = (0..kills).map(|kill| 3 + (7 * number + 5 * kill) % 16);
                run_and_kill(start, job, lines.chain([usize::MAX]))
            })
        });
        processes.map(|thread| thread.join().expect("the processes succeed"))
    });
    let beliefs = beliefs(logs.iter().flatten());
    for run in 0..RUNS {
        check_run(run, &beliefs.values().filter(|belief| belief.run == run).collect::<Vec<_>>());
    }
    let runs: BTreeSet<i64> = beliefs.values().map(|belief| belief.run).collect();
    assert_eq!(runs.len(), first(RUNS).len());
    assert!(beliefs.len() > runs.len(), "no run was claimed again");
    assert_eq!(all(history, job), first(RUNS));
    beliefs.values().any(|belief| belief.is_lost)
}
