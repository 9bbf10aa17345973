//! A file of an earlier version. `version-1` and `version-2` were written by programs of these
//! versions, with the successes that [`check`] lists.

use std::fs;
use std::time::Duration;

use millicron_history::{
    Claim, ClaimOutcome, Claims as _, History as _, RunState, SqliteError, SqliteHistory,
    StartedRun,
};

use super::{Directory, FILE, Process, all, open};

const VERSION_1: &[u8] = include_bytes!("version-1");
const VERSION_2: &[u8] = include_bytes!("version-2");

fn hours(count: i64) -> Vec<i64> {
    (0..count).map(|hour| 1_795_046_464_000 + hour * 3_600_000).collect()
}

fn check(history: &SqliteHistory) {
    assert_eq!(all(history, "load"), hours(100));
    assert_eq!(all(history, "report"), hours(3));
    assert_eq!(all(history, ""), hours(1));
    assert_eq!(all(history, "ends"), [i64::MIN, i64::MAX]);
}

/// Returns the offset of the last occurrence of a string.
fn last(content: &[u8], text: &str) -> usize {
    let found = content.windows(text.len()).rposition(|window| window == text.as_bytes());
    found.expect("the text")
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
    assert_eq!(fs::read(&path).expect("accessible file")[60..64], [0, 0, 0, 3]);
    assert_eq!(directory.names(), [FILE]);
}

#[test]
fn version_2_keeps_its_states_and_claims() {
    let directory = Directory::new("version 2");
    let path = directory.join(FILE);
    fs::write(&path, VERSION_2).expect("accessible file");
    for _ in 0..2 {
        let mut history = open(&path).with_clock(|| 1_795_046_400_001);
        check(&history);
        for (hour, state) in [(3, RunState::Failed), (4, RunState::Skipped)] {
            let at = hours(hour + 1).pop().expect("an hour");
            let run = history.run("report", at).expect("the read succeeds");
            assert_eq!(run, Some(state.into()));
        }
        let started = history.started_runs().expect("the read succeeds");
        let expected = hours(103).into_iter().skip(100).zip(1..).map(|(scheduled, token)| {
            let claim = Claim { job: "load".into(), scheduled, token };
            let expires = 1_795_046_460_000;
            let owner = "a runner".into();
            StartedRun { claim, owner, started: None, attempts: 1, expires, has_expired: false }
        });
        assert_eq!(started, expected.collect::<Vec<_>>());
        // A claim from that version is still valid.
        history.renew(&started[0].claim, Duration::from_mins(1)).expect("the claim is held");
        let other = history.claim("load", hours(103)[101], "other", Duration::ZERO);
        assert!(matches!(other, Ok(ClaimOutcome::Held { .. })), "{other:?}");
        drop(history);
        fs::write(&path, VERSION_2).expect("accessible file");
    }
}

#[test]
fn processes_convert_earlier_versions_at_the_same_time() {
    let directory = Directory::new("convert together");
    let mut processes = [1, 2, 3].map(|_| Process::start("begin together", &directory));
    for round in 0..10 {
        let file = format!("history-{round}");
        let content = if round % 2 == 0 { VERSION_1 } else { VERSION_2 };
        fs::write(directory.join(&file), content).expect("accessible file");
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
fn damaged_file_of_an_earlier_version_is_refused_unchanged() {
    let directory = Directory::new("damaged version");
    let path = directory.join(FILE);
    let damages = [
        (VERSION_1, 4096, 0xff),
        (VERSION_1, last(VERSION_1, "success"), b'S'),
        (VERSION_1, last(VERSION_1, "load"), b'a'),
        (VERSION_2, 4096, 0xff),
        (VERSION_2, last(VERSION_2, "state"), b'S'),
        (VERSION_2, last(VERSION_2, "load"), b'a'),
        (VERSION_2, last(VERSION_2, "a runner"), b'b'),
    ];
    for (content, at, byte) in damages {
        let mut content = content.to_vec();
        content[at] = byte;
        fs::write(&path, content).expect("accessible file");
        let before = directory.content();
        let error = SqliteHistory::open(&path).expect_err("damaged");
        assert!(matches!(error, SqliteError::Corrupt { .. }), "{error:?}");
        assert!(before == directory.content());
    }
}
