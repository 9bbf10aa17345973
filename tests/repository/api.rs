//! Snapshots of the public interface of each library, so that no change to it goes unnoticed.
//!
//! `INSTA_UPDATE=always cargo test --package millicron-repository-tests` rewrites the snapshots.

use std::path::{Path, PathBuf};

use public_api::{Builder, MINIMUM_NIGHTLY_RUST_VERSION};

use super::{cargo, root};

const LIBRARIES: [&str; 7] = [
    "millicron",
    "millicron-scheduler",
    "millicron-history",
    "millicron-pipeline",
    "millicron-apalis",
    "millicron-pictures",
    "millicron-board",
];

/// Documents all libraries in JSON, and returns the directory of these files. A link that leads nowhere is an error.
fn describe() -> PathBuf {
    // `scripts/lint-and-describe` may have described them when they were compiled.
    if let Some(directory) = std::env::var_os("MILLICRON_DESCRIPTIONS").map(PathBuf::from)
        && LIBRARIES.iter().all(|package| json(&directory, package).exists())
    {
        return directory;
    }
    let target = root().join("target");
    let status = cargo()
        .args(["doc", "--quiet", "--no-deps", "--lib", "--all-features"])
        .args(["--package", "millicron-runtime", "--package", "millicron-macros"])
        .args(LIBRARIES.iter().flat_map(|package| ["--package", package]))
        .arg("--target-dir")
        .arg(&target)
        .env("RUSTDOCFLAGS", "-Zunstable-options --output-format=json -Dwarnings")
        // The format is unstable, so stable toolchains need a variable to write it. With that variable, cargo would
        // compile all dependencies again, so only this script sets it.
        .env("RUSTDOC", root().join("tests/repository/unstable-rustdoc"))
        .status()
        .expect("cargo starts");
    assert!(status.success(), "cargo doc failed");
    target.join("doc")
}

/// Returns the file that describes a library.
fn json(directory: &Path, package: &str) -> PathBuf {
    directory.join(format!("{}.json", package.replace('-', "_")))
}

/// Returns the public items of a library, one per line.
fn public_items(json: &Path) -> String {
    let items = Builder::from_rustdoc_json(json)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build();
    let api = items.unwrap_or_else(|error| {
        panic!(
            "{error}; `public-api` needs a toolchain with the rustdoc JSON format of \
             {MINIMUM_NIGHTLY_RUST_VERSION}, such as the one that .github/workflows/ci.yml pins"
        )
    });
    api.items().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn public_interfaces_match_the_snapshots() {
    let directory = describe();
    for package in LIBRARIES {
        let items = public_items(&json(&directory, package));
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(package, items);
        });
    }
}
