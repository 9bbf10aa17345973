//! Opens a file, or refuses it and leaves it unchanged.
//!
//! Leaving a file unchanged takes care. When `SQLite` opens a file, it repairs it after a crash, and
//! when it closes a file, it moves the log into it. [`check_unopened`] therefore first reads the
//! file as if it were immutable, and the file is opened only if it may be a history. If it is
//! refused even then, the log that another program left next to it is kept.
//!
//! Nothing here opens the file except `SQLite`: on Unix, closing a file drops all locks that the
//! process has on it.

use std::fmt::Write as _;
use std::fs::{self, File, Metadata};
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};
use std::{io, path};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, MAIN_DB, OpenFlags, Transaction, TransactionBehavior};

use super::BUSY_TIMEOUT;
use super::failure::{classify, corrupt, error, io_error, read_only, unusable};
use super::tables::{self, APPLICATION_ID, VERSION};
use crate::error::{SqliteError, SqliteErrorKind};

/// For connections that only read, each used by one thread at a time.
const READ: OpenFlags = OpenFlags::SQLITE_OPEN_READ_ONLY.union(OpenFlags::SQLITE_OPEN_NO_MUTEX);

/// The same, for files that are named by a URI.
const READ_URI: OpenFlags = READ.union(OpenFlags::SQLITE_OPEN_URI);

/// Opens a history, or creates one.
pub(super) fn open(path: &Path) -> Result<(Connection, PathBuf), SqliteError> {
    let path = absolute(path)?;
    let side_files = check_path(&path)?;
    let connection = connect(&path)?;
    if let Err(error) = initialize(&connection, &path, &side_files) {
        if side_files.log.is_some() {
            // If this fails, nothing else can be done.
            let _ = keep_log(&connection, true);
        }
        return Err(error);
    }
    Ok((connection, path))
}

/// Opens an existing history for reading, and changes neither it nor its log. If there is a log, `SQLite` may write
/// its index.
pub(super) fn open_read_only(path: &Path) -> Result<(Connection, PathBuf), SqliteError> {
    let path = absolute(path)?;
    let metadata = fs::metadata(&path).map_err(|error| io_error(&path, error))?;
    check_kind(&path, &metadata)?;
    // A file in use has a log. Without one, SQLite would create a log, for which it needs write permission.
    let is_in_use = beside(&path, "-wal").exists() || SideFiles::of(&path).journal;
    let uri = immutable_uri(&path).filter(|_| !is_in_use);
    let connect = || {
        let connection = match uri {
            Some(uri) => Connection::open_with_flags(uri, READ_URI)?,
            None => Connection::open_with_flags(&path, READ)?,
        };
        connection.busy_timeout(BUSY_TIMEOUT)?;
        harden(&connection)?;
        Ok(connection)
    };
    let connection = connect().map_err(|error| classify(&path, error))?;
    check_content(&connection, &path, !is_in_use)?;
    Ok((connection, path))
}

/// Returns an absolute path: `SQLite` gives some relative ones a special meaning, such as `:memory:`.
fn absolute(path: &Path) -> Result<PathBuf, SqliteError> {
    // Not quoted, since it may have a password.
    if ["postgres:", "postgresql:"].iter().any(|scheme| path.starts_with(scheme)) {
        let why = "it is the address of a server; pass the path of a file";
        let error = io::Error::new(ErrorKind::InvalidInput, why);
        return Err(SqliteError::new(None, SqliteErrorKind::Io, Some(error.into())));
    }
    path::absolute(path).map_err(|error| io_error(path, error))
}

/// Executes nothing that the file's author may have added to the tables.
fn harden(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true).map(drop)
}

/// Refuses a file that is not an undamaged history. `is_whole` says whether no part of it is in a log.
fn check_content(connection: &Connection, path: &Path, is_whole: bool) -> Result<(), SqliteError> {
    let classify = |error| classify(path, error);
    let transaction = connection.unchecked_transaction().map_err(classify)?;
    let identity = Identity::of(&transaction).map_err(classify)?;
    identity.check(path)?;
    if identity == Identity::Blank {
        return Err(error(path, SqliteErrorKind::NotADatabase, None));
    }
    if is_whole {
        check_pages(&transaction, path)?;
    }
    tables::check(&transaction).map_err(|fault| fault.at(path))
}

