//! A history in a file: it is as one in memory, shared by processes, outlives their
//! being killed, and leaves alone what is not its own.
#![cfg(feature = "sqlite")]

mod histories;

use std::collections::BTreeSet;
use std::error::Error;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use histories::{Directory, Process, all, hear, open, role, say, successes};
use millicron::dependency::{History, MemoryHistory, SqliteError, SqliteHistory};
use proptest::collection::vec;
use proptest::prelude::*;

/// As the children know it, which are in its directory.
const FILE: &str = "history";

const BATCH: i64 = 50;

/// What a child does. Without a role, this is no child.
#[test]
fn child() {
    let Some(role) = role() else {
        return;
    };
    match role.as_str() {
        "record" => {
            let mut history = open(FILE);
            for success in 0.. {
                history.record("killed", success).expect("it can be recorded");
                say(success);
            }
        }
        "record in batches" => {
            let mut history = open(FILE);
            for batch in 0.. {
                let successes = (0..BATCH).map(|success| ("killed", batch * BATCH + success));
                history.record_all(successes).expect("they can be recorded");
                say(batch);
            }
        }
        "open and record" => {
            for success in 0.. {
                open(FILE).record("killed", success).expect("it can be recorded");
                say(success);
            }
        }
        "begin" => {
            for number in 0.. {
                drop(open(format!("history {number}")));
                say(number);
            }
        }
        "hold" => {
            // Between these two it has recorded, but the others do not see it.
            let runs = [("first", 1), ("last", 2)].into_iter().inspect(|(job, _)| {
                if *job == "last" {
                    say("held");
                    assert_eq!(hear().as_deref(), Some("release"));
                }
            });
            open(FILE).record_all(runs).expect("they can be recorded");
        }
        "share" => {
            let name = hear().expect("a name");
            let mut history = open(FILE);
            say("open");
            hear().expect("a start");
            for success in 0..100 {
                history.record(&name, success).expect("it can be recorded");
                history.record("shared", success).expect("it can be recorded");
            }
            say("recorded");
            while let Some(job) = hear() {
                say(all(&history, &job).len());
            }
        }
        "begin together" => {
            while let Some(line) = hear() {
                let (file, job) = line.split_once(' ').expect("a file and a job");
                let begun = SqliteHistory::open(file).and_then(|mut file| file.record(job, 1));
                say(format!("{begun:?}"));
            }
        }
        "odd names" => {
            for name in [":memory:", "file:name?mode=memory", "file::memory:"] {
                open(name).record("job", 1).expect("it can be recorded");
            }
        }
        _ => panic!("no role: {role}"),
    }
}

/// So many numbers.
fn first(numbers: i64) -> Vec<i64> {
    (0..numbers).collect()
}

#[derive(Clone, Debug)]
enum Operation {
    Record(String, i64),
    RecordAll(Vec<(String, i64)>),
    Successes(String, i64, i64, usize),
    First(String, i64),
    DropBefore(i64),
    Reopen,
}

fn job() -> impl Strategy<Value = String> {
    const KNOWN: &[&str] =
        &["", "a", "A", "a ", "a\0", "a\0b", "\0", "a'; --", "\"a\"", "?1", "1", "ä", "日本"];
    prop_oneof![
        8 => proptest::sample::select(KNOWN).prop_map(str::to_owned),
        1 => vec(any::<char>(), 0..4).prop_map(String::from_iter),
    ]
}

fn instant() -> impl Strategy<Value = i64> {
    const ENDS: &[i64] = &[i64::MIN, i64::MIN + 1, i64::MAX - 1, i64::MAX];
    prop_oneof![
        8 => -8..8_i64,
        1 => proptest::sample::select(ENDS),
        1 => any::<i64>(),
    ]
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        6 => (job(), instant()).prop_map(|(job, at)| Operation::Record(job, at)),
        3 => vec((job(), instant()), 0..40).prop_map(Operation::RecordAll),
        6 => (job(), instant(), instant(), 0..5_usize)
            .prop_map(|(job, start, end, stop)| Operation::Successes(job, start, end, stop)),
        4 => (job(), instant()).prop_map(|(job, at)| Operation::First(job, at)),
        1 => instant().prop_map(Operation::DropBefore),
        1 => Just(Operation::Reopen),
    ]
}

