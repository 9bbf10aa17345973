//! Tests of the dependencies, the manifests and the public interfaces of this repository.
#![cfg(test)]

mod api;
mod circles;
mod dependencies;
mod dependency_page;
mod manifests;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use serde_json::Value;

/// Returns the root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root());
    cargo
}

/// The metadata of all packages, including dependencies.
static PACKAGES: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let arguments = ["metadata", "--format-version=1", "--all-features", "--locked"];
    let output = cargo().args(arguments).output().expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    metadata["packages"].as_array().expect("a list of packages").clone()
});

/// Returns the published packages of the workspace.
fn published() -> Vec<&'static Value> {
    let is_published =
        |package: &&Value| package["source"].is_null() && package["publish"].is_null();
    PACKAGES.iter().filter(is_published).collect()
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}
