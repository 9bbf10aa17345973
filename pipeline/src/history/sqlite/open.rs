//! How a file is opened, or refused and left as it is.
//!
//! The latter takes some care: to open one with `SQLite` is also to repair it after a
//! crash, and to close it is to move its log into it. So a file is [looked at](peek) as
//! if it could not change, and opened only if it may be a history; and the log that
//! another program left beside one that is refused after all is not moved.
//!
//! Nothing here opens the file but `SQLite`: on Unix, to close a file drops all locks
//! which the process has on it.

use std::borrow::ToOwned as _;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::string::String;
use std::thread;
use std::time::{Duration, Instant};
use std::{format, path};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, MAIN_DB, OpenFlags, Transaction, TransactionBehavior};

use super::PATIENCE;
use super::error::{SqliteError, broken, explain, unusable, unusable_for, unwritable};

/// Says that a database is a history: "mcrn".
const APPLICATION: i32 = 0x6d63_726e;

/// The version of the file, which is the latest that can be read.
const VERSION: i32 = 1;

/// As `SQLite` keeps it, which is how it is recognized.
const TABLE: &str = "CREATE TABLE success (\
    job TEXT NOT NULL, \
    scheduled INTEGER NOT NULL, \
    PRIMARY KEY (job, scheduled)\
    ) STRICT, WITHOUT ROWID";

/// Opens a history, or begins one.
pub(super) fn open(path: &Path) -> Result<(Connection, PathBuf), SqliteError> {
    // SQLite takes some relative paths for something else, as ":memory:".
    let path = path::absolute(path).map_err(|error| unusable(path, error))?;
    let sides = prepare(&path)?;
    let connection = connect(&path)?;
    if let Err(error) = settle(&connection, &path, sides) {
        if sides.log {
            // Nothing can be done if it fails.
            let _ = keep_log(&connection, true);
        }
        return Err(error);
    }
    Ok((connection, path))
}

/// What lies beside a file.
#[derive(Clone, Copy, Default)]
struct Sides {
    /// There are changes in a log, which is in use, or was when its process was killed.
    log: bool,
    /// There is a journal to undo a change with, other than one that made the file.
    journal: bool,
}

impl Sides {
    fn of(path: &Path) -> Self {
        // SQLite follows links, and has these beside the file itself.
        let real = fs::canonicalize(path);
        let path = real.as_deref().unwrap_or(path);
        let beside = |suffix| {
            let mut name = OsString::from(path);
            name.push(suffix);
            PathBuf::from(name)
        };
        let has_content = |side: &Path| fs::metadata(side).is_ok_and(|side| side.len() > 0);
        let journal = beside("-journal");
        Self {
            log: has_content(&beside("-wal")),
            journal: has_content(&journal) && !undoes_all(&journal),
        }
    }
}

/// Whether a journal says that the file was empty.
fn undoes_all(journal: &Path) -> bool {
    let mut header = [0; 20];
    let read = File::open(journal).and_then(|mut journal| journal.read_exact(&mut header));
    // Its magic number, how many pages it has, and how many the file had.
    read.is_ok()
        && header.starts_with(&[0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7])
        && header.ends_with(&[0; 4])
}

/// Refuses what can be refused without opening it for writing.
fn prepare(path: &Path) -> Result<Sides, SqliteError> {
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let directory = path.parent().unwrap_or(path);
            return match fs::metadata(directory) {
                Ok(directory) if directory.is_dir() => Ok(Sides::default()),
                Ok(_) => Err(unusable(path, error)),
                Err(_) => {
                    let why = "its directory does not exist; create that first";
                    Err(unusable_for(path, ErrorKind::NotFound, why))
                }
            };
        }
        Err(error) => return Err(unusable(path, error)),
    };
    if metadata.is_dir() {
        let why = "it is a directory; name a file in it";
        return Err(unusable_for(path, ErrorKind::IsADirectory, why));
    }
    if !metadata.is_file() {
        let why = "it is not an ordinary file; use another";
        return Err(unusable_for(path, ErrorKind::InvalidInput, why));
    }
    let sides = Sides::of(path);
    match metadata.len() {
        0 => {}
        // SQLite takes this for an empty file.
        1 => return Err(SqliteError::NotADatabase { path: path.to_owned() }),
        _ => peek(path, sides)?,
    }
    // Who may do everything can write it nevertheless, but was told not to.
    if metadata.permissions().readonly() {
        return Err(unwritable(path));
    }
    Ok(sides)
}

/// Refuses a file that says itself that it is not for this program, without a trace.
///
/// It is read without regard to others that may be writing: what it says of itself
/// does not change by that, but it may seem to be damaged.
fn peek(path: &Path, sides: Sides) -> Result<(), SqliteError> {
    let Some(uri) = immutable(path) else {
        return Ok(());
    };
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let identity =
        Connection::open_with_flags(uri, flags).and_then(|connection| Identity::of(&connection));
    match identity {
        Ok(identity) => identity.check(path),
        // The journal is what is needed to read it, but it may be another program's.
        Err(error) if sides.journal => Err(explain(path, error)),
        Err(_) => Ok(()),
    }
}

