//! [`FileWatch`]: detects changes of the job file and of its calendars' files.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How often to check the files.
const INTERVAL: Duration = Duration::from_secs(1);

/// Identifies a version of a file: its device, inode, length and modification time.
type Version = (u64, u64, u64, i64, i64);

/// Polls files.
///
/// It does not use notifications, which differ between systems, are missing on many network file systems, and do not
/// follow symbolic links: in Kubernetes, a new version of a file is a new target of a link.
#[derive(Debug)]
pub(super) struct FileWatch {
    /// The job file, and then those of its calendars.
    files: Vec<WatchedFile>,
    /// When to check the files again.
    pub(super) next: Instant,
}

#[derive(Debug)]
struct WatchedFile {
    path: PathBuf,
    /// The version that was read.
    read: Option<Version>,
    /// The version at the last check.
    seen: Option<Version>,
}

impl FileWatch {
    /// Watches a job file. Call it before reading the file.
    pub(super) fn new(path: PathBuf) -> Self {
        Self { files: vec![WatchedFile::new(path)], next: Instant::now() }
    }

    /// Takes the current versions as read. Call it before reading the files.
    pub(super) fn set_read(&mut self) {
        self.files.iter_mut().for_each(WatchedFile::set_read);
    }

    /// Sets the files of the calendars. Those that are new were just read.
    pub(super) fn set_calendars<'p>(&mut self, paths: impl Iterator<Item = &'p Path>) {
        let mut known = self.files.split_off(1);
        let file = |path: &Path| match known.iter().position(|file| file.path == path) {
            Some(index) => known.swap_remove(index),
            None => WatchedFile::new(path.to_owned()),
        };
        let files = paths.map(file).collect::<Vec<_>>();
        self.files.extend(files);
    }

    /// Returns whether there is a new version to read, or a file is missing now. All files must be unchanged since the
    /// last check, since a file may be written in parts or removed before it is written.
    pub(super) fn has_changed(&mut self, now: Instant) -> bool {
        if now < self.next {
            return false;
        }
        self.next = now + INTERVAL;
        let mut are_settled = true;
        for file in &mut self.files {
            are_settled &= file.is_settled();
        }
        are_settled && self.files.iter().any(WatchedFile::has_changed)
    }
}

impl WatchedFile {
    fn new(path: PathBuf) -> Self {
        let mut file = Self { path, read: None, seen: None };
        file.set_read();
        file
    }

    fn set_read(&mut self) {
        self.read = self.version();
        self.seen = self.read;
    }

    /// Checks the file, and returns whether it is unchanged since the last check.
    fn is_settled(&mut self) -> bool {
        let version = self.version();
        let before = std::mem::replace(&mut self.seen, version);
        self.seen == before
    }

    /// Whether the version at the last check was not read.
    fn has_changed(&self) -> bool {
        self.seen != self.read
    }

    fn version(&self) -> Option<Version> {
        let file = fs::metadata(&self.path).ok()?;
        Some((file.dev(), file.ino(), file.len(), file.mtime(), file.mtime_nsec()))
    }
}
