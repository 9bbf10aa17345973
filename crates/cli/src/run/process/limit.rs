//! Raises the limit of open files.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The most descriptors that `select` supports. Commands inherit the limit, and some of them cannot handle more.
const MOST: u64 = 1024;

/// Raises the limit of open files to [`MOST`], or as far as the system allows. A higher one stays.
pub(crate) fn raise_open_files() {
    let limit = getrlimit(Resource::Nofile);
    let most = limit.maximum.map_or(MOST, |maximum| maximum.min(MOST));
    if limit.current.is_some_and(|current| current < most) {
        // If this fails, more runs wait for a descriptor.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(most), ..limit });
    }
}
