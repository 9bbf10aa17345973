//! A history in a file that processes share, and that survives if they are killed.

use std::fs::{self, File};
use std::io::Write as _;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use millicron_history::{History as _, RunState, SqliteErrorKind};
use millicron_test_support::{is_full, scaled};
use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::{BATCH, Directory, FILE, Process, all, busy, crashed, first, kill, open, record_all};

#[test]
fn processes_share_a_file() {
    let directory = Directory::new("share");
    let names = ["one", "two", "three"];
    let mut processes = names.map(|name| {
        let mut process = Process::start("share", &directory);
        process.send(name);
        process
    });
    for process in &mut processes {
        assert_eq!(process.receive(), "open");
    }
    for process in &mut processes {
        process.send("start");
    }
    for process in &mut processes {
        assert_eq!(process.receive(), "recorded");
    }
    for process in &mut processes {
        for job in names.into_iter().chain(["shared"]) {
            process.send(job);
            assert_eq!(process.receive(), "100");
        }
    }
    let history = open(directory.join(FILE));
    for job in names.into_iter().chain(["shared"]) {
        assert_eq!(all(&history, job), first(100));
    }
}

#[test]
fn processes_create_a_file_at_the_same_time() {
    let directory = Directory::new("begin");
    let mut processes = [1, 2, 3].map(|_| Process::start("begin together", &directory));
    for round in 0..scaled(100) {
        let file = format!("history-{round}");
        if round % 3 == 0 {
            File::create(directory.join(&file)).expect("new file");
        }
        for (job, process) in processes.iter_mut().enumerate() {
            process.send(&format!("{file} {job}"));
        }
        for process in &mut processes {
            assert_eq!(process.receive(), "Ok(())");
        }
        let history = open(directory.join(&file));
        for job in ["0", "1", "2"] {
            assert_eq!(all(&history, job), [1]);
        }
    }
    let rounds = usize::try_from(scaled(100)).expect("a small number");
    assert_eq!(directory.content().len(), rounds, "all files are closed");
}

/// Opening a file again must not release the locks that the process has on it.
#[test]
fn process_opens_a_file_twice() {
    let directory = Directory::new("twice");
    let mut history = open(directory.join(FILE));
    for at in 0..3 {
        history.record("first", at).expect("the record succeeds");
        drop(open(directory.join(FILE)));
        // This is not the last connection to be closed.
        let mut other = Process::start("begin together", &directory);
        other.send(&format!("{FILE} other"));
        assert_eq!(other.receive(), "Ok(())");
        other.end();
        assert!(directory.join("history-wal").exists());
        assert_eq!([all(&history, "first"), all(&history, "other")], [first(at + 1), vec![1]]);
    }
    drop(history);
    assert_eq!(all(&open(directory.join(FILE)), "first"), [0, 1, 2]);
}

#[test]
fn writer_waits_for_another_writer() {
    let directory = Directory::new("wait");
    let mut history = open(directory.join(FILE));
    let mut other = Process::start("hold", &directory);
    assert_eq!(other.receive(), "held");
    assert_eq!(all(&history, "first"), [], "reading does not wait");
    let (sender, receiver) = channel();
    let waiting = thread::spawn(move || {
        let recorded = history.record("mine", 1);
        sender.send(()).expect("the test receives");
        recorded.expect("the record succeeds");
        history
    });
    let early = receiver.recv_timeout(Duration::from_millis(200));
    assert_eq!(early, Err(RecvTimeoutError::Timeout), "the other process still holds the lock");
    other.send("release");
    other.end();
    let history = waiting.join().expect("the writer succeeds");
    assert_eq!(
        [all(&history, "first"), all(&history, "last"), all(&history, "mine")],
        [[1], [2], [1]]
    );
}

/// SQLite itself does not wait when it switches to a log.
#[test]
fn opening_a_file_with_a_journal_waits_for_its_writer() {
    let directory = Directory::new("switch");
    let path = directory.join(FILE);
    open(&path).record("job", 1).expect("the record succeeds");
    let connection = Connection::open(&path).expect("a history");
    connection.pragma_update(None, "journal_mode", "delete").expect("no other connection");
    let writer = Transaction::new_unchecked(&connection, TransactionBehavior::Immediate);
    let writer = writer.expect("no other writer");
    let (sender, receiver) = channel();
    thread::scope(|scope| {
        let path = &path;
        scope.spawn(move || sender.send(all(&open(path), "job")).expect("the test receives"));
        let early = receiver.recv_timeout(Duration::from_millis(200));
        assert_eq!(early, Err(RecvTimeoutError::Timeout), "the writer still holds its lock");
        writer.commit().expect("nothing to write");
        assert_eq!(receiver.recv(), Ok(vec![1]));
    });
}

