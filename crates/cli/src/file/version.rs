//! [`FileVersion`]: tells whether a file has changed.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Identifies a version of a file: its device, inode, length and modification time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileVersion(u64, u64, u64, i64, i64);

impl FileVersion {
    /// Returns the current version of a file, if it is there.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let file = fs::metadata(path).ok()?;
        Some(Self(file.dev(), file.ino(), file.len(), file.mtime(), file.mtime_nsec()))
    }
}
