//! [`FileWatch`]: detects changes of the job file and of its calendars' files.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::file::{CalendarFile, FileVersion};

/// How often to check the files.
const INTERVAL: Duration = Duration::from_secs(1);

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
    read: Option<FileVersion>,
    /// The version at the last check.
    seen: Option<FileVersion>,
}

impl FileWatch {
    /// Watches a job file. Call it before reading the file.
    pub(super) fn new(path: PathBuf) -> Self {
        let version = FileVersion::of(&path);
        Self { files: vec![WatchedFile::new(path, version)], next: Instant::now() }
    }

    /// Takes the current versions as read. Call it before reading the files.
    pub(super) fn set_read(&mut self) {
        self.files.iter_mut().for_each(WatchedFile::set_read);
    }

    /// Sets the files of the calendars, which were just read.
    pub(super) fn set_calendars<'f>(&mut self, files: impl Iterator<Item = &'f CalendarFile>) {
        self.files.truncate(1);
        // They may have changed since.
        let file = |file: &CalendarFile| WatchedFile::new(file.path.clone(), file.version);
        self.files.extend(files.map(file));
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
    /// Watches a file of which a version was read.
    fn new(path: PathBuf, version: Option<FileVersion>) -> Self {
        Self { path, read: version, seen: version }
    }

    fn set_read(&mut self) {
        self.read = FileVersion::of(&self.path);
        self.seen = self.read;
    }

    /// Checks the file, and returns whether it is unchanged since the last check.
    fn is_settled(&mut self) -> bool {
        let version = FileVersion::of(&self.path);
        let before = std::mem::replace(&mut self.seen, version);
        self.seen == before
    }

    /// Whether the version at the last check was not read.
    fn has_changed(&self) -> bool {
        self.seen != self.read
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Instant;

    use jiff::tz::TimeZone;
    use millicron_test_support::directory::Directory;

    use super::{FileWatch, INTERVAL};
    use crate::file::{JobFile, ReadOptions};

    #[test]
    fn a_calendar_that_changes_right_after_it_was_read_is_read_again() {
        let directory = Directory::new("watch-calendar");
        let (path, calendar) = (directory.join("jobs.toml"), directory.join("open.days"));
        fs::write(&path, "[calendars]\nopen = 'open.days'\n").expect("accessible directory");
        let options = ReadOptions { format: None, zone: TimeZone::UTC, has_users: None };
        for text in ["*.*.* Mon\n", "*.*.* Mon-Fri\n"] {
            let mut watch = FileWatch::new(path.clone());
            // The first time, the calendar is missing.
            let file = JobFile::load(&path, &options).expect("accessible directory");
            fs::write(&calendar, text).expect("accessible directory");
            watch.set_calendars(file.calendars.files());
            let now = Instant::now();
            assert!(!watch.has_changed(now), "it may still be written");
            assert!(watch.has_changed(now + INTERVAL));
            watch.set_read();
            let file = JobFile::load(&path, &options).expect("accessible directory");
            watch.set_calendars(file.calendars.files());
            assert!(!watch.has_changed(now + 2 * INTERVAL));
        }
    }
}
