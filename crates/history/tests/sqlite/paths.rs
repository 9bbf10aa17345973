//! Paths of histories in files.

use std::error::Error as _;
#[cfg(target_os = "linux")]
use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use millicron_history::{History as _, SqliteErrorKind, SqliteHistory};

use super::files::{VERSION, io_error, journal, patch, refused};
use super::{Directory, FILE, Process, all, crashed, open};

#[test]
fn address_of_a_server_is_refused_without_its_password() {
    let directory = Directory::new("addresses");
    for address in ["postgres://user:secret@host/runs", "postgresql://user:secret@host/runs"] {
        for opened in [SqliteHistory::open(address), SqliteHistory::open_read_only(address)] {
            let error = opened.expect_err("it is no path");
            let source = error.source().map(ToString::to_string);
            let expected = "it is the address of a server; pass the path of a file";
            assert_eq!(source.as_deref(), Some(expected));
            assert!(!format!("{error} {error:?}").contains("secret"));
        }
    }
    assert!(directory.content().is_empty());
}

#[cfg(unix)]
#[test]
fn special_file_is_refused() {
    let path = Path::new("/dev/null");
    let text = "it is not an ordinary file; use another path".to_owned();
    assert_eq!(io_error(path), (ErrorKind::InvalidInput, text));
}

#[cfg(unix)]
#[test]
fn link_is_followed() {
    let directory = Directory::new("links");
    let target = crashed("link target", "record", 20);
    let link = directory.join("link");
    std::os::unix::fs::symlink(target.join(FILE), &link).expect("new link");
    let mut history = open(&link);
    assert!(all(&history, "killed").len() >= 20);
    history.record("linked", 1).expect("the record succeeds");
    assert_eq!(all(&open(target.join(FILE)), "linked"), [1]);
    drop(history);
    patch(&target.join(FILE), VERSION, &i32::MAX.to_be_bytes());
    refused(&target, &link);

    // The target does not exist yet.
    let link = directory.join("dangling");
    std::os::unix::fs::symlink(target.join("absent"), &link).expect("new link");
    open(&link).record("linked", 1).expect("the record succeeds");
    assert_eq!(all(&open(target.join("absent")), "linked"), [1]);
}

#[cfg(unix)]
#[test]
fn link_into_a_missing_directory_is_reported_as_such() {
    let directory = Directory::new("dangling");
    let [first, second] = [directory.join("first"), directory.join("second")];
    std::os::unix::fs::symlink("second", &first).expect("new link");
    std::os::unix::fs::symlink("absent/history", &second).expect("new link");
    let target = directory.join("absent/history");
    let text = format!("it is a link to {}, whose directory does not exist", target.display());
    for link in [&first, &second] {
        assert_eq!(io_error(link), (ErrorKind::NotFound, text.clone()));
    }
    fs::create_dir(directory.join("absent")).expect("new directory");
    open(&first).record("linked", 1).expect("the record succeeds");
    assert_eq!(all(&open(&target), "linked"), [1]);

    // These links have no target.
    let [first, second] = [directory.join("third"), directory.join("fourth")];
    std::os::unix::fs::symlink(&first, &second).expect("new link");
    std::os::unix::fs::symlink(&second, &first).expect("new link");
    assert_ne!(io_error(&first).0, ErrorKind::PermissionDenied);
}

#[test]
fn path_is_never_a_uri_or_an_option() {
    // Other systems have no such names.
    if cfg!(unix) {
        let directory = Directory::new("paths");
        Process::start("odd names", &directory).end();
        let names = [":memory:", "file::memory:", "file:name?mode=memory"];
        assert_eq!(directory.names(), names);
    }

    let directory = Directory::new("odd paths");
    let mut names = vec![PathBuf::from("a b"), PathBuf::from("ä%20%")];
    let only_on_unix = ["file:x", "?mode=memory", "#", "\\", "'", "\u{1}\n"];
    names.extend(only_on_unix.map(PathBuf::from).into_iter().filter(|_| cfg!(unix)));
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::ffi::OsStrExt as _;
        names.push(PathBuf::from(OsStr::from_bytes(b"\xff\xc3")));
    }
    for name in &names {
        let path = directory.join(name);
        open(&path).record("job", 1).expect("the record succeeds");
        assert_eq!(all(&open(&path), "job"), [1], "{name:?}");
        patch(&path, VERSION, &i32::MAX.to_be_bytes());
        // This would change the file if it were opened before it was checked.
        let mut side = name.clone().into_os_string();
        side.push("-journal");
        fs::write(directory.join(side), journal(1)).expect("writable journal");
        let (error, _) = refused(&directory, &path);
        let kind = SqliteErrorKind::NewerVersion { found: i32::MAX, supported: 3 };
        assert_eq!(*error.kind(), kind, "{name:?}");
    }
    assert_eq!(directory.names().len(), 2 * names.len());
}
