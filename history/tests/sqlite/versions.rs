//! A file of an earlier version. `version-1` was written by the program of that version, with the
//! successes that [`check`] lists.

use std::fs;
use std::path::Path;

use millicron_history::{History as _, RunState, SqliteError, SqliteHistory};

use super::{Directory, FILE, Process, all, open};

const VERSION_1: &[u8] = include_bytes!("version-1");

fn hours(count: i64) -> Vec<i64> {
    (0..count).map(|hour| 1_795_046_464_000 + hour * 3_600_000).collect()
}

fn check(history: &SqliteHistory) {
    assert_eq!(all(history, "load"), hours(100));
    assert_eq!(all(history, "report"), hours(3));
    assert_eq!(all(history, ""), hours(1));
    assert_eq!(all(history, "ends"), [i64::MIN, i64::MAX]);
}

/// Writes a file of version 1 with a damaged or another byte.
fn write(path: &Path, at: usize, byte: u8) {
    let mut content = VERSION_1.to_vec();
    content[at] = byte;
    fs::write(path, content).expect("accessible file");
}

#[test]
fn version_1_keeps_its_successes() {
    let directory = Directory::new("version 1");
    let path = directory.join(FILE);
    fs::write(&path, VERSION_1).expect("accessible file");
    let mut history = open(&path);
    check(&history);
    history.record_state("load", 0, RunState::Failed).expect("the record succeeds");
    drop(history);
    let history = open(&path);
    check(&history);
    assert_eq!(history.state("load", 0).expect("the read succeeds"), Some(RunState::Failed));
    drop(history);
    // The user version in the header.
    assert_eq!(fs::read(&path).expect("accessible file")[60..64], [0, 0, 0, 2]);
    assert_eq!(directory.names(), [FILE]);
}

#[test]
fn processes_convert_version_1_at_the_same_time() {
    let directory = Directory::new("convert together");
    let mut processes = [1, 2, 3].map(|_| Process::start("begin together", &directory));
    for round in 0..10 {
        let file = format!("history-{round}");
        fs::write(directory.join(&file), VERSION_1).expect("accessible file");
        for (job, process) in processes.iter_mut().enumerate() {
            process.send(&format!("{file} {job}"));
        }
        for process in &mut processes {
            assert_eq!(process.receive(), "Ok(())");
        }
        let history = open(directory.join(&file));
        check(&history);
        for job in ["0", "1", "2"] {
            assert_eq!(all(&history, job), [1]);
        }
    }
}

#[test]
fn damaged_version_1_is_refused_unchanged() {
    let directory = Directory::new("damaged version 1");
    let path = directory.join(FILE);
    let table = VERSION_1.windows(7).position(|window| window == b"success").expect("the table");
    let load = VERSION_1.windows(4).rposition(|window| window == b"load").expect("a record");
    for (at, byte) in [(4096, 0xff), (table, b'S'), (load, b'a')] {
        write(&path, at, byte);
        let before = directory.content();
        let error = SqliteHistory::open(&path).expect_err("damaged");
        assert!(matches!(error, SqliteError::Corrupt { .. }), "{error:?}");
        assert!(before == directory.content());
    }
}
