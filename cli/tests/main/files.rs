//! Files for the tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Returns the path of a file of the tests, relative to the directory in which they run.
pub(crate) fn file(name: &str) -> String {
    format!("tests/files/{name}")
}

/// Writes a text to a file in its own directory.
pub(crate) fn in_file(name: &str, text: &str) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!(
        "file-{}-{}",
        std::process::id(),
        COUNT.fetch_add(1, Ordering::Relaxed)
    ));
    fs::create_dir_all(&directory).expect("a directory");
    let path = directory.join(name);
    fs::write(&path, text).expect("a file");
    path
}