/// The files that `SQLite` keeps next to a database.
#[derive(Default)]
struct SideFiles {
    /// A log (`-wal`) that contains changes: the file is in use, or its process was killed.
    log: Option<PathBuf>,
    /// Whether a journal (`-journal`) can undo a change other than the creation of the file.
    journal: bool,
}

impl SideFiles {
    fn of(path: &Path) -> Self {
        let has_content = |side: &PathBuf| fs::metadata(side).is_ok_and(|side| side.len() > 0);
        let journal = beside(path, "-journal");
        Self {
            log: Some(beside(path, "-wal")).filter(|log| has_content(log)),
            journal: has_content(&journal) && !undoes_everything(&journal),
        }
    }
}

/// Returns the path of a file next to a database.
fn beside(path: &Path, suffix: &str) -> PathBuf {
    // SQLite follows links, and keeps these files next to the target.
    let mut name = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()).into_os_string();
    name.push(suffix);
    name.into()
}

/// Returns whether a journal restores the file to an empty one.
fn undoes_everything(journal: &Path) -> bool {
    let mut header = [0; 20];
    let read = File::open(journal).and_then(|mut journal| journal.read_exact(&mut header));
    // The magic number, the number of pages in the journal, and the original size of the file.
    read.is_ok()
        && header.starts_with(&[0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7])
        && header.ends_with(&[0; 4])
}

/// Refuses files that can be refused without opening them for writing.
fn check_path(path: &Path) -> Result<SideFiles, SqliteError> {
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return check_directory(path, error).map(|()| SideFiles::default());
        }
        Err(error) => return Err(io_error(path, error)),
    };
    check_kind(path, &metadata)?;
    let side_files = SideFiles::of(path);
    match metadata.len() {
        0 => {}
        // SQLite treats a file of one byte as empty.
        1 => return Err(error(path, SqliteErrorKind::NotADatabase, None)),
        _ => check_unopened(path, &side_files)?,
    }
    // A privileged user could write to the file, but should not.
    if metadata.permissions().readonly() {
        return Err(read_only(path));
    }
    Ok(side_files)
}

/// Refuses what is not a file.
fn check_kind(path: &Path, metadata: &Metadata) -> Result<(), SqliteError> {
    if metadata.is_dir() {
        let why = "it is a directory; pass the path of a file";
        return Err(unusable(path, ErrorKind::IsADirectory, why));
    }
    if !metadata.is_file() {
        let why = "it is not an ordinary file; use another path";
        return Err(unusable(path, ErrorKind::InvalidInput, why));
    }
    Ok(())
}

/// Refuses a path where no file can be created.
fn check_directory(path: &Path, not_found: io::Error) -> Result<(), SqliteError> {
    // SQLite would create the target of a link. Systems follow at most 40 links.
    let mut target = path.to_owned();
    for _ in 0..40 {
        let Ok(next) = fs::read_link(&target) else { break };
        target = target.parent().unwrap_or(&target).join(next);
    }
    match fs::metadata(target.parent().unwrap_or(&target)) {
        Ok(directory) if directory.is_dir() => Ok(()),
        Ok(_) => Err(io_error(path, not_found)),
        Err(_) if target != path => {
            let target = target.display();
            let why = format!("it is a link to {target}, whose directory does not exist");
            Err(unusable(path, ErrorKind::NotFound, why))
        }
        Err(_) => {
            let why = "its directory does not exist; create it first";
            Err(unusable(path, ErrorKind::NotFound, why))
        }
    }
}

/// Refuses a file whose header says that it is not a history, without leaving a trace.
///
/// The file is read without locks. A process that writes meanwhile does not change the header, but
/// the file may seem to be damaged.
fn check_unopened(path: &Path, side_files: &SideFiles) -> Result<(), SqliteError> {
    let Some(uri) = immutable_uri(path) else {
        return Ok(());
    };
    let identity =
        Connection::open_with_flags(uri, READ_URI).and_then(|connection| Identity::of(&connection));
    match identity {
        Ok(identity) => identity.check(path),
        // Reading the file would require its journal, which may belong to another program.
        Err(error) if side_files.journal => Err(classify(path, error)),
        Err(_) => Ok(()),
    }
}

