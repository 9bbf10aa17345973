//! Claims about the manifests and sources of the packages.

use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use serde_json::Value;

/// The metadata of the packages that this one depends on.
static PACKAGES: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let mut command = Command::new(env!("CARGO"));
    command.args(["metadata", "--format-version", "1", "--all-features"]);
    let output = command.current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    metadata["packages"].as_array().expect("packages").clone()
});

/// Returns the newest package with a name: a scheduler depends on another version of croner.
fn package(name: &str) -> &'static Value {
    let version = |package: &&'static Value| package["version"].as_str();
    PACKAGES.iter().filter(|it| it["name"] == name).max_by_key(version).expect(name)
}

#[test]
fn licenses() {
    let license = |name| package(name)["license"].as_str().unwrap_or_default().to_owned();
    assert_eq!(license("millicron"), "MIT OR Apache-2.0");
    assert_eq!(license("cron"), "MIT OR Apache-2.0");
    assert_eq!(license("croner"), "MIT");
    assert_eq!(license("saffron"), "");
    assert_eq!(license("jiff-cron"), "MIT OR Apache-2.0");
    assert_eq!(license("cronexpr"), "Apache-2.0");
    assert_eq!(license("crontime"), "GPL-3.0-only");
    assert_eq!(license("tokio-cron-scheduler"), "MIT/Apache-2.0");
    assert_eq!(license("clokwerk"), "Apache-2.0");
}

#[test]
fn dependencies_by_default() {
    let names = |name| {
        let package = package(name);
        let all = package["dependencies"].as_array().expect("a list");
        let required = all.iter().filter(|it| it["kind"].is_null() && it["optional"] == false);
        let mut names: Vec<_> =
            required.map(|it| it["name"].as_str().unwrap_or_default().to_owned()).collect();
        names.sort();
        names
    };
    assert_eq!(names("millicron"), ["millicron-macros", "millicron-runtime"]);
    assert_eq!(names("cron"), ["chrono", "once_cell", "phf", "winnow"]);
    assert_eq!(names("croner"), ["derive_builder", "strum"]); // and chrono, by a default feature
    assert_eq!(names("saffron"), ["chrono", "nom"]);
    assert_eq!(names("jiff-cron"), ["jiff", "phf", "winnow"]);
    assert_eq!(names("cronexpr"), ["jiff"]);
    assert_eq!(names("crontime"), ["bitvec", "nom", "time"]);
}

#[test]
fn only_millicron_and_saffron_work_without_std() {
    let is_no_std = |name| {
        let package = package(name);
        let targets = package["targets"].as_array().expect("targets");
        let is_library = |target: &&Value| target["kind"][0] == "lib";
        let path = targets.iter().find(is_library).and_then(|it| it["src_path"].as_str());
        let source = std::fs::read_to_string(Path::new(path.expect(name))).expect("a source");
        source.lines().any(|line| line.starts_with("#![") && line.contains("no_std"))
    };
    assert!(is_no_std("millicron") && is_no_std("saffron"));
    for name in ["cron", "croner", "jiff-cron", "cronexpr", "crontime"] {
        assert!(!is_no_std(name), "{name}");
    }
}
