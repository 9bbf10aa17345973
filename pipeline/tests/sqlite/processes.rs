//! A history in a file: it is shared by processes, and outlives their being killed.

use std::fs::{self, File};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use super::{BATCH, Directory, FILE, Process, all, busy, crashed, first, kill, open};
use millicron_pipeline::{History as _, SqliteError};

#[test]
fn processes_share_a_file() {
    let directory = Directory::new("share");
    let names = ["one", "two", "three"];
    let mut processes = names.map(|name| {
        let mut process = Process::start("share", &directory);
        process.say(name);
        process
    });
    for process in &mut processes {
        assert_eq!(process.hear(), "open");
    }
    for process in &mut processes {
        process.say("start");
    }
    for process in &mut processes {
        assert_eq!(process.hear(), "recorded");
    }
    for process in &mut processes {
        for job in names.into_iter().chain(["shared"]) {
            process.say(job);
            assert_eq!(process.hear(), "100");
        }
    }
    let history = open(directory.join(FILE));
    for job in names.into_iter().chain(["shared"]) {
        assert_eq!(all(&history, job), first(100));
    }
}

#[test]
fn processes_begin_a_file_at_once() {
    let directory = Directory::new("begin");
    let mut processes = [1, 2, 3].map(|_| Process::start("begin together", &directory));
    for round in 0..100 {
        let file = format!("history-{round}");
        if round % 3 == 0 {
            File::create(directory.join(&file)).expect("an empty file");
        }
        for (job, process) in processes.iter_mut().enumerate() {
            process.say(&format!("{file} {job}"));
        }
        for process in &mut processes {
            assert_eq!(process.hear(), "Ok(())");
        }
        let history = open(directory.join(&file));
        for job in ["0", "1", "2"] {
            assert_eq!(all(&history, job), [1]);
        }
    }
    assert_eq!(directory.content().len(), 100, "all are closed");
}

/// The locks of a process on a file do not end when it opens it once more.
#[test]
fn a_process_opens_a_file_twice() {
    let directory = Directory::new("twice");
    let mut history = open(directory.join(FILE));
    for at in 0..3 {
        history.record("first", at).expect("it can be recorded");
        drop(open(directory.join(FILE)));
        // It is not the last one to close the file.
        let mut other = Process::start("begin together", &directory);
        other.say(&format!("{FILE} other"));
        assert_eq!(other.hear(), "Ok(())");
        other.end();
        assert!(directory.join("history-wal").exists());
        assert_eq!([all(&history, "first"), all(&history, "other")], [first(at + 1), vec![1]]);
    }
    drop(history);
    assert_eq!(all(&open(directory.join(FILE)), "first"), [0, 1, 2]);
}

#[test]
fn one_that_wants_to_record_waits() {
    let directory = Directory::new("wait");
    let mut history = open(directory.join(FILE));
    let mut other = Process::start("hold", &directory);
    assert_eq!(other.hear(), "held");
    assert_eq!(all(&history, "first"), [], "to ask does not wait");
    let (sender, receiver) = channel();
    let waiting = thread::spawn(move || {
        let recorded = history.record("mine", 1);
        sender.send(()).expect("the test listens");
        recorded.expect("it can be recorded");
        history
    });
    let early = receiver.recv_timeout(Duration::from_millis(200));
    assert_eq!(early, Err(RecvTimeoutError::Timeout), "the other still holds it");
    other.say("release");
    other.end();
    let history = waiting.join().expect("it waits until it can be recorded");
    assert_eq!(
        [all(&history, "first"), all(&history, "last"), all(&history, "mine")],
        [[1], [2], [1]]
    );
}

#[test]
fn one_that_waits_for_too_long_gives_up() {
    let directory = Directory::new("patience");
    let path = directory.join(FILE);
    let history = open(&path).with_patience(Duration::from_millis(20));
    let mut history = history.expect("it is long enough");
    let mut other = Process::start("hold", &directory);
    assert_eq!(other.hear(), "held");
    let errors =
        [history.record("mine", 1), history.record_all([("mine", 2)]), history.drop_before(3)];
    for error in errors {
        let error = error.expect_err("the other still holds it");
        assert!(matches!(error, SqliteError::Busy { .. }));
        assert_eq!(error.to_string(), busy(&path));
    }
    other.say("release");
    other.end();
    assert_eq!(all(&history, "first"), [1]);
    assert_eq!(all(&history, "mine"), []);
}

/// After some thousand changes the log is moved into the file.
const LINES: [usize; 10] = [1, 2, 3, 10, 50, 130, 300, 700, 1_500, 2_500];

#[test]
fn what_is_recorded_outlives_a_kill() {
    for role in ["record", "open and record"] {
        for lines in LINES {
            let directory = Directory::new("kill");
            let said = kill(role, &directory, lines);
            // To open it is to check that it is sound.
            let history = open(directory.join(FILE));
            let found = all(&history, "killed");
            assert!(
                found == first(said) || found == first(said + 1),
                "{role}: {said} are recorded, and perhaps one more, but not {found:?}"
            );
        }
    }
}

#[test]
fn a_batch_outlives_a_kill_or_is_not_there() {
    for lines in LINES {
        let directory = Directory::new("kill batches");
        let said = kill("record in batches", &directory, lines.min(500));
        let found = all(&open(directory.join(FILE)), "killed");
        assert!(
            found == first(said * BATCH) || found == first((said + 1) * BATCH),
            "{said} batches are recorded, and perhaps one more, but not {found:?}"
        );
    }
}

#[test]
fn a_file_that_was_being_begun_can_be_opened() {
    for lines in 0..40 {
        let directory = Directory::new("kill begin");
        let said = kill("begin", &directory, lines);
        for number in 0..=said {
            let mut history = open(directory.join(format!("history {number}")));
            history.record("job", 1).expect("it can be recorded");
            assert_eq!(all(&history, "job"), [1]);
        }
    }
}

/// Power fails before all of the log is on the disk.
#[test]
fn a_log_is_cut_short() {
    let directory = crashed("cut", "record in batches", 20);
    let file = fs::read(directory.join(FILE)).expect("a file");
    let log = fs::read(directory.join("history-wal")).expect("a file");
    let mut most = 0;
    for length in (0..log.len()).step_by(701).chain([log.len()]) {
        let directory = Directory::new("cut copy");
        fs::write(directory.join(FILE), &file).expect("a copy");
        fs::write(directory.join("history-wal"), &log[..length]).expect("a copy");
        let found = all(&open(directory.join(FILE)), "killed");
        let batches = i64::try_from(found.len()).expect("they are few") / BATCH;
        assert_eq!(found, first(batches * BATCH), "after {length} bytes");
        assert!(batches >= most, "it does not get less");
        most = batches;
    }
    assert!(most >= 20);
}