/// Returns a URI that tells `SQLite` that the file does not change, so that it creates no other
/// files.
fn immutable_uri(path: &Path) -> Option<String> {
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

/// What a database is, according to its header.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Identity {
    /// Nothing yet: a new database.
    Blank,
    History {
        version: i32,
    },
    Foreign,
}

impl Identity {
    const CURRENT: Self = Self::History { version: VERSION };

    fn of(connection: &Connection) -> rusqlite::Result<Self> {
        let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
        let (application, version) = (pragma("application_id")?, pragma("user_version")?);
        if application == APPLICATION_ID {
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
            Self::Blank | Self::CURRENT => Ok(()),
            Self::History { version: found } if found > VERSION => {
                Err(error(path, SqliteErrorKind::NewerVersion { found, supported: VERSION }, None))
            }
            Self::History { version } => {
                Err(corrupt(path, format!("its version is {version}, which was never released")))
            }
            Self::Foreign => Err(error(path, SqliteErrorKind::NotAHistory, None)),
        }
    }
}

fn connect(path: &Path) -> Result<Connection, SqliteError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connect = || {
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        harden(&connection)?;
        // These make each record survive a power failure; macOS needs `fullfsync`.
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "fullfsync", true)?;
        Ok((connection.is_readonly(MAIN_DB)?, connection))
    };
    match connect().map_err(|error| classify(path, error))? {
        (true, _) => Err(read_only(path)),
        (false, connection) => Ok(connection),
    }
}

/// Sets whether the log is kept when the last connection is closed.
fn keep_log(connection: &Connection, keep: bool) -> rusqlite::Result<bool> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keep)
}

/// Creates the tables of a blank database, and refuses a damaged file.
fn initialize(
    connection: &Connection,
    path: &Path,
    side_files: &SideFiles,
) -> Result<(), SqliteError> {
    let classify = |error| classify(path, error);
    let begin = |behavior| {
        let transaction = Transaction::new_unchecked(connection, behavior).map_err(classify)?;
        let identity = Identity::of(&transaction).map_err(classify)?;
        identity.check(path)?;
        Ok((transaction, identity))
    };
    let (mut transaction, mut identity) = begin(TransactionBehavior::Deferred)?;
    if identity != Identity::CURRENT {
        transaction.rollback().map_err(classify)?;
        // Another process may have created it before this transaction.
        (transaction, identity) = begin(TransactionBehavior::Immediate)?;
    }
    if identity != Identity::Blank && side_files.log.is_none() {
        check_pages(&transaction, path)?;
    }
    // This precedes `use_log`, so that the file itself, not the log, has the header.
    let created = if identity == Identity::Blank { tables::create(&transaction) } else { Ok(()) };
    created.and_then(|()| tables::check(&transaction)).map_err(|fault| fault.at(path))?;
    transaction.commit().map_err(classify)?;
    use_log(connection, path)?;
    // The first query creates the log, without which readers take the file for one that does not change.
    Identity::of(connection).map(drop).map_err(classify)
}

/// Refuses a file that ends within a page: `SQLite` reads the rest of the page as zeros.
fn check_pages(connection: &Connection, path: &Path) -> Result<(), SqliteError> {
    let page = connection.pragma_query_value(None, "page_size", |row| row.get::<_, i64>(0));
    let page = page.map_err(|error| classify(path, error))?;
    let length = fs::metadata(path).map_or(0, |file| file.len());
    if length.checked_rem(page.unsigned_abs()) == Some(0) {
        Ok(())
    } else {
        Err(corrupt(path, "its end is missing".to_owned()))
    }
}

/// Switches to a write-ahead log, so that readers never wait.
fn use_log(connection: &Connection, path: &Path) -> Result<(), SqliteError> {
    let start = Instant::now();
    loop {
        let mode: rusqlite::Result<String> =
            connection.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0));
        return match mode {
            // The busy timeout does not apply here.
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && start.elapsed() < BUSY_TIMEOUT =>
            {
                thread::sleep(Duration::from_millis(1));
                continue;
            }
            Err(error) => Err(classify(path, error)),
            Ok(mode) if mode == "wal" => Ok(()),
            Ok(_) => {
                let why = "its file system does not let processes share it; use a local one";
                Err(unusable(path, ErrorKind::Unsupported, why))
            }
        };
    }
}