/// The successes in a range, up to so many.
fn some<H: History<Error: std::fmt::Debug>>(
    history: &H,
    job: &str,
    (start, end): (i64, i64),
    stop: usize,
) -> Vec<i64> {
    let mut successes = Vec::new();
    let visited = history.successes(job, start..=end, &mut |success| {
        successes.push(success);
        if successes.len() < stop { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    visited.expect("it can be read");
    successes
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn it_is_as_one_in_memory(operations in vec(operation(), 0..60)) {
        let directory = Directory::new("model");
        let mut file = open(directory.join(FILE));
        let mut memory = MemoryHistory::new();
        let mut jobs = BTreeSet::new();
        for operation in operations {
            match operation {
                Operation::Record(job, at) => {
                    file.record(&job, at)?;
                    memory.record(&job, at)?;
                    jobs.insert(job);
                }
                Operation::RecordAll(runs) => {
                    file.record_all(runs.iter().map(|(job, at)| (job, *at)))?;
                    for (job, at) in runs {
                        memory.record(&job, at)?;
                        jobs.insert(job);
                    }
                }
                Operation::Successes(job, start, end, stop) => {
                    let range = (start, end);
                    prop_assert_eq!(
                        some(&file, &job, range, stop),
                        some(&memory, &job, range, stop)
                    );
                }
                Operation::First(job, at) => {
                    prop_assert_eq!(
                        file.first_at_or_after(&job, at)?,
                        memory.first_at_or_after(&job, at)?
                    );
                }
                Operation::DropBefore(at) => {
                    file.drop_before(at)?;
                    memory.drop_before(at)?;
                }
                Operation::Reopen => {
                    drop(file);
                    file = open(directory.join(FILE));
                }
            }
        }
        for job in jobs {
            prop_assert_eq!(all(&file, &job), all(&memory, &job), "{:?}", job);
        }
    }
}

#[test]
fn a_name_is_kept_byte_for_byte() {
    let directory = Directory::new("names");
    let names =
        ["", "\0", "nul\0in it", "nul\0in", "naïve", "nai\u{308}ve", "x'y\"z", "\u{10ffff}"];
    let mut history = open(directory.join(FILE));
    for (at, name) in (0..).zip(names) {
        history.record(name, at).expect("it can be recorded");
    }
    drop(history);
    let history = open(directory.join(FILE));
    for (at, name) in (0..).zip(names) {
        assert_eq!(all(&history, name), [at], "{name:?}");
    }
    drop(history);
    let content = fs::read(directory.join(FILE)).expect("a file");
    for name in names {
        let bytes = name.as_bytes();
        assert!(bytes.is_empty() || content.windows(bytes.len()).any(|window| window == bytes));
    }
}

#[test]
fn ranges_at_the_ends() {
    let directory = Directory::new("ends");
    let mut history = open(directory.join(FILE));
    for at in [i64::MIN, -1, 0, i64::MAX] {
        history.record("job", at).expect("it can be recorded");
    }
    assert_eq!(all(&history, "job"), [i64::MIN, -1, 0, i64::MAX]);
    assert_eq!(successes(&history, "job", i64::MAX..=i64::MAX), [i64::MAX]);
    assert_eq!(successes(&history, "job", i64::MIN..=i64::MIN), [i64::MIN]);
    #[expect(clippy::reversed_empty_ranges, reason = "it visits nothing")]
    let reversed = [0..=-1, i64::MAX..=i64::MIN];
    for range in reversed {
        assert_eq!(successes(&history, "job", range), []);
    }
    let mut exhausted = 0..=0;
    assert_eq!(exhausted.next(), Some(0));
    assert_eq!(successes(&history, "job", exhausted), []);
    history.drop_before(i64::MIN).expect("nothing is dropped");
    assert_eq!(all(&history, "job"), [i64::MIN, -1, 0, i64::MAX]);
    history.drop_before(i64::MAX).expect("they can be dropped");
    assert_eq!(all(&history, "job"), [i64::MAX]);
}

#[test]
fn a_visitor_may_ask_and_may_panic() {
    let directory = Directory::new("visitors");
    let mut history = open(directory.join(FILE));
    history.record_all((0..4).map(|at| ("job", at))).expect("they can be recorded");
    let mut pairs = Vec::new();
    let visited = history.successes("job", 0..=3, &mut |outer| {
        for inner in successes(&history, "job", outer + 1..=3) {
            pairs.push((outer, inner));
        }
        ControlFlow::Continue(())
    });
    visited.expect("it can be read");
    assert_eq!(pairs, [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]);

    for at in 4..8 {
        let panicking = AssertUnwindSafe(|| {
            let mut panic = |_| resume_unwind(Box::new("visited"));
            let _: Result<(), SqliteError> = history.successes("job", 0..=3, &mut panic);
        });
        assert!(catch_unwind(panicking).is_err());
        // What is left open would be what others must wait for.
        history.record("job", at).expect("it can be recorded");
        open(directory.join(FILE)).record("other", at).expect("it can be recorded");
        assert_eq!(all(&history, "other").last(), Some(&at));
        assert_eq!(all(&history, "job"), first(at + 1));
    }
    drop(history);
    assert_eq!(directory.content().len(), 1, "it is closed");
}

#[test]
fn all_or_none() {
    let directory = Directory::new("all");
    let mut history = open(directory.join(FILE));
    history.record("job", 1).expect("it can be recorded");
    for _ in 0..2 {
        let runs = [1, 2, 3, 4].into_iter().map(|at| {
            if at == 4 {
                resume_unwind(Box::new("asked"));
            }
            ("job", at)
        });
        let panicking = AssertUnwindSafe(|| history.record_all(runs));
        assert!(catch_unwind(panicking).is_err());
        assert_eq!(all(&history, "job"), [1]);
    }
    history.record_all([("job", 2), ("job", 2), ("job", 1)]).expect("they can be recorded");
    history.record_all(Vec::<(String, i64)>::new()).expect("there are none");
    assert_eq!(all(&open(directory.join(FILE)), "job"), [1, 2]);
}

#[test]
fn it_can_go_to_another_thread() {
    fn is_send<T: Send + 'static>() {}
    fn is_error<T: Error + Send + Sync + 'static>() {}
    is_send::<SqliteHistory>();
    is_error::<SqliteError>();
    let directory = Directory::new("threads");
    let mut history = open(directory.join(FILE));
    let history = thread::spawn(move || {
        history.record("job", 1).expect("it can be recorded");
        history
    });
    assert_eq!(all(&history.join().expect("it is recorded"), "job"), [1]);
}

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

fn busy(path: &Path) -> String {
    format!("{}: another process has been writing for too long; try again later", path.display())
}

/// Kills a child in its role after it has said so many lines, and returns how many it
/// has said in all.
fn kill(role: &str, directory: &Directory, lines: usize) -> i64 {
    let mut process = Process::start(role, directory);
    for line in 0..lines {
        assert_eq!(process.hear(), line.to_string());
    }
    let rest = process.kill();
    for (line, rest) in (lines..).zip(&rest) {
        assert_eq!(*rest, line.to_string());
    }
    i64::try_from(lines + rest.len()).expect("it is killed soon")
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

/// A directory with a history and its log, as a killed process has left them, without
/// the third file, which can be made anew from these.
fn crashed(name: &str, role: &str, lines: usize) -> Directory {
    let directory = Directory::new(name);
    kill(role, &directory, lines);
    fs::remove_file(directory.join("history-shm")).expect("a file");
    assert_eq!(directory.names(), ["history", "history-wal"]);
    directory
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

/// Changes some bytes of a file.
fn patch(path: &Path, at: usize, bytes: &[u8]) {
    let mut content = fs::read(path).expect("a file");
    content[at..at + bytes.len()].copy_from_slice(bytes);
    fs::write(path, content).expect("a file");
}

/// Where a database says of what version it is, and of which program.
const VERSION: usize = 60;
const APPLICATION: usize = 68;

/// A history of some pages, at rest.
fn long(path: &Path) {
    let mut history = open(path);
    let runs = (0..5_000).map(|at| (format!("job {}", at % 10), at));
    history.record_all(runs).expect("they can be recorded");
}

/// Opens a file that is to be refused and to stay as it is, and returns the error and
/// what it says after the path.
fn refused(directory: &Directory, path: &Path) -> (SqliteError, String) {
    let before = directory.content();
    let error = SqliteHistory::open(path).expect_err("it is refused");
    let after = directory.content();
    assert!(before.keys().eq(after.keys()), "{:?}: {error}", after.keys());
    assert!(before == after, "it is as before: {error}");
    assert_eq!(error.path(), path);
    let text = error.to_string();
    let text = text.strip_prefix(&format!("{}: ", path.display())).expect("it begins so");
    let text = text.to_owned();
    (error, text)
}

#[test]
fn a_later_version_is_refused() {
    let directory = Directory::new("later");
    let path = directory.join(FILE);
    long(&path);
    for version in [2, 3, i32::MAX] {
        patch(&path, VERSION, &version.to_be_bytes());
        let (error, text) = refused(&directory, &path);
        assert!(
            matches!(error, SqliteError::FutureVersion { found, supported: 1, .. } if found == version)
        );
        assert_eq!(
            text,
            format!(
                "the history is of version {version}, and this program can read version 1; use a \
                 later version of the program, or another file"
            )
        );
    }
    for version in [0, -1] {
        patch(&path, VERSION, &i32::to_be_bytes(version));
        assert_eq!(refused(&directory, &path).1, damaged(&format!("its version is {version}")));
    }
    patch(&path, VERSION, &1_i32.to_be_bytes());
    assert_eq!(all(&open(&path), "job 3").len(), 500);
}

const FOREIGN: &str = "the database is not a history, but another program's; use another file";

#[test]
fn the_database_of_another_program_is_refused() {
    let directory = Directory::new("foreign");
    let path = directory.join(FILE);
    long(&path);
    for (application, version) in [(0_i32, 0_i32), (0, 1), (7, 0), (7, 1), (7, 2)] {
        patch(&path, APPLICATION, &application.to_be_bytes());
        patch(&path, VERSION, &version.to_be_bytes());
        // In the one mode and in the other.
        for mode in [1, 2] {
            patch(&path, 18, &[mode, mode]);
            let (error, text) = refused(&directory, &path);
            assert!(matches!(error, SqliteError::Foreign { .. }));
            assert_eq!(text, FOREIGN);
        }
    }
}

/// Nothing of what another program needs to recover is used up.
#[test]
fn the_database_of_another_program_that_was_killed_is_refused() {
    let directory = crashed("foreign log", "record", 20);
    let path = directory.join(FILE);
    patch(&path, APPLICATION, &[0, 0, 0, 7]);
    assert_eq!(refused(&directory, &path).1, FOREIGN);

    let directory = Directory::new("foreign journal");
    let path = directory.join(FILE);
    long(&path);
    patch(&path, APPLICATION, &[0, 0, 0, 7]);
    fs::write(directory.join("history-journal"), journal(2)).expect("a journal");
    assert_eq!(refused(&directory, &path).1, FOREIGN);
    patch(&path, 0, b"another");
    let (error, text) = refused(&directory, &path);
    assert!(matches!(error, SqliteError::NotADatabase { .. }));
    assert_eq!(text, NO_DATABASE);
}

/// A journal of no pages, but one which says how many the file is to have.
fn journal(pages: u8) -> Vec<u8> {
    let mut journal = vec![0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
    journal.extend([0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, pages, 0, 0, 2, 0, 0, 0, 16, 0]);
    journal.resize(512, 0);
    journal
}

/// Killed or without power in the middle of the very first change.
#[test]
fn a_file_that_was_half_begun_is_begun_anew() {
    let directory = Directory::new("half");
    let path = directory.join(FILE);
    drop(open(&path));
    let content = fs::read(&path).expect("a file");
    let zeros = vec![0; 8192];
    for half in [&content[..4096], &content[..600], &zeros, &zeros[..2]] {
        fs::write(&path, half).expect("a file");
        fs::write(directory.join("history-journal"), journal(0)).expect("a journal");
        let mut history = open(&path);
        history.record("job", 1).expect("it can be recorded");
        drop(history);
        assert_eq!(all(&open(&path), "job"), [1]);
        assert_eq!(directory.names(), [FILE]);
    }
}

const NO_DATABASE: &str = "the file is not a history, nor any database; use another file";

#[test]
fn what_is_no_database_is_refused() {
    let directory = Directory::new("garbage");
    let path = directory.join(FILE);
    let scrambled: Vec<u8> =
        (1..20_000_u32).flat_map(|at| at.wrapping_pow(5).to_le_bytes()).collect();
    let contents: [&[u8]; 5] =
        [b"x", b"Dear diary,\n", &[0; 4096], b"SQLite format 4\0", &scrambled];
    for content in contents {
        fs::write(&path, content).expect("a file");
        let (error, text) = refused(&directory, &path);
        assert!(matches!(error, SqliteError::NotADatabase { .. }), "{error:?}");
        assert_eq!(text, NO_DATABASE);
    }
}

fn damaged(damage: &str) -> String {
    format!(
        "the history is damaged ({damage}); put back a copy of it, or move it away to begin a new one"
    )
}

#[test]
fn a_damaged_file_is_refused() {
    let directory = Directory::new("damaged");
    let path = directory.join(FILE);
    long(&path);
    let content = fs::read(&path).expect("a file");
    let pages = content.len() / 4096;
    assert!(pages > 20);

    for length in [100, 600, 4096, 4097, 8192, 50_000, content.len() / 2, content.len() - 4096] {
        fs::write(&path, &content[..length]).expect("a file");
        let (error, text) = refused(&directory, &path);
        assert!(matches!(error, SqliteError::Broken { .. }));
        assert_eq!(text, damaged("database disk image is malformed"), "{length} bytes");
    }
    fs::write(&path, &content[..20]).expect("a file");
    assert_eq!(refused(&directory, &path).1, NO_DATABASE);
    // Also in the last page, whose end would be zeros.
    for missing in [1, 512, 4095] {
        fs::write(&path, &content[..content.len() - missing]).expect("a file");
        assert_eq!(refused(&directory, &path).1, damaged("its end is missing"));
    }
    // Every page but the first, which says what it is.
    for page in 1..pages {
        for damage in [0, 0x55, 0xff] {
            fs::write(&path, &content).expect("a file");
            patch(&path, page * 4096, &[damage; 4096]);
            let (error, text) = refused(&directory, &path);
            let SqliteError::Broken { damage, .. } = error else {
                panic!("{error:?}");
            };
            assert_eq!(text, damaged(&damage));
            let number = page + 1;
            assert_eq!(
                damage,
                format!("Tree 2 page {number}: btreeInitPage() returns error code 11")
            );
        }
    }
    // The table is another.
    fs::write(&path, &content).expect("a file");
    let kind = b"INTEGER";
    let at = content.windows(kind.len()).position(|window| window == kind).expect("a column");
    patch(&path, at, b"ANY    ");
    assert_eq!(refused(&directory, &path).1, damaged("its table is not as it was made"));

    fs::write(&path, &content).expect("a file");
    assert_eq!(all(&open(&path), "job 3").len(), 500);
}

/// The log stays as well, but the third file is made anew.
#[test]
fn a_damaged_file_with_a_log_is_refused() {
    let directory = Directory::new("damaged log");
    let links = Directory::new("damaged log links");
    let path = directory.join(FILE);
    long(&path);
    kill("record", &directory, 20);
    fs::remove_file(directory.join("history-shm")).expect("a file");
    patch(&path, 10 * 4096, &[0xff; 4096]);
    let before = directory.content();
    assert_eq!(before.len(), 2);
    let mut paths = vec![path.clone()];
    #[cfg(unix)]
    {
        // Its log is beside the file, not beside the link.
        let link = links.join("link");
        std::os::unix::fs::symlink(&path, &link).expect("a link");
        paths.push(link);
    }
    for path in paths {
        let error = SqliteHistory::open(path).expect_err("it is damaged");
        assert!(matches!(error, SqliteError::Broken { .. }));
        let mut after = directory.content();
        after.remove(OsStr::new("history-shm"));
        assert!(before == after, "it is as before");
    }
    // With the page as it was, all is there.
    let whole = Directory::new("whole");
    long(&whole.join(FILE));
    let content = fs::read(whole.join(FILE)).expect("a file");
    patch(&path, 10 * 4096, &content[10 * 4096..11 * 4096]);
    assert!(all(&open(&path), "killed").len() >= 20);
}

/// The damage is done while it is in use.
#[test]
fn damage_is_told_by_whoever_meets_it() {
    let directory = Directory::new("meets");
    let path = directory.join(FILE);
    long(&path);
    let history = open(&path);
    // It has read all, but reads it again when another has changed something.
    open(&path).record("other", 1).expect("it can be recorded");
    let pages = fs::read(&path).expect("a file").len() / 4096;
    overwrite(&path, pages);
    let error = (0..10)
        .find_map(|job| {
            let visit = &mut |_| ControlFlow::Continue(());
            history.successes(&format!("job {job}"), 0..=i64::MAX, visit).err()
        })
        .expect("it is damaged");
    assert!(matches!(error, SqliteError::Broken { .. }));
    let text = damaged("database disk image is malformed");
    assert_eq!(error.to_string(), format!("{}: {text}", path.display()));
}

/// Damages every page but the first.
fn overwrite(path: &Path, pages: usize) {
    use std::io::{Seek as _, SeekFrom, Write as _};

    let mut file = File::options().write(true).open(path).expect("a file");
    file.seek(SeekFrom::Start(4096)).expect("it has pages");
    file.write_all(&vec![0xff; (pages - 1) * 4096]).expect("it can be written");
}

fn io_error(path: &Path) -> (ErrorKind, String) {
    let error = SqliteHistory::open(path).expect_err("it is refused");
    assert_eq!(error.path(), path);
    let text = error.to_string();
    let SqliteError::Io { error, .. } = error else {
        panic!("{error:?}");
    };
    let start = format!("{}: the history can not be opened: ", path.display());
    (error.kind(), text.strip_prefix(&start).expect("it begins so").to_owned())
}

#[test]
fn where_there_can_be_no_file() {
    let directory = Directory::new("nowhere");
    let told = |path: &Path, kind, text: &str| {
        let before = directory.content();
        assert_eq!(io_error(path), (kind, text.to_owned()));
        assert!(before == directory.content());
    };
    told(
        &directory.join("absent/history"),
        ErrorKind::NotFound,
        "its directory does not exist; create that first",
    );
    assert_eq!(
        io_error(directory.path()),
        (ErrorKind::IsADirectory, "it is a directory; name a file in it".to_owned())
    );
    assert_eq!(io_error(Path::new("")).0, ErrorKind::InvalidInput);
    assert_eq!(io_error(&directory.join("nul\0")).0, ErrorKind::InvalidInput);

    #[cfg(unix)]
    fs::write(directory.join("text"), "a text").expect("a file");
    #[cfg(unix)]
    assert_eq!(io_error(&directory.join("text/history")).0, ErrorKind::NotADirectory);

    let path = directory.join(FILE);
    let set = |readonly| {
        let mut permissions = fs::metadata(&path).expect("a file").permissions();
        permissions.set_readonly(readonly);
        fs::set_permissions(&path, permissions).expect("it can be changed");
    };
    drop(open(&path));
    set(true);
    let text = "it is read-only; permit this user to write it, also in its directory";
    told(&path, ErrorKind::PermissionDenied, text);
    set(false);
    drop(open(&path));
}

#[cfg(unix)]
#[test]
fn what_is_no_ordinary_file() {
    let path = Path::new("/dev/null");
    let text = "it is not an ordinary file; use another".to_owned();
    assert_eq!(io_error(path), (ErrorKind::InvalidInput, text));
}

#[cfg(unix)]
#[test]
fn a_link_is_followed() {
    let directory = Directory::new("links");
    let elsewhere = crashed("elsewhere", "record", 20);
    let link = directory.join("link");
    std::os::unix::fs::symlink(elsewhere.join(FILE), &link).expect("a link");
    let mut history = open(&link);
    assert!(all(&history, "killed").len() >= 20);
    history.record("linked", 1).expect("it can be recorded");
    assert_eq!(all(&open(elsewhere.join(FILE)), "linked"), [1]);
    drop(history);
    patch(&elsewhere.join(FILE), VERSION, &2_i32.to_be_bytes());
    refused(&elsewhere, &link);

    // Of a file that is not there yet.
    let link = directory.join("dangling");
    std::os::unix::fs::symlink(elsewhere.join("absent"), &link).expect("a link");
    open(&link).record("linked", 1).expect("it can be recorded");
    assert_eq!(all(&open(elsewhere.join("absent")), "linked"), [1]);
}

#[test]
fn a_path_is_nothing_but_a_path() {
    let directory = Directory::new("paths");
    Process::start("odd names", &directory).end();
    let names = [":memory:", "file::memory:", "file:name?mode=memory"];
    assert_eq!(directory.names(), names);

    let directory = Directory::new("odd paths");
    let mut names = vec![PathBuf::from("a b"), PathBuf::from("ä%20%"), PathBuf::from("file:x")];
    #[cfg(unix)]
    names.extend(["?mode=memory", "#", "\\", "'", "\u{1}\n"].map(PathBuf::from));
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::ffi::OsStrExt as _;
        names.push(PathBuf::from(OsStr::from_bytes(b"\xff\xc3")));
    }
    for name in &names {
        let path = directory.join(name);
        open(&path).record("job", 1).expect("it can be recorded");
        assert_eq!(all(&open(&path), "job"), [1], "{name:?}");
        patch(&path, VERSION, &2_i32.to_be_bytes());
        // It would be changed by this if it were not looked at first, and not elsewhere.
        let mut side = name.clone().into_os_string();
        side.push("-journal");
        fs::write(directory.join(side), journal(1)).expect("a journal");
        let (error, _) = refused(&directory, &path);
        assert!(matches!(error, SqliteError::FutureVersion { .. }), "{name:?}");
    }
    assert_eq!(directory.names().len(), 2 * names.len());
}

#[test]
fn other_texts() {
    let path = Path::new("/var/history");
    let error = SqliteError::Busy { path: path.into() };
    assert_eq!(error.to_string(), busy(path));
    let error = SqliteError::Sqlite { path: path.into(), error: "the disk is full".into() };
    assert_eq!(error.to_string(), "/var/history: SQLite has failed: the disk is full");
    let error = SqliteError::Io { path: path.into(), error: io::Error::other("why") };
    assert_eq!(error.to_string(), "/var/history: the history can not be opened: why");
}
