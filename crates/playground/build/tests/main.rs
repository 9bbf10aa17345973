//! The program as it is called.

use std::path::Path;
use std::process::Command;

#[test]
fn a_file_that_is_no_module_makes_no_page() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("playground-build");
    let page = directory.join("index.html");
    for module in [file!(), "missing.wasm"] {
        let program = env!("CARGO_BIN_EXE_millicron-playground-build");
        let output = Command::new(program).arg(module).arg(&page).output().expect("the program");
        assert!(!output.status.success(), "{module}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(module));
        assert!(!directory.exists(), "{module}");
    }
}
