//! A history in a file: it leaves alone what is not its own, says what is broken, and
//! finds its file by any path.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::{Directory, FILE, Process, all, busy, crashed, kill, open};
use millicron_pipeline::{History as _, SqliteError, SqliteHistory};

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
