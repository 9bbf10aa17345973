//! Damaged bytes in a file may cause an error, but never a wrong answer.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use millicron_history::{
    ClaimOutcome, Claims as _, History as _, RunQuery, RunRecord, RunState, SqliteError,
    SqliteErrorKind, SqliteHistory,
};
use millicron_test_support::is_full;
use rusqlite::Connection;

use super::{BATCH, Directory, FILE, all, crashed, first, open, record_all};

const JOBS: [&str; 4] = ["load", "report", "", "a job with a longer name"];

/// Creates a closed history with every kind of record, on several pages.
fn create(path: &Path) -> SqliteHistory {
    let mut history = open(path).with_clock(|| 1_000_000);
    record_all(&mut history, (0..900).map(|at| (JOBS[at % 4], instant(at))));
    for (at, state) in [(7, RunState::Failed), (8, RunState::Skipped), (10, RunState::Failed)] {
        history.record_state(JOBS[at % 4], instant(at), state).expect("the record succeeds");
    }
    for at in 900..950 {
        let claim = history.claim(JOBS[at % 4], instant(at), "a runner", Duration::from_mins(1));
        assert!(matches!(claim, Ok(ClaimOutcome::Granted(_))));
    }
    // These leave free space in the pages, and free pages.
    history.forget("load", 0..=instant(40)).expect("the removal succeeds");
    history.forget("report", instant(100)..=instant(600)).expect("the removal succeeds");
    history
}

fn instant(at: usize) -> i64 {
    1_795_046_464_000 + 3_600_000 * i64::try_from(at).expect("a small number")
}

/// Returns the answers of a history to many calls.
fn answers(path: &Path) -> Result<Vec<String>, SqliteError> {
    let mut history = SqliteHistory::open(path)?.with_clock(|| 1_000_001);
    let mut answers = Vec::new();
    for job in JOBS {
        history.read(&[RunQuery::new(job, ..)], &mut |_, at, record| {
            answers.push(format!("{job} {at} {}", record.state));
            ControlFlow::Continue(())
        })?;
        let first = history.first_at_or_after(job, instant(50))?;
        answers.push(format!("{first:?} {:?}", history.state(job, instant(60))?));
    }
    // The last one is granted, with a token.
    for at in (900..950).step_by(7).chain([950]) {
        let claim = history.claim(JOBS[at % 4], instant(at), "other", Duration::ZERO)?;
        answers.push(format!("{claim:?}"));
    }
    Ok(answers)
}

#[test]
fn flipped_byte_never_gives_another_answer() {
    let directory = Directory::new("flips");
    let path = directory.join(FILE);
    drop(create(&path));
    let content = fs::read(&path).expect("accessible file");
    assert!(content.len() > 8 * 4096);
    let expected = answers(&path).expect("an intact file");
    let trials = if is_full() { 3_000 } else { 600 };
    let mut errors = 0;
    for trial in 0..trials {
        // The mask is never 0, and over all trials flips every bit at each position of a record.
        let [at, mask] = [trial * content.len() / trials, trial * 37 % 255 + 1];
        let mut damaged = content.clone();
        damaged[at] ^= u8::try_from(mask).expect("a byte");
        let _ = fs::remove_file(directory.join("history-wal"));
        fs::write(&path, &damaged).expect("accessible file");
        match answers(&path) {
            Ok(answers) => assert!(answers == expected, "byte {at}, mask {mask}"),
            Err(_) => errors += 1,
        }
    }
    // The other bytes are unused.
    assert!(errors * 2 > trials, "{errors} errors in {trials} trials");
}

/// Returns where the transactions of a log end. A frame has 24 bytes before a page of 4096, and four of
/// them are not 0 in the last frame of a transaction.
pub(super) fn transactions(log: &[u8]) -> Vec<usize> {
    let frames = (32..log.len()).step_by(24 + 4096);
    let last = frames.filter(|frame| log[frame + 4..frame + 8] != [0; 4]);
    last.map(|frame| frame + 24 + 4096).collect()
}

/// `SQLite` cannot distinguish damage in a log from a write that a power failure interrupted.
#[test]
fn flipped_byte_of_a_log_loses_only_the_batches_from_there() {
    let crashed = crashed("log", "record in batches", 20);
    let file = fs::read(crashed.join(FILE)).expect("accessible file");
    let log = fs::read(crashed.join("history-wal")).expect("accessible file");
    let ends = transactions(&log);
    let written = all(&open(crashed.join(FILE)), "killed");
    let directory = Directory::new("log flips");
    let path = directory.join(FILE);
    let trials = if is_full() { 2_000 } else { 200 };
    for trial in 0..trials {
        // The start of the log is its header.
        let at = if trial < 32 { trial } else { trial * log.len() / trials };
        let mut damaged = log.clone();
        damaged[at] ^= u8::try_from(trial * 37 % 255 + 1).expect("a byte");
        fs::write(&path, &file).expect("accessible file");
        fs::write(directory.join("history-wal"), &damaged).expect("accessible file");
        let found = all(&open(&path), "killed");
        let lost = ends.iter().filter(|end| at < **end).count();
        let least = written.len() - lost * usize::try_from(BATCH).expect("few");
        assert!(found.len() >= least, "byte {at}: {} of {}", found.len(), written.len());
        let batches = i64::try_from(found.len()).expect("few") / BATCH;
        assert_eq!(found, first(batches * BATCH), "byte {at}");
    }
}

