//! Checks the rules of `deny.toml` without `cargo deny`.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;
use toml::Table;

use super::{PACKAGES, root, text};

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

fn rules() -> Table {
    let rules = std::fs::read_to_string(root().join("deny.toml")).expect("deny.toml");
    rules.parse().expect("TOML")
}

/// Returns the packages that are not in the workspace.
fn dependencies() -> impl Iterator<Item = &'static Value> {
    PACKAGES.iter().filter(|package| !package["source"].is_null())
}

fn strings(value: &toml::Value) -> BTreeSet<&str> {
    value.as_array().expect("a list").iter().map(|it| it.as_str().expect("a string")).collect()
}

/// Returns whether allowed licenses satisfy a license expression.
fn is_allowed(license: &str, allowed: &BTreeSet<&str>) -> bool {
    let license = license.replace('/', " OR ");
    license.split(" AND ").all(|part| {
        let part = part.trim().trim_matches(['(', ')']);
        part.split(" OR ").any(|license| allowed.contains(license.trim()))
    })
}

#[test]
fn each_package_of_the_command_has_the_text_of_its_license() {
    let mut python = Command::new("python3");
    let script = python.arg(root().join("scripts/third-party")).arg("x86_64-unknown-linux-musl");
    let Ok(output) = script.output() else {
        eprintln!("skipped: Python is not installed");
        return;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let (line, next) = ("=".repeat(80), "-".repeat(80));
    let sections = text.split(&line).filter_map(|section| section.split_once(&next));
    let (names, texts): (Vec<_>, Vec<_>) = sections.unzip();
    for name in ["calcard ", "clap_builder ", "ring ", "sqlx-core ", "hashbrown ", "musl"] {
        let is_named = |names: &&str| names.trim().split(", ").any(|it| it.starts_with(name));
        assert!(names.iter().any(is_named), "{name}");
    }
    let words = texts.iter().map(|text| text.split_whitespace().collect::<Vec<_>>());
    assert_eq!(words.collect::<BTreeSet<_>>().len(), texts.len(), "each text is there once");
}

#[test]
fn license_expressions_are_evaluated() {
    let allowed = BTreeSet::from(["MIT", "Unicode-3.0"]);
    for license in ["MIT", "MIT OR GPL-3.0-only", "GPL-3.0-only/MIT", "(MIT OR X) AND Unicode-3.0"]
    {
        assert!(is_allowed(license, &allowed), "{license}");
    }
    for license in ["", "GPL-3.0-only", "MIT AND X", "(MIT OR Y) AND X"] {
        assert!(!is_allowed(license, &allowed), "{license}");
    }
}

#[test]
fn licenses_of_dependencies_are_allowed() {
    let rules = rules();
    let allowed = strings(&rules["licenses"]["allow"]);
    let exceptions = rules["licenses"]["exceptions"].as_array().expect("a list");
    let clarified = rules["licenses"]["clarify"].as_array().expect("a list");
    for package in dependencies() {
        let name = text(package, "name");
        let mut allowed = allowed.clone();
        for exception in exceptions.iter().filter(|it| it["crate"].as_str() == Some(name)) {
            allowed.extend(strings(&exception["allow"]));
        }
        let clarified = clarified.iter().find(|it| it["crate"].as_str() == Some(name));
        let license = match clarified {
            Some(clarified) => clarified["expression"].as_str().expect("a string"),
            None => text(package, "license"),
        };
        assert!(is_allowed(license, &allowed), "{name} has the license {license:?}");
    }
}

#[test]
fn only_benches_and_comparisons_depend_on_exceptions() {
    let rules = rules();
    let exceptions = rules["licenses"]["exceptions"].as_array().expect("a list");
    let exceptions: BTreeSet<_> = exceptions.iter().filter_map(|it| it["crate"].as_str()).collect();
    for package in &*PACKAGES {
        for dependency in package["dependencies"].as_array().expect("a list") {
            if exceptions.contains(text(dependency, "name")) {
                let name = text(package, "name");
                assert!(["millicron-benches", "millicron-compare"].contains(&name), "{name}");
            }
        }
    }
}

#[test]
fn duplicate_versions_are_listed_in_deny_toml() {
    let mut versions = BTreeMap::<String, BTreeSet<String>>::new();
    for package in dependencies() {
        let version = text(package, "version").to_owned();
        versions.entry(text(package, "name").to_owned()).or_default().insert(version);
    }
    let rules = rules();
    for known in strings(&rules["bans"]["skip"]) {
        let (name, version) = known.split_once('@').expect("name@version");
        let is_there = versions.get_mut(name).is_some_and(|versions| versions.remove(version));
        assert!(is_there, "deny.toml skips {known}, which is not a dependency");
    }
    versions.retain(|_, versions| versions.len() > 1);
    assert_eq!(versions, BTreeMap::new(), "several versions that deny.toml does not skip");
}

#[test]
fn dependencies_come_from_crates_io() {
    for package in dependencies() {
        assert_eq!(text(package, "source"), CRATES_IO, "{}", text(package, "name"));
    }
}