#[test]
fn writer_fails_after_the_busy_timeout() {
    let directory = Directory::new("busy");
    let path = directory.join(FILE);
    let history = open(&path).with_busy_timeout(Duration::from_millis(20));
    let mut history = history.expect("valid timeout");
    let mut other = Process::start("hold", &directory);
    assert_eq!(other.receive(), "held");
    let errors = [
        history.record("mine", 1),
        history.record_states([("mine", 2, RunState::Succeeded)]),
        history.drop_before(&[("mine", 3)]),
    ];
    for error in errors {
        let error = error.expect_err("the other process still holds the lock");
        assert_eq!(*error.kind(), SqliteErrorKind::Busy);
        assert_eq!(error.to_string(), busy(&path));
    }
    other.send("release");
    other.end();
    assert_eq!(all(&history, "first"), [1]);
    assert_eq!(all(&history, "mine"), []);
}

/// The numbers of lines after which a child is killed. `SQLite` moves the log into the file after some
/// thousand changes.
fn lines() -> &'static [usize] {
    if is_full() { &[1, 2, 3, 10, 50, 130, 300, 700, 1_500, 2_500] } else { &[10, 300] }
}

#[test]
fn records_survive_a_kill() {
    for role in ["record", "open and record"] {
        for &lines in lines() {
            let directory = Directory::new("kill");
            let written = kill(role, &directory, lines);
            // Opening checks the file for damage.
            let history = open(directory.join(FILE));
            let found = all(&history, "killed");
            assert!(
                found == first(written) || found == first(written + 1),
                "{role}: {written} records, and perhaps one more, but found {found:?}"
            );
        }
    }
}

#[test]
fn batch_survives_a_kill_as_a_whole_or_not_at_all() {
    for &lines in lines() {
        let directory = Directory::new("kill batches");
        let written = kill("record in batches", &directory, lines.min(500));
        let found = all(&open(directory.join(FILE)), "killed");
        assert!(
            found == first(written * BATCH) || found == first((written + 1) * BATCH),
            "{written} batches, and perhaps one more, but found {found:?}"
        );
    }
}

#[test]
fn partially_created_file_can_be_opened() {
    for lines in (0..40).step_by(if is_full() { 1 } else { 10 }) {
        let directory = Directory::new("kill begin");
        let written = kill("begin", &directory, lines);
        for number in 0..=written {
            let mut history = open(directory.join(format!("history {number}")));
            history.record("job", 1).expect("the record succeeds");
            assert_eq!(all(&history, "job"), [1]);
        }
    }
}

/// The power fails before the whole log is on the disk.
#[test]
fn truncated_log_loses_only_the_last_batches() {
    let directory = crashed("cut", "record in batches", 20);
    let file = fs::read(directory.join(FILE)).expect("accessible file");
    let log = fs::read(directory.join("history-wal")).expect("accessible file");
    let mut max = 0;
    for length in (0..log.len()).step_by(if is_full() { 701 } else { 7001 }).chain([log.len()]) {
        let directory = Directory::new("cut copy");
        fs::write(directory.join(FILE), &file).expect("writable copy");
        fs::write(directory.join("history-wal"), &log[..length]).expect("writable copy");
        let found = all(&open(directory.join(FILE)), "killed");
        let batches = i64::try_from(found.len()).expect("few batches") / BATCH;
        assert_eq!(found, first(batches * BATCH), "after {length} bytes");
        assert!(batches >= max, "a longer log has fewer batches");
        max = batches;
    }
    assert!(max >= 20);
}

/// A writer that is killed before it updates the index (`-shm`) leaves frames in the log, which the
/// next writer overwrites. If it writes fewer frames, the rest have wrong checksums.
#[test]
fn frames_of_killed_writers_are_no_damage() {
    let directory = Directory::new("leftovers");
    let path = directory.join(FILE);
    let index = directory.join("history-shm");
    let kill_before = |content: &[u8]| {
        let mut index = File::options().write(true).open(&index).expect("accessible file");
        index.write_all(content).expect("writable file");
    };
    let [mut a, mut b, mut c, mut d] = [1, 2, 3, 4].map(|_| open(&path));
    record_all(&mut a, (0..10_000).map(|at| ("job", at)));
    let before = fs::read(&index).expect("accessible file");
    b.forget("job", 0..=4_999).expect("the removal succeeds");
    kill_before(&before);
    record_all(&mut c, (0..1_000).map(|at| ("other", at)));
    kill_before(&before);
    d.record("job", 10_000).expect("the record succeeds");

    // The other processes are alive, or the whole machine has crashed.
    assert_eq!(all(&open(&path), "job"), first(10_001));
    let copy = Directory::new("leftovers after a crash");
    for name in [FILE, "history-wal"] {
        fs::copy(directory.join(name), copy.join(name)).expect("accessible file");
    }
    let copy = open(copy.join(FILE));
    assert_eq!([all(&copy, "job"), all(&copy, "other")], [first(10_001), vec![]]);
}
