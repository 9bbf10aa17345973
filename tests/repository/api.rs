//! Snapshots of the public interface of each library, so that no change to it goes unnoticed.
//!
//! `INSTA_UPDATE=always cargo test --package millicron-repository-tests` rewrites the snapshots.

use public_api::{Builder, MINIMUM_NIGHTLY_RUST_VERSION};

use super::{cargo, root};

/// Returns the public items of a library, one per line.
fn public_items(package: &str) -> String {
    let target = root().join("target");
    let status = cargo()
        .args(["rustdoc", "--quiet", "--lib", "--all-features", "--package", package])
        .arg("--target-dir")
        .arg(&target)
        .args(["--", "-Zunstable-options", "--output-format=json", "--cap-lints=allow"])
        // The format is unstable, so stable toolchains need a variable to write it. With that variable, cargo would
        // compile all dependencies again, so only this script sets it.
        .env("RUSTDOC", root().join("tests/repository/unstable-rustdoc"))
        .status()
        .expect("cargo starts");
    assert!(status.success(), "cargo rustdoc failed for {package}");
    let json = target.join(format!("doc/{}.json", package.replace('-', "_")));
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
    for package in [
        "millicron",
        "millicron-scheduler",
        "millicron-history",
        "millicron-pipeline",
        "millicron-apalis",
        "millicron-pictures",
    ] {
        let items = public_items(package);
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(package, items);
        });
    }
}
