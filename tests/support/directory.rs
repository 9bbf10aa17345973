//! Directories of tests.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs};

/// A directory that is removed on drop.
#[derive(Debug)]
pub struct Directory(PathBuf);

impl Directory {
    /// Creates an empty directory, with a number in its name, so that tests may choose the same name.
    pub fn new(name: &str) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("millicron-{name}-{}-{number}", std::process::id());
        let path = env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("accessible directory");
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn join(&self, name: impl AsRef<OsStr>) -> PathBuf {
        self.0.join(name.as_ref())
    }

    pub fn names(&self) -> Vec<OsString> {
        self.content().into_keys().collect()
    }

    /// Returns the names and the contents of all files.
    pub fn content(&self) -> BTreeMap<OsString, Vec<u8>> {
        let files = fs::read_dir(&self.0).expect("accessible directory").map(|file| {
            let file = file.expect("accessible file");
            (file.file_name(), fs::read(file.path()).expect("accessible file"))
        });
        files.collect()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
