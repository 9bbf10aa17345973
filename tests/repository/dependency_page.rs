//! The tables of `DEPENDENCIES.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::Value;

use super::{cargo, published, root, text};

/// A package in a tree of dependencies.
#[derive(Debug)]
struct Node {
    depth: usize,
    name: String,
    version: String,
    /// Whether it is in this workspace.
    is_ours: bool,
}

impl Node {
    fn parse(line: &str) -> Self {
        let digits = line.find(|character: char| !character.is_ascii_digit());
        let (depth, package) = line.split_at(digits.expect("a package after its depth"));
        let mut words = package.split_whitespace();
        let mut word = || words.next().expect("a name and a version").to_owned();
        Self {
            depth: depth.parse().expect("a depth"),
            name: word(),
            version: word(),
            is_ours: package.contains(" (/"),
        }
    }
}

/// Returns the dependencies of packages for x86-64 Linux, in depth-first order.
fn tree(packages: &[&str], arguments: &[&str]) -> Vec<Node> {
    let mut cargo = cargo();
    cargo.args(["tree", "--locked", "--target=x86_64-unknown-linux-gnu", "--format= {p}"]);
    cargo.arg("--prefix=depth").args(arguments);
    for package in packages {
        cargo.args(["--package", package]);
    }
    let output = cargo.output().expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.lines().filter(|line| !line.is_empty()).map(Node::parse).collect()
}

/// Returns how many packages of others are in a tree.
fn count(nodes: &[Node]) -> usize {
    let nodes = nodes.iter().filter(|node| !node.is_ours);
    nodes.map(|node| (&node.name, &node.version)).collect::<BTreeSet<_>>().len()
}

/// Returns the start of each row below a heading, up to the given number of cells.
fn rows(heading: &str, cells: usize) -> Vec<String> {
    let page = std::fs::read_to_string(root().join("DEPENDENCIES.md")).expect("DEPENDENCIES.md");
    let (_, section) = page.split_once(&format!("\n## {heading}\n")).expect("the heading");
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| row.split(" | ").take(cells).collect::<Vec<_>>().join(" | ")).collect()
}

/// Returns the packages that use each dependency by the name of the package, as the page writes them, and the required
/// version.
fn uses(published: &[&Value]) -> BTreeMap<String, (String, String)> {
    let mut uses = BTreeMap::<String, (String, String)>::new();
    for package in published {
        let short = text(package, "name").trim_start_matches("millicron-");
        for dependency in package["dependencies"].as_array().expect("a list") {
            if dependency["kind"] == "dev" || !dependency["path"].is_null() {
                continue;
            }
            let name = dependency["rename"].as_str().unwrap_or(text(dependency, "name"));
            let enabled = Value::from(format!("dep:{name}"));
            let features = package["features"].as_object().expect("an object").iter();
            let features = features.filter(|(_, enables)| {
                enables.as_array().is_some_and(|enables| enables.contains(&enabled))
            });
            let features: Vec<_> = features.map(|(feature, _)| format!("`{feature}`")).collect();
            let (used_by, required) = uses.entry(name.to_owned()).or_default();
            let separator = if used_by.is_empty() { "" } else { ", " };
            write!(used_by, "{separator}`{short}`").expect("text takes all");
            if !features.is_empty() {
                write!(used_by, " ({})", features.join(", ")).expect("text takes all");
            }
            text(dependency, "req").clone_into(required);
        }
    }
    uses
}

/// Returns the first number in a version or in what is required.
fn major(version: &str) -> &str {
    let version = version.trim_start_matches(|character: char| !character.is_ascii_digit());
    version.split('.').next().unwrap_or_default()
}

#[test]
fn library_needs_no_package_of_others_at_run_time() {
    let nodes = tree(&["millicron"], &["--edges=normal,no-proc-macro"]);
    let names: Vec<_> = nodes.iter().map(|node| &*node.name).collect();
    assert_eq!(names, ["millicron", "millicron-runtime"]);
}

#[test]
fn page_has_the_number_of_dependencies_of_each_package() {
    let published = published();
    let mut expected: Vec<_> = published
        .iter()
        .map(|package| {
            let name = text(package, "name");
            let edges = "--edges=normal,build";
            let default = count(&tree(&[name], &[edges]));
            let all = count(&tree(&[name], &[edges, "--all-features"]));
            format!("| `{name}` | {default} | {all} |")
        })
        .collect();
    let mut rows = rows("The library needs nothing at run time", 3);
    rows.sort();
    expected.sort();
    assert_eq!(rows, expected);
}

#[test]
fn page_has_each_direct_dependency() {
    let published = published();
    let names: Vec<_> = published.iter().map(|package| text(package, "name")).collect();
    let nodes = tree(&names, &["--edges=normal,build", "--all-features", "--no-dedupe"]);
    let expected = uses(&published).into_iter().map(|(key, (users, required))| {
        let name = key.strip_suffix("-02").unwrap_or(&key);
        let is_it = |node: &Node| node.name == name && major(&node.version) == major(&required);
        let start = nodes.iter().position(is_it).expect("a dependency is in the tree");
        let (first, below) = nodes[start..].split_first().expect("the dependency");
        let end = below.iter().take_while(|node| node.depth > first.depth).count();
        let brings = count(&nodes[start..=start + end]);
        format!("| `{key}` | {users} | {brings}")
    });
    let rows: BTreeSet<_> = rows("Direct dependencies", 3).into_iter().collect();
    let expected: BTreeSet<_> = expected.collect();
    let missing: Vec<_> = expected.difference(&rows).collect();
    let stale: Vec<_> = rows.difference(&expected).collect();
    assert!(missing.is_empty() && stale.is_empty(), "missing: {missing:#?}, stale: {stale:#?}");
}

#[test]
fn page_says_for_each_direct_dependency_what_if_it_were_abandoned() {
    let rows = rows("If one were abandoned", 1).into_iter();
    let names = rows.flat_map(|row| {
        let names = row.trim_start_matches("| ").split(", ").map(|name| name.trim_matches('`'));
        names.map(str::to_owned).collect::<Vec<_>>()
    });
    let names: BTreeSet<_> = names.collect();
    assert_eq!(names, uses(&published()).into_keys().collect());
}
