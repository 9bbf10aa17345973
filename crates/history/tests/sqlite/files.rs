//! A history in a file: it leaves foreign files alone, reports damage, and accepts any path.

use std::error::Error as _;
use std::ffi::OsStr;
use std::fs::{self, File};
#[cfg(target_os = "linux")]
use std::io::Write as _;
use std::io::{self, ErrorKind};
use std::ops::ControlFlow;
use std::path::Path;
#[cfg(target_os = "linux")]
use std::process::Command;

use millicron_history::{History as _, SqliteError, SqliteErrorKind, SqliteHistory};
use millicron_test_support::is_full;
#[cfg(target_os = "linux")]
use millicron_test_support::processes::this_program;
use rusqlite::Connection;

use super::{Directory, FILE, all, crashed, first, kill, open, record_all};
#[cfg(target_os = "linux")]
use crate::processes::in_role;

/// Overwrites some bytes of a file.
pub(super) fn patch(path: &Path, at: usize, bytes: &[u8]) {
    let mut content = fs::read(path).expect("accessible file");
    content[at..at + bytes.len()].copy_from_slice(bytes);
    fs::write(path, content).expect("accessible file");
}

/// The offsets of the user version and the application id in the header of a database.
pub(super) const VERSION: usize = 60;
const APPLICATION: usize = 68;

/// Creates a closed history of some pages.
fn create_pages(path: &Path) {
    let mut history = open(path);
    let runs = (0..5_000).map(|at| (format!("job {}", at % 10), at));
    record_all(&mut history, runs);
}

/// Checks that a file is refused and unchanged. Returns the error, and its message without the path.
pub(super) fn refused(directory: &Directory, path: &Path) -> (SqliteError, String) {
    let before = directory.content();
    let error = SqliteHistory::open(path).expect_err("refused");
    let after = directory.content();
    assert!(before.keys().eq(after.keys()), "{:?}: {error}", after.keys());
    assert!(before == after, "the files changed: {error}");
    let text = error.to_string();
    let text = text.strip_prefix(&format!("{}: ", path.display())).expect("this prefix");
    let text = text.to_owned();
    (error, text)
}

#[test]
fn other_versions_are_refused() {
    let directory = Directory::new("later");
    let path = directory.join(FILE);
    create_pages(&path);
    for version in [4, 5, i32::MAX] {
        patch(&path, VERSION, &version.to_be_bytes());
        let (error, text) = refused(&directory, &path);
        let kind = SqliteErrorKind::NewerVersion { found: version, supported: 3 };
        assert_eq!(*error.kind(), kind);
        assert_eq!(
            text,
            format!(
                "the history has version {version}, but this program reads only up to version 3; \
                 use a later version of the program, or another file"
            )
        );
    }
    for version in [2, 0, -1] {
        patch(&path, VERSION, &i32::to_be_bytes(version));
        assert_eq!(
            refused(&directory, &path).1,
            damaged(&format!("its version is {version}, which was never released"))
        );
    }
    patch(&path, VERSION, &3_i32.to_be_bytes());
    assert_eq!(all(&open(&path), "job 3").len(), 500);
}

const FOREIGN: &str = "the database belongs to another program; use another file";

#[test]
fn database_of_another_program_is_refused() {
    let directory = Directory::new("foreign");
    let path = directory.join(FILE);
    create_pages(&path);
    for (application, version) in [(0_i32, 0_i32), (0, 1), (7, 0), (7, 1), (7, 2)] {
        patch(&path, APPLICATION, &application.to_be_bytes());
        patch(&path, VERSION, &version.to_be_bytes());
        // In both journal modes.
        for mode in [1, 2] {
            patch(&path, 18, &[mode, mode]);
            let (error, text) = refused(&directory, &path);
            assert_eq!(*error.kind(), SqliteErrorKind::NotAHistory);
            assert_eq!(text, FOREIGN);
        }
    }
}

#[test]
fn database_of_another_program_without_tables_is_refused() {
    let directory = Directory::new("foreign blank");
    let path = directory.join(FILE);
    for mark in ["application_id", "user_version"] {
        let connection = Connection::open(&path).expect("a new database");
        connection.pragma_update(None, mark, 7).expect("a number");
        drop(connection);
        let (error, text) = refused(&directory, &path);
        assert_eq!(*error.kind(), SqliteErrorKind::NotAHistory, "{mark}");
        assert_eq!(text, FOREIGN);
        fs::remove_file(&path).expect("our file");
    }
}

