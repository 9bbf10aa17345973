//! Files for the tests.

use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};

use millicron_test_support::directory::Directory;

/// Returns the path of a file of the tests, relative to the directory in which they run.
pub(crate) fn file(name: &str) -> String {
    format!("tests/files/{name}")
}

/// A file that is removed on drop.
#[derive(Debug)]
pub(crate) struct TextFile {
    _directory: Directory,
    path: String,
}

impl TextFile {
    pub(crate) fn new(name: &str, text: &str) -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let directory = Directory::new(&format!("file-{}", COUNT.fetch_add(1, Ordering::Relaxed)));
        let path = directory.join(name);
        fs::write(&path, text).expect("accessible directory");
        let path = path.into_os_string().into_string().expect("UTF-8");
        Self { _directory: directory, path }
    }

    pub(crate) fn path(&self) -> &str {
        &self.path
    }
}
