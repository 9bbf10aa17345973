//! Files of histories: any bytes are a history or an error, which leaves them unchanged; and a damaged file, or log,
//! gives no wrong answer.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

use arbitrary::{Result, Unstructured};
use millicron_history::{
    Claims as _, History as _, RunQuery, RunState, SqliteError, SqliteHistory,
};
use millicron_test_support::directory::Directory;

const JOBS: [&str; 3] = ["load", "", "a job with a longer name"];

/// How many runs a transaction of the log records.
const BATCH: i64 = 20;

/// Files to damage.
struct Files {
    closed: Vec<u8>,
    answers: Vec<String>,
    /// A file in use, and its log.
    open: [Vec<u8>; 2],
    /// How many runs the log records.
    runs: usize,
}

static FILES: LazyLock<Files> = LazyLock::new(|| {
    let directory = Directory::new("fuzz-files");
    let path = directory.join("history");
    fill(&path).expect("an accessible file");
    let closed = fs::read(&path).expect("an accessible file");
    let answers = answers(&path).expect("an intact file");
    let path = directory.join("open");
    let mut history = SqliteHistory::open(&path).expect("an accessible file");
    for batch in 0..20 {
        let runs = (0..BATCH).map(|run| ("load", batch * BATCH + run, RunState::Succeeded));
        history.record_states(runs).expect("an accessible file");
    }
    let open = ["open", "open-wal"].map(|name| fs::read(directory.join(name)).expect("a file"));
    Files { closed, answers, open, runs: read(&history).expect("an intact file").len() }
});

/// Creates a history with every kind of record, free pages, and free space in pages.
fn fill(path: &Path) -> std::result::Result<(), SqliteError> {
    let mut history = SqliteHistory::open(path)?.with_clock(|| 1_000_000);
    let states = [RunState::Succeeded, RunState::Failed, RunState::Skipped];
    let job = |at: i64| JOBS[at as usize % JOBS.len()];
    history.record_states((0..500).map(|at| (job(at), at, states[at as usize % 7 % 3])))?;
    for at in 500..520 {
        drop(history.claim(job(at), at, "a runner", Duration::from_mins(1))?);
    }
    history.forget("load", 100..=400)
}

/// Returns the answers of a history to many calls.
fn answers(path: &Path) -> std::result::Result<Vec<String>, SqliteError> {
    let mut history = SqliteHistory::open(path)?.with_clock(|| 1_000_001);
    let mut answers = read(&history)?;
    answers.push(format!("{:?}", history.started_runs()?));
    // The last one is granted, with a token.
    for (at, job) in [(501, JOBS[0]), (502, JOBS[1]), (520, JOBS[0])] {
        let claim = history.claim(job, at, "other", Duration::ZERO)?;
        answers.push(format!("{claim:?}"));
    }
    Ok(answers)
}

/// Returns all records.
fn read(history: &SqliteHistory) -> std::result::Result<Vec<String>, SqliteError> {
    let mut records = Vec::new();
    history.read(&JOBS.map(|job| RunQuery::new(job, ..)), &mut |job, at, record| {
        records.push(format!("{job} {at} {record:?}"));
        ControlFlow::Continue(())
    })?;
    Ok(records)
}

pub(crate) fn run(data: &[u8]) {
    let Some((kind, data)) = data.split_first() else { return };
    let directory = Directory::new("fuzz-history");
    let path = directory.join("history");
    let write = |name: &str, bytes: &[u8]| {
        fs::write(directory.join(name), bytes).expect("an accessible file");
    };
    let input = &mut Unstructured::new(data);
    match kind % 5 {
        0 => {
            write("history", data);
            use_any(&path);
        }
        1 => {
            write("history", &FILES.open[0]);
            write("history-wal", data);
            use_any(&path);
        }
        2 => {
            write("history", &FILES.closed);
            write("history-journal", data);
            use_any(&path);
        }
        3 => {
            let mut damaged = FILES.closed.clone();
            if damage(&mut damaged, input).is_err() {
                return;
            }
            write("history", &damaged);
            match answers(&path) {
                Ok(answers) => assert_eq!(answers, FILES.answers),
                Err(error) => drop(error.to_string()),
            }
        }
        _ => {
            let [file, log] = &FILES.open;
            let mut log = log.clone();
            if damage(&mut log, input).is_err() {
                return;
            }
            write("history", file);
            write("history-wal", &log);
            check_log(&path);
        }
    }
}

/// Damage of a log loses the batches from there, and no others.
fn check_log(path: &Path) {
    let history = SqliteHistory::open(path).expect("the file is intact");
    let found = read(&history).expect("the file is intact").len();
    assert!(found <= FILES.runs && found.is_multiple_of(BATCH as usize), "{found}");
    let mut next = 0;
    let all = history.successes("load", i64::MIN..=i64::MAX, &mut |run| {
        assert_eq!(run, next);
        next += 1;
        ControlFlow::Continue(())
    });
    all.expect("the file is intact");
}

/// Uses a file that may be a history, or leaves it as it is.
fn use_any(path: &Path) {
    let before = fs::read(path).expect("an accessible file");
    if let Ok(history) = SqliteHistory::open_read_only(path) {
        drop(read(&history));
        drop(history.started_runs());
    }
    match SqliteHistory::open(path) {
        Ok(mut history) => {
            if read(&history).is_err() || history.record("new", 1).is_err() {
                return;
            }
            drop(history);
            let history = SqliteHistory::open(path).expect("the record left it intact");
            let state = history.state("new", 1).expect("the record left it intact");
            assert_eq!(state, Some(RunState::Succeeded));
        }
        Err(error) => {
            drop(error.to_string());
            assert!(fs::read(path).is_ok_and(|after| after == before), "changed: {error}");
        }
    }
}

/// Damages bytes in up to three places, or cuts the end. That cannot make a different valid file by chance, because
/// records, their sum and its checksum would have to change together.
fn damage(bytes: &mut Vec<u8>, input: &mut Unstructured) -> Result<()> {
    for _ in 0..input.int_in_range(1..=3)? {
        let at = input.int_in_range(0..=bytes.len() - 1)?;
        match input.int_in_range(0..=4)? {
            0 => {
                // An empty file would become a new history.
                bytes.truncate(at.max(1));
            }
            1 => {
                let length = input.int_in_range(1..=4096)?;
                bytes.iter_mut().skip(at).take(length).for_each(|byte| *byte = 0);
            }
            2 => {
                let [from, to] = [at, input.int_in_range(0..=bytes.len() - 1)?];
                let [from, to] = [from, to].map(|at| at / 512 * 512);
                let length = 512.min(bytes.len() - from.max(to));
                bytes.copy_within(from..from + length, to);
            }
            3 => bytes.extend(input.arbitrary::<[u8; 16]>()?),
            _ => {
                let flips = input.arbitrary::<[u8; 4]>()?;
                bytes.iter_mut().skip(at).zip(flips).for_each(|(byte, flip)| *byte ^= flip);
            }
        }
    }
    Ok(())
}
