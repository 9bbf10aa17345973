//! The binary of all fuzz targets. The environment variable `MILLICRON_FUZZ_TARGET` selects one.
#![no_main]

use std::sync::LazyLock;

static TARGET: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = std::env::var("MILLICRON_FUZZ_TARGET").expect("MILLICRON_FUZZ_TARGET is not set");
    millicron_fuzz::target(&name).expect("MILLICRON_FUZZ_TARGET is not the name of a target")
});

libfuzzer_sys::fuzz_target!(|data: &[u8]| TARGET(data));