/// The number of bytes of a page.
const PAGE: usize = 4096;

/// Writes a file, which must be refused, and returns the damage.
fn damage(path: &Path, content: &[u8]) -> String {
    fs::write(path, content).expect("accessible file");
    let error = SqliteHistory::open(path).expect_err("damaged");
    match error.kind() {
        SqliteErrorKind::Corrupt { damage } => damage.clone(),
        _ => panic!("{error:?}"),
    }
}

/// The disk has lost the last write of a page, so the page has its earlier content.
#[test]
fn lost_page_write_is_found_when_the_file_is_opened() {
    let directory = Directory::new("lost");
    let path = directory.join(FILE);
    record_all(&mut open(&path), (0..20).map(|at| ("job", at)));
    let before = fs::read(&path).expect("accessible file");
    open(&path).record("job", 20).expect("the record succeeds");
    let after = fs::read(&path).expect("accessible file");
    assert_eq!(before.len(), after.len());
    // The pages of the runs and of the summary.
    for page in [1, 3] {
        let mut content = after.clone();
        let range = page * PAGE..(page + 1) * PAGE;
        assert!(before[range.clone()] != after[range.clone()]);
        content[range.clone()].copy_from_slice(&before[range]);
        assert_eq!(damage(&path, &content), "records are missing");
    }
}

/// Each record is intact, but a search would not find them.
#[test]
fn records_out_of_order_are_found_when_the_file_is_opened() {
    let directory = Directory::new("order");
    let path = directory.join(FILE);
    record_all(&mut open(&path), (0..20).map(|at| ("job", at)));
    let mut content = fs::read(&path).expect("accessible file");
    // The offsets of the records follow the header of the page, which has 8 bytes.
    let [first, second] = [PAGE + 8, PAGE + 10];
    for byte in 0..2 {
        content.swap(first + byte, second + byte);
    }
    assert_eq!(damage(&path, &content), "its records are not in order");
}

/// Each statement changes a value of a row, but not its checksum.
#[test]
fn every_value_is_part_of_a_checksum() {
    let directory = Directory::new("values");
    let path = directory.join(FILE);
    let mut history = open(&path).with_clock(|| 1_000);
    let record = RunRecord {
        started: Some(1),
        ended: Some(2),
        attempts: Some(3),
        ..RunState::Failed.into()
    };
    history.record_run("job", 1, record).expect("the record succeeds");
    let _ = history.claim("job", 2, "a runner", Duration::from_mins(1)).expect("it is free");
    drop(history);
    let content = fs::read(&path).expect("accessible file");
    for change in [
        "UPDATE run SET job = 'other'",
        "UPDATE run SET scheduled = 7",
        "UPDATE run SET state = 0",
        "UPDATE run SET started = 7",
        "UPDATE run SET ended = NULL",
        "UPDATE run SET attempts = 7",
        "UPDATE claim SET job = 'other'",
        "UPDATE claim SET scheduled = 7",
        "UPDATE claim SET owner = 'another'",
        "UPDATE claim SET token = 7",
        "UPDATE claim SET expires = 7",
        "UPDATE claim SET started = 7",
        "UPDATE claim SET attempts = 7",
        "UPDATE summary SET rows = 7",
        "UPDATE summary SET sum = 7",
        "UPDATE summary SET token = 7",
    ] {
        fs::write(&path, &content).expect("accessible file");
        let connection = Connection::open(&path).expect("a database");
        assert_eq!(connection.execute(change, ()), Ok(1), "{change}");
        drop(connection);
        let changed = fs::read(&path).expect("accessible file");
        assert_eq!(damage(&path, &changed), "the checksum of a record is wrong", "{change}");
    }
}

/// Another program has written to the file while it is in use.
#[test]
fn rows_that_cannot_be_read_are_damage() {
    let directory = Directory::new("unreadable");
    let path = directory.join(FILE);
    let mut history = open(&path);
    history.record("job", 1).expect("the record succeeds");
    let connection = Connection::open(&path).expect("a database");
    let kind = || SqliteErrorKind::Corrupt { damage: "a record cannot be read".to_owned() };
    // No number of attempts is negative.
    assert_eq!(connection.execute("UPDATE run SET attempts = -1", ()), Ok(1));
    let error = history.run("job", 1).expect_err("damaged");
    assert_eq!(*error.kind(), kind(), "{error:?}");
    assert_eq!(connection.execute("DELETE FROM summary", ()), Ok(1));
    let error = history.record("job", 2).expect_err("damaged");
    assert_eq!(*error.kind(), kind(), "{error:?}");
}