/// Tells `SQLite` that a file does not change, so that it needs no other beside it.
fn immutable(path: &Path) -> Option<String> {
    #[cfg(unix)]
    let bytes = std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str());
    #[cfg(not(unix))]
    let path = path.to_str()?.replace('\\', "/");
    #[cfg(not(unix))]
    let bytes = path.as_bytes();
    let mut uri = String::from("file://");
    if !bytes.starts_with(b"/") {
        uri.push('/');
    }
    for &byte in bytes {
        if byte.is_ascii_alphanumeric() || b"/:._-".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            write!(uri, "%{byte:02X}").ok()?;
        }
    }
    uri.push_str("?immutable=1");
    Some(uri)
}

/// What a database says that it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Identity {
    /// Nothing yet.
    Blank,
    History {
        version: i32,
    },
    Foreign,
}

impl Identity {
    fn of(connection: &Connection) -> rusqlite::Result<Self> {
        let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
        let (application, version) = (pragma("application_id")?, pragma("user_version")?);
        if application == APPLICATION {
            return Ok(Self::History { version });
        }
        let is_blank = application == 0
            && version == 0
            && connection
                .query_row("SELECT count(*) = 0 FROM sqlite_schema", (), |row| row.get(0))?;
        Ok(if is_blank { Self::Blank } else { Self::Foreign })
    }

    fn check(self, path: &Path) -> Result<(), SqliteError> {
        match self {
            Self::Blank | Self::History { version: 1..=VERSION } => Ok(()),
            Self::History { version: found } if found > VERSION => {
                Err(SqliteError::FutureVersion { path: path.to_owned(), found, supported: VERSION })
            }
            Self::History { version } => Err(broken(path, format!("its version is {version}"))),
            Self::Foreign => Err(SqliteError::Foreign { path: path.to_owned() }),
        }
    }
}

fn connect(path: &Path) -> Result<Connection, SqliteError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connect = || {
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(PATIENCE)?;
        // For each success to outlast a power failure, on macOS in a way of its own.
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "fullfsync", true)?;
        Ok((connection.is_readonly(MAIN_DB)?, connection))
    };
    match connect().map_err(|error| explain(path, error))? {
        (true, _) => Err(unwritable(path)),
        (false, connection) => Ok(connection),
    }
}

/// Whether a log is kept when it is no longer in use.
fn keep_log(connection: &Connection, keep: bool) -> rusqlite::Result<bool> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keep)
}

/// Begins a history in a database that is blank, and refuses one that is not sound.
fn settle(connection: &Connection, path: &Path, sides: Sides) -> Result<(), SqliteError> {
    let explain = |error| explain(path, error);
    let begin = |behavior| {
        let transaction = Transaction::new_unchecked(connection, behavior).map_err(explain)?;
        let identity = Identity::of(&transaction).map_err(explain)?;
        identity.check(path)?;
        Ok((transaction, identity))
    };
    let (mut transaction, mut identity) = begin(TransactionBehavior::Deferred)?;
    if identity == Identity::Blank {
        transaction.rollback().map_err(explain)?;
        // Another process may have done it before this transaction.
        (transaction, identity) = begin(TransactionBehavior::Immediate)?;
        if identity == Identity::Blank {
            create(&transaction).map_err(explain)?;
        }
    }
    // SQLite takes the rest of a page for zeros.
    if !sides.log && !has_whole_pages(&transaction, path).map_err(explain)? {
        return Err(broken(path, "its end is missing".to_owned()));
    }
    if let Some(damage) = damage(&transaction).map_err(explain)? {
        return Err(broken(path, damage));
    }
    transaction.commit().map_err(explain)?;
    use_log(connection, path)
}

/// So that the file itself says what it is, this precedes [`use_log`].
fn create(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute(TABLE, ())?;
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", VERSION)
}

fn damage(transaction: &Transaction<'_>) -> rusqlite::Result<Option<String>> {
    let sql = "SELECT count(*) = 1 FROM sqlite_schema WHERE name = 'success' AND sql = ?1";
    if !transaction.query_row(sql, [TABLE], |row| row.get(0))? {
        return Ok(Some("its table is not as it was made".to_owned()));
    }
    let damage: String = transaction.query_row("PRAGMA quick_check(1)", (), |row| row.get(0))?;
    // The lines before the last one say in which database it is.
    Ok(damage.lines().next_back().filter(|damage| *damage != "ok").map(str::to_owned))
}

fn has_whole_pages(connection: &Connection, path: &Path) -> rusqlite::Result<bool> {
    let page: i64 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
    let length = fs::metadata(path).map_or(0, |file| file.len());
    Ok(length.checked_rem(page.unsigned_abs()) == Some(0))
}

/// Changes go to a log first, so that those who read wait for no one.
fn use_log(connection: &Connection, path: &Path) -> Result<(), SqliteError> {
    let start = Instant::now();
    loop {
        let mode: rusqlite::Result<String> =
            connection.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0));
        return match mode {
            // SQLite does not wait for others here.
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && start.elapsed() < PATIENCE =>
            {
                thread::sleep(Duration::from_millis(1));
                continue;
            }
            Err(error) => Err(explain(path, error)),
            Ok(mode) if mode == "wal" => Ok(()),
            Ok(_) => {
                let why = "processes can not share it on its file system; use a local one";
                Err(unusable_for(path, ErrorKind::Unsupported, why))
            }
        };
    }
}
