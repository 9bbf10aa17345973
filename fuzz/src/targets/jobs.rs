//! Any bytes are a job file, in each format, or have problems; their places are in the text.

use std::fs;

use millicron_test_support::directory::Directory;

/// The most bytes of a repeated text. Reading takes linear time.
const MOST: usize = 16 << 10;

pub(crate) fn run(data: &[u8]) {
    let Some((options, text)) = data.split_first() else { return };
    let directory = Directory::new("fuzz-jobs");
    let path = directory.join("jobs");
    let is_repeated = options & 0x38 == 0x38;
    let repeats = if is_repeated { (MOST / text.len().max(1)).max(1) } else { 1 };
    fs::write(&path, text.repeat(repeats)).expect("an accessible file");
    millicron_fuzz_jobs::check(&path, options & 3, options & 4 != 0);
}