/// The log and the journal that the other program needs are kept.
#[test]
fn database_of_a_killed_program_is_refused_unchanged() {
    let directory = crashed("foreign log", "record", 20);
    let path = directory.join(FILE);
    patch(&path, APPLICATION, &[0, 0, 0, 7]);
    assert_eq!(refused(&directory, &path).1, FOREIGN);

    let directory = Directory::new("foreign journal");
    let path = directory.join(FILE);
    create_pages(&path);
    patch(&path, APPLICATION, &[0, 0, 0, 7]);
    fs::write(directory.join("history-journal"), journal(2)).expect("writable journal");
    assert_eq!(refused(&directory, &path).1, FOREIGN);
    patch(&path, 0, b"another");
    // SQLite would remove journals that it does not recognize.
    for journal in [journal(2), [&b"diary"[..], &[0; 507]].concat(), b"x".to_vec()] {
        fs::write(directory.join("history-journal"), journal).expect("writable journal");
        let (error, text) = refused(&directory, &path);
        assert_eq!(*error.kind(), SqliteErrorKind::NotADatabase);
        assert_eq!(text, NO_DATABASE);
    }
}

/// Returns a journal without pages that gives the file's original number of pages.
pub(super) fn journal(pages: u8) -> Vec<u8> {
    let mut journal = vec![0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
    journal.extend([0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, pages, 0, 0, 2, 0, 0, 0, 16, 0]);
    journal.resize(512, 0);
    journal
}

/// The process was killed, or the power failed, during the first transaction.
#[test]
fn partially_created_file_is_created_again() {
    let directory = Directory::new("half");
    let path = directory.join(FILE);
    drop(open(&path));
    let content = fs::read(&path).expect("accessible file");
    let zeros = vec![0; 8192];
    for half in [&content[..4096], &content[..600], &zeros, &zeros[..2]] {
        fs::write(&path, half).expect("accessible file");
        fs::write(directory.join("history-journal"), journal(0)).expect("writable journal");
        let mut history = open(&path);
        history.record("job", 1).expect("the record succeeds");
        drop(history);
        assert_eq!(all(&open(&path), "job"), [1]);
        assert_eq!(directory.names(), [FILE]);
    }
}

#[test]
fn empty_file_becomes_a_history() {
    let directory = Directory::new("empty");
    let path = directory.join(FILE);
    fs::write(&path, "").expect("accessible file");
    open(&path).record("job", 1).expect("the record succeeds");
    assert_eq!(all(&open(&path), "job"), [1]);
}

const NO_DATABASE: &str = "the file is not a history; use another file";

#[test]
fn file_that_is_not_a_database_is_refused() {
    let directory = Directory::new("garbage");
    let path = directory.join(FILE);
    let scrambled: Vec<u8> =
        (1..20_000_u32).flat_map(|at| at.wrapping_pow(5).to_le_bytes()).collect();
    let contents: [&[u8]; 5] =
        [b"x", b"Dear diary,\n", &[0; 4096], b"SQLite format 4\0", &scrambled];
    for content in contents {
        fs::write(&path, content).expect("accessible file");
        let (error, text) = refused(&directory, &path);
        assert_eq!(*error.kind(), SqliteErrorKind::NotADatabase, "{error:?}");
        assert_eq!(text, NO_DATABASE);
    }
}

fn damaged(damage: &str) -> String {
    format!(
        "the history is damaged ({damage}); restore it from a backup, or move it away to start a new \
         one"
    )
}

#[test]
fn damaged_file_is_refused() {
    let directory = Directory::new("damaged");
    let path = directory.join(FILE);
    create_pages(&path);
    let content = fs::read(&path).expect("accessible file");
    let pages = content.len() / 4096;
    assert!(pages > 20);

    for length in [100, 600, 4096, 4097, 8192, 50_000, content.len() / 2, content.len() - 4096] {
        fs::write(&path, &content[..length]).expect("accessible file");
        let (error, text) = refused(&directory, &path);
        assert!(matches!(error.kind(), SqliteErrorKind::Corrupt { .. }));
        assert_eq!(text, damaged("database disk image is malformed"), "{length} bytes");
    }
    fs::write(&path, &content[..20]).expect("accessible file");
    assert_eq!(refused(&directory, &path).1, NO_DATABASE);
    // SQLite would read the end of the last page as zeros.
    for missing in [1, 512, 4095] {
        fs::write(&path, &content[..content.len() - missing]).expect("accessible file");
        assert_eq!(refused(&directory, &path).1, damaged("its end is missing"));
    }
    // Every page except the first, which has the header.
    for page in (1..pages).step_by(if is_full() { 1 } else { 10 }) {
        for damage in [0, 0x55, 0xff] {
            fs::write(&path, &content).expect("accessible file");
            patch(&path, page * 4096, &[damage; 4096]);
            let (error, text) = refused(&directory, &path);
            let SqliteErrorKind::Corrupt { damage } = error.kind() else {
                panic!("{error:?}");
            };
            assert_eq!(text, damaged(damage));
            let number = page + 1;
            // The roots of the three tables are the pages 2 to 4; only the first table has more.
            let tree = if number <= 4 { number } else { 2 };
            assert_eq!(
                *damage,
                format!("Tree {tree} page {number}: btreeInitPage() returns error code 11")
            );
        }
    }
    // Another table.
    fs::write(&path, &content).expect("accessible file");
    let kind = b"INTEGER";
    let at = content.windows(kind.len()).position(|window| window == kind).expect("a column type");
    patch(&path, at, b"ANY    ");
    assert_eq!(refused(&directory, &path).1, damaged("its table has been changed"));

    fs::write(&path, &content).expect("accessible file");
    assert_eq!(all(&open(&path), "job 3").len(), 500);
}

/// The log is kept; `SQLite` creates the shared memory file again.
#[test]
fn damaged_file_with_a_log_is_refused() {
    let directory = Directory::new("damaged log");
    let path = directory.join(FILE);
    create_pages(&path);
    kill("record", &directory, 20);
    fs::remove_file(directory.join("history-shm")).expect("accessible file");
    patch(&path, 10 * 4096, &[0xff; 4096]);
    let before = directory.content();
    assert_eq!(before.len(), 2);
    let assert_refused = |path: &Path| {
        let error = SqliteHistory::open(path).expect_err("damaged");
        assert!(matches!(error.kind(), SqliteErrorKind::Corrupt { .. }));
        let mut after = directory.content();
        after.remove(OsStr::new("history-shm"));
        assert!(before == after, "the files changed");
    };
    assert_refused(&path);
    #[cfg(unix)]
    {
        // The log is next to the file, not next to the link.
        let links = Directory::new("damaged log links");
        let link = links.join("link");
        std::os::unix::fs::symlink(&path, &link).expect("new link");
        assert_refused(&link);
    }
    // With the page restored, no record is lost.
    let whole = Directory::new("whole");
    create_pages(&whole.join(FILE));
    let content = fs::read(whole.join(FILE)).expect("accessible file");
    patch(&path, 10 * 4096, &content[10 * 4096..11 * 4096]);
    assert!(all(&open(&path), "killed").len() >= 20);
}

/// The machine has crashed while a part of the log was moved into the file.
#[test]
fn file_whose_end_is_only_in_its_log_is_opened() {
    let directory = Directory::new("moved");
    let mut history = open(directory.join(FILE));
    record_all(&mut history, (0..20).map(|at| ("job", at)));
    let crashed = Directory::new("moved in part");
    for name in [FILE, "history-wal"] {
        fs::copy(directory.join(name), crashed.join(name)).expect("accessible file");
    }
    let path = crashed.join(FILE);
    let content = fs::read(&path).expect("accessible file");
    // The last page has the summary, which each record changes.
    fs::write(&path, &content[..content.len() - 100]).expect("accessible file");
    assert_eq!(all(&open(&path), "job"), first(20));
}

#[test]
fn empty_log_does_not_hide_that_the_end_is_missing() {
    let directory = Directory::new("empty log");
    let path = directory.join(FILE);
    create_pages(&path);
    let content = fs::read(&path).expect("accessible file");
    fs::write(&path, &content[..content.len() - 1]).expect("accessible file");
    fs::write(directory.join("history-wal"), "").expect("writable log");
    let error = SqliteHistory::open(&path).expect_err("damaged");
    let kind = SqliteErrorKind::Corrupt { damage: "its end is missing".to_owned() };
    assert_eq!(*error.kind(), kind, "{error}");
}

/// The file is damaged while it is in use.
#[test]
fn damage_is_reported_by_the_query_that_meets_it() {
    let directory = Directory::new("meets");
    let path = directory.join(FILE);
    create_pages(&path);
    let history = open(&path);
    // The file is read again after another connection has changed it.
    open(&path).record("other", 1).expect("the record succeeds");
    let pages = fs::read(&path).expect("accessible file").len() / 4096;
    overwrite(&path, pages);
    let error = (0..10)
        .find_map(|job| {
            let visit = &mut |_| ControlFlow::Continue(());
            history.successes(&format!("job {job}"), 0..=i64::MAX, visit).err()
        })
        .expect("damage");
    assert!(matches!(error.kind(), SqliteErrorKind::Corrupt { .. }));
    assert!(error.source().is_some());
    let text = damaged("database disk image is malformed");
    assert_eq!(error.to_string(), format!("{}: {text}", path.display()));
}

/// Damages every page except the first.
fn overwrite(path: &Path, pages: usize) {
    use std::io::{Seek as _, SeekFrom, Write as _};

    let mut file = File::options().write(true).open(path).expect("accessible file");
    file.seek(SeekFrom::Start(4096)).expect("at least two pages");
    file.write_all(&vec![0xff; (pages - 1) * 4096]).expect("writable file");
}

pub(super) fn io_error(path: &Path) -> (ErrorKind, String) {
    let error = SqliteHistory::open(path).expect_err("refused");
    let message = format!("{}: the history cannot be opened", path.display());
    assert_eq!(error.to_string(), message);
    assert_eq!(*error.kind(), SqliteErrorKind::Io);
    let source: &io::Error = error.source().and_then(|it| it.downcast_ref()).expect("the cause");
    (source.kind(), source.to_string())
}

#[test]
fn unusable_path_is_refused() {
    let directory = Directory::new("nowhere");
    let check = |path: &Path, kind, text: &str| {
        let before = directory.content();
        assert_eq!(io_error(path), (kind, text.to_owned()));
        assert!(before == directory.content());
    };
    check(
        &directory.join("absent/history"),
        ErrorKind::NotFound,
        "its directory does not exist; create it first",
    );
    assert_eq!(
        io_error(directory.path()),
        (ErrorKind::IsADirectory, "it is a directory; pass the path of a file".to_owned())
    );
    assert_eq!(io_error(Path::new("")).0, ErrorKind::InvalidInput);
    assert_eq!(io_error(&directory.join("nul\0")).0, ErrorKind::InvalidInput);

    #[cfg(unix)]
    fs::write(directory.join("text"), "a text").expect("accessible file");
    #[cfg(unix)]
    assert_eq!(io_error(&directory.join("text/history")).0, ErrorKind::NotADirectory);

    let path = directory.join(FILE);
    let set = |readonly| {
        let mut permissions = fs::metadata(&path).expect("accessible file").permissions();
        permissions.set_readonly(readonly);
        fs::set_permissions(&path, permissions).expect("changeable permissions");
    };
    drop(open(&path));
    set(true);
    let text = "it is read-only; give this user write permission for it and its directory";
    check(&path, ErrorKind::PermissionDenied, text);
    set(false);
    drop(open(&path));
}

/// Mounts a file system over the directory of a history, copies the history, and executes a program there.
#[cfg(target_os = "linux")]
const MOUNT: &str = r#"exec 3<history && mount -t tmpfs none "$PWD" && cd "$PWD" && cat <&3 >history &&
    mount -o remount,bind,ro "$PWD" && exec "$0" "$@""#;

#[cfg(target_os = "linux")]
#[test]
fn read_only_file_systems_are_named() {
    let is_permitted = Command::new("unshare")
        .args(["--mount", "--map-root-user", "mount", "-t", "tmpfs", "none", "/mnt"])
        .output()
        .is_ok_and(|output| output.status.success());
    if !is_permitted {
        let _ = writeln!(io::stderr(), "left out: a read-only file system cannot be mounted");
        return;
    }
    let directory = Directory::new("read-only file system");
    create_pages(&directory.join(FILE));
    let mut program = Command::new("unshare");
    program.args(["--mount", "--map-root-user", "sh", "-c", MOUNT]);
    // With the emulator, if there is one.
    let own = this_program();
    program.arg(own.get_program()).args(own.get_args());
    let ended = in_role(program, "read-only file system", &directory).output();
    let ended = ended.expect("a shell");
    assert!(ended.status.success(), "{ended:?}");
}

/// The child's part of that test.
#[cfg(target_os = "linux")]
pub(super) fn check_read_only_file_system() {
    let directory = std::env::current_dir().expect("a directory");
    for name in [FILE, "new"] {
        let (kind, text) = io_error(&directory.join(name));
        assert_eq!(kind, ErrorKind::ReadOnlyFilesystem, "{text}");
    }
    let history = SqliteHistory::open_read_only(FILE).expect("a history");
    assert_eq!(all(&history, "job 7").len(), 500);
}

#[test]
fn reading_needs_no_write_permission_and_leaves_no_trace() {
    let directory = Directory::new("read only");
    let path = directory.join(FILE);
    let read = || SqliteHistory::open_read_only(&path);
    let kind = || read().expect_err("refused").kind().clone();
    assert_eq!(kind(), SqliteErrorKind::Io);
    assert!(directory.content().is_empty(), "a history was created");
    fs::write(&path, "").expect("accessible file");
    assert_eq!(kind(), SqliteErrorKind::NotADatabase);
    fs::remove_file(&path).expect("our file");
    create_pages(&path);
    let mut permissions = fs::metadata(&path).expect("accessible file").permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).expect("changeable permissions");
    let before = directory.content();
    let mut history = read().expect("valid history");
    assert_eq!(all(&history, "job 7").len(), 500);
    history.record("job 7", 0).expect_err("it is read-only");
    drop(history);
    assert!(before == directory.content(), "reading has left a trace");
}

