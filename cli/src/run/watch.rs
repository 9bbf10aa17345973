//! [`Watch`]: whether the file has changed.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How often the file is looked at.
const INTERVAL: Duration = Duration::from_secs(1);

/// What changes with each version of a file: its device and number, its length, and when it was written.
type Version = (u64, u64, u64, i64, i64);

/// Looks at a file now and then.
///
/// It needs no notifications, which differ between systems, are missing on many network file systems, and
/// follow no symbolic link: in Kubernetes, a new version of a file is a new target of such a link.
#[derive(Debug)]
pub(super) struct Watch {
    path: PathBuf,
    /// The version that was read.
    read: Option<Version>,
    /// The version at the last look.
    seen: Option<Version>,
    next: Instant,
}

impl Watch {
    /// Watches a file that will be read after this.
    pub(super) fn new(path: PathBuf) -> Self {
        let mut watch = Self { path, read: None, seen: None, next: Instant::now() };
        watch.set_read();
        watch
    }

    /// Notes that the file will be read after this.
    pub(super) fn set_read(&mut self) {
        self.read = self.version();
        self.seen = self.read;
    }

    /// Returns when to look at the file again.
    pub(super) const fn next(&self) -> Instant {
        self.next
    }

    /// Returns whether there is another version to read. It must be there for a while, since it may be
    /// written in parts.
    pub(super) fn has_changed(&mut self, now: Instant) -> bool {
        if now < self.next {
            return false;
        }
        self.next = now + INTERVAL;
        let version = self.version();
        let is_settled = version == self.seen;
        self.seen = version;
        is_settled && version.is_some() && version != self.read
    }

    fn version(&self) -> Option<Version> {
        let file = fs::metadata(&self.path).ok()?;
        Some((file.dev(), file.ino(), file.len(), file.mtime(), file.mtime_nsec()))
    }
}
