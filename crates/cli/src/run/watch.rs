//! [`FileWatch`]: detects changes of the file.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How often to check the file.
const INTERVAL: Duration = Duration::from_secs(1);

/// Identifies a version of a file: its device, inode, length and modification time.
type Version = (u64, u64, u64, i64, i64);

/// Polls a file.
///
/// It does not use notifications, which differ between systems, are missing on many network file systems, and do not
/// follow symbolic links: in Kubernetes, a new version of a file is a new target of a link.
#[derive(Debug)]
pub(super) struct FileWatch {
    path: PathBuf,
    /// The version that was read.
    read: Option<Version>,
    /// The version at the last check.
    seen: Option<Version>,
    /// When to check the file again.
    pub(super) next: Instant,
}

impl FileWatch {
    /// Watches a file. Call it before reading the file.
    pub(super) fn new(path: PathBuf) -> Self {
        let mut watch = Self { path, read: None, seen: None, next: Instant::now() };
        watch.set_read();
        watch
    }

    /// Takes the current version as read. Call it before reading the file.
    pub(super) fn set_read(&mut self) {
        self.read = self.version();
        self.seen = self.read;
    }

    /// Returns whether there is a new version to read, or the file is missing now. It must be unchanged since the last
    /// check, since a file may be written in parts or removed before it is written.
    pub(super) fn has_changed(&mut self, now: Instant) -> bool {
        if now < self.next {
            return false;
        }
        self.next = now + INTERVAL;
        let version = self.version();
        let is_settled = version == self.seen;
        self.seen = version;
        is_settled && version != self.read
    }

    fn version(&self) -> Option<Version> {
        let file = fs::metadata(&self.path).ok()?;
        Some((file.dev(), file.ino(), file.len(), file.mtime(), file.mtime_nsec()))
    }
}