#[test]
fn a_file_is_complete_once_its_writer_has_closed_it() {
    let directory = Directory::new("closed");
    let (path, copy) = (directory.join(FILE), directory.join("copy"));
    // Another process may still have it open.
    let reader = open(&path);
    open(&path).record("job", 1).expect("the record succeeds");
    fs::copy(&path, &copy).expect("accessible file");
    assert_eq!(all(&open(&copy), "job"), [1]);
    drop(reader);
}

#[test]
fn reading_includes_the_log_and_refuses_damage() {
    let directory = Directory::new("read log");
    let path = directory.join(FILE);
    create_pages(&path);
    let mut writer = open(&path);
    writer.record("late", 1).expect("the record succeeds");
    let reader = SqliteHistory::open_read_only(&path).expect("valid history");
    assert_eq!(all(&reader, "late"), [1]);
    drop((reader, writer));
    let content = fs::read(&path).expect("accessible file");
    fs::write(&path, &content[..content.len() - 100]).expect("accessible file");
    let error = SqliteHistory::open_read_only(&path).expect_err("damaged");
    let kind = SqliteErrorKind::Corrupt { damage: "its end is missing".to_owned() };
    assert_eq!(*error.kind(), kind, "{error}");
    patch(&path, APPLICATION, &[0; 4]);
    let error = SqliteHistory::open_read_only(&path).expect_err("foreign");
    assert_eq!(*error.kind(), SqliteErrorKind::NotAHistory);
}

