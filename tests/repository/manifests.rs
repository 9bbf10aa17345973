//! The manifests of the published packages, and the script that publishes them.

use std::path::Path;

use serde_json::Value;

use super::{published, root, text};

#[test]
fn published_packages_have_metadata_and_license_files() {
    for package in published() {
        let name = text(package, "name");
        for key in ["description", "license", "rust_version"] {
            assert_ne!(text(package, key), "", "{key} of {name}");
        }
        for key in ["keywords", "categories"] {
            let length = package[key].as_array().map_or(0, Vec::len);
            assert!((1..=5).contains(&length), "{key} of {name}");
        }
        let directory = Path::new(text(package, "manifest_path")).parent().expect("a directory");
        for file in ["README.md", "LICENSE-APACHE", "LICENSE-MIT"] {
            assert!(directory.join(file).is_file(), "{file} of {name}");
        }
    }
}

#[test]
fn docs_rs_documents_all_features() {
    for package in published() {
        let has_features = package["features"].as_object().is_some_and(|it| !it.is_empty());
        let is_library = |target: &Value| target["doc"] == true && target["kind"][0] == "lib";
        let targets = package["targets"].as_array().expect("a list of targets");
        if has_features && targets.iter().any(is_library) {
            let settings = &package["metadata"]["docs"]["rs"];
            assert_eq!(settings["all-features"], true, "of {}", text(package, "name"));
        }
    }
}

/// crates.io shows these files too, where links to Rust items lead nowhere.
#[test]
fn readmes_have_no_links_to_rust_items() {
    for package in published() {
        let readme = Path::new(text(package, "manifest_path")).with_file_name("README.md");
        let readme = std::fs::read_to_string(readme).expect("a file");
        let name = text(package, "name");
        for (place, _) in readme.match_indices("](") {
            let target = readme[place + 2..].split(')').next().unwrap_or_default();
            assert!(!target.contains("::"), "{target} in README.md of {name}");
        }
        for (place, _) in readme.match_indices("`]") {
            let (before, after) = readme.split_at(place + 2);
            let label = &before[before.rfind("[`").unwrap_or(place)..];
            let is_link = after.starts_with(['(', ':']) || readme.contains(&format!("\n{label}: "));
            assert!(is_link, "{label} in README.md of {name} has no address");
        }
    }
}

#[test]
fn packages_are_published_after_their_dependencies() {
    let script = std::fs::read_to_string(root().join("scripts/release")).expect("scripts/release");
    let (_, list) = script.split_once("\npackages=(").expect("a list of packages");
    let (list, _) = list.split_once(')').expect("the end of the list");
    let order: Vec<&str> = list.split_whitespace().collect();
    let published = published();
    assert_eq!(order.len(), published.len());
    for package in &published {
        let name = text(package, "name");
        let place = order.iter().position(|it| *it == name);
        assert!(place.is_some(), "scripts/release does not publish {name}");
        for dependency in package["dependencies"].as_array().expect("a list") {
            if dependency["kind"].is_null() && !dependency["path"].is_null() {
                let before = order.iter().position(|it| *it == text(dependency, "name"));
                assert!(
                    before.is_some() && before < place,
                    "{name} is published before {dependency}"
                );
            }
        }
    }
}