#[test]
fn reading_a_new_history_shows_what_is_recorded_later() {
    let directory = Directory::new("read new");
    let path = directory.join(FILE);
    let mut writer = open(&path);
    let reader = SqliteHistory::open_read_only(&path).expect("a history");
    writer.record("late", 1).expect("the record succeeds");
    assert_eq!(all(&reader, "late"), [1]);
}

#[test]
fn triggers_of_others_are_not_executed() {
    let directory = Directory::new("triggers");
    let path = directory.join(FILE);
    open(&path).record("early", 1).expect("the record succeeds");
    let connection = Connection::open(&path).expect("a database");
    let trigger = "CREATE TRIGGER veto BEFORE INSERT ON run BEGIN SELECT RAISE(ABORT, 'no'); END";
    connection.execute_batch(trigger).expect("a new trigger");
    connection.execute("INSERT INTO run DEFAULT VALUES", ()).expect_err("it is executed");
    drop(connection);
    let mut history = open(&path);
    history.record("late", 2).expect("the record succeeds");
    assert_eq!([all(&history, "early"), all(&history, "late")], [[1], [2]]);
}

#[test]
fn errors_say_what_to_do() {
    let message = |kind: SqliteErrorKind| kind.to_string();
    assert_eq!(message(SqliteErrorKind::Full), "the disk is full; make room, and try again");
    assert_eq!(message(SqliteErrorKind::Sqlite), "SQLite failed");
}
