//! No two modules of a package need each other, neither directly nor through others.
//!
//! Modules are compared within their folder: what `zone::search` takes from `period` counts for the
//! neighbors `zone` and `period`. A module and its own parent may need each other. A name that a module
//! re-exports counts for the module that defines it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemUse, Macro, Meta, UseTree};

use super::{published, root, text};

/// The path of a module within its package.
type Module = Vec<String>;

/// The paths that a module names, after `use` or otherwise, by module.
type Paths = BTreeMap<Module, Vec<Module>>;

#[test]
fn modules_do_not_need_each_other() {
    let mut folders = vec![root().join("crates/playground/src")];
    for package in published() {
        let manifest = Path::new(text(package, "manifest_path"));
        folders.push(manifest.parent().expect("a directory").join("src"));
    }
    let found = folders.iter().flat_map(|folder| {
        let circles = circles(&read(folder)).into_iter();
        circles.map(move |circle| format!("{}: {circle}", folder.display()))
    });
    let found: Vec<_> = found.collect();
    assert!(found.is_empty(), "{found:#?}");
}

/// Reads the modules of a package.
fn read(folder: &Path) -> Paths {
    let mut paths = Paths::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(current) = folders.pop() {
        let entries = fs::read_dir(&current).expect("a folder of modules");
        for path in entries.map(|entry| entry.expect("an entry").path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let source = fs::read_to_string(&path).expect("a module");
                let module = module(path.strip_prefix(folder).expect("a file of the folder"));
                paths.insert(module, named_paths(&source));
            }
        }
    }
    assert!(!paths.is_empty(), "{} has no modules", folder.display());
    paths
}

fn module(file: &Path) -> Module {
    let mut module: Module = PathBuf::from(file)
        .with_extension("")
        .iter()
        .map(|part| part.to_str().expect("a name in Unicode").to_owned())
        .collect();
    module.pop_if(|last| ["lib", "main", "mod"].contains(&&**last));
    module
}

/// Returns the paths that a module names, without its tests.
fn named_paths(source: &str) -> Vec<Module> {
    let mut names = Names::default();
    names.visit_file(&syn::parse_file(source).expect("Rust"));
    names.0
}

#[derive(Default)]
struct Names(Vec<Module>);

impl Names {
    fn add_use(&mut self, before: &[String], tree: &UseTree) {
        let with = |name: String| [before, &[name]].concat();
        match tree {
            UseTree::Path(path) => self.add_use(&with(path.ident.to_string()), &path.tree),
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.add_use(before, tree);
                }
            }
            UseTree::Name(name) => self.0.push(with(name.ident.to_string())),
            UseTree::Rename(name) => self.0.push(with(name.ident.to_string())),
            UseTree::Glob(_) => self.0.push(before.to_owned()),
        }
    }
}

impl Visit<'_> for Names {
    fn visit_item(&mut self, item: &Item) {
        let attributes = match item {
            Item::Mod(item) => &item.attrs,
            Item::Use(item) => &item.attrs,
            Item::Fn(item) => &item.attrs,
            Item::Impl(item) => &item.attrs,
            _ => return visit::visit_item(self, item),
        };
        if !is_test(attributes) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &ItemUse) {
        self.add_use(&[], &item.tree);
    }

    fn visit_path(&mut self, path: &syn::Path) {
        let names: Module = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if ["crate", "self", "super"].contains(&&*names[0]) {
            self.0.push(names);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, invocation: &Macro) {
        // What a macro makes of its tokens is not known; paths look the same before and after.
        for word in without_literals(invocation.tokens.clone()).split(' ') {
            if ["crate::", "self::", "super::"].iter().any(|start| word.starts_with(start)) {
                self.0.push(word.split("::").map(str::to_owned).collect());
            }
        }
        visit::visit_macro(self, invocation);
    }
}

/// Returns the paths and other tokens of a macro, separated by spaces.
fn without_literals(tokens: TokenStream) -> String {
    let mut text = String::new();
    for token in tokens {
        match token {
            TokenTree::Ident(name) => {
                if !text.ends_with("::") {
                    text.push(' ');
                }
                text += &name.to_string();
            }
            TokenTree::Punct(punct) if punct.as_char() == ':' => text.push(':'),
            TokenTree::Group(group) => {
                text.push(' ');
                text += &without_literals(group.stream());
                text.push(' ');
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => text.push(' '),
        }
    }
    text
}

/// Whether an item is compiled only for tests.
fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident("cfg") => {
            let condition = list.tokens.to_string();
            condition.starts_with("test")
                || condition.starts_with("all (test")
                || condition.starts_with("all(test")
        }
        _ => false,
    })
}

/// Returns the module that defines what a path names, or `None` if it is in another package. `depth`
/// counts the re-exports on the way.
fn resolve(paths: &Paths, module: &Module, path: &[String], depth: u32) -> Option<Module> {
    let (mut base, mut rest) = match &*path[0] {
        "crate" => (Module::new(), &path[1..]),
        "self" | "super" => (module.clone(), path),
        first if paths.contains_key(&child(module, first)) => (module.clone(), path),
        _ => return None,
    };
    while let Some((first, others)) = rest.split_first() {
        match &**first {
            "self" => {}
            "super" => drop(base.pop()),
            name if paths.contains_key(&child(&base, name)) => base.push(name.to_owned()),
            name => {
                let exported = paths.get(&base).into_iter().flatten();
                let mut exported = exported.filter(|path| path.len() > 1);
                let exported = exported.find_map(|path| {
                    path.last().filter(|last| *last == name && depth < 5)?;
                    resolve(paths, &base, path, depth + 1).filter(|target| *target != base)
                });
                return Some(exported.unwrap_or(base));
            }
        }
        rest = others;
    }
    Some(base)
}

fn child(module: &Module, name: &str) -> Module {
    [&**module, &[name.to_owned()]].concat()
}

/// Returns the groups of neighbors that need each other.
fn circles(paths: &Paths) -> Vec<String> {
    // What each module needs, by parent.
    let mut needs = BTreeMap::<&[String], BTreeMap<&str, BTreeSet<String>>>::new();
    for (module, named) in paths {
        for path in named {
            let Some(target) = resolve(paths, module, path, 0) else { continue };
            let common = module.iter().zip(&target).take_while(|(one, other)| one == other).count();
            if let (Some(here), Some(there)) = (module.get(common), target.get(common)) {
                let neighbors = needs.entry(&module[..common]).or_default();
                neighbors.entry(here).or_default().insert(there.clone());
            }
        }
    }
    let mut circles = BTreeSet::new();
    for (parent, neighbors) in &needs {
        for name in neighbors.keys() {
            let reached = reachable(neighbors, name);
            let circle: Vec<_> = reached
                .iter()
                .filter(|other| reachable(neighbors, other).contains(*name))
                .map(String::as_str)
                .collect();
            if circle.len() > 1 {
                circles.insert(format!("{}: {}", parent.join("::"), circle.join(" <-> ")));
            }
        }
    }
    circles.into_iter().collect()
}

/// Returns all modules that a module needs, directly or through its neighbors.
fn reachable(needs: &BTreeMap<&str, BTreeSet<String>>, module: &str) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    let mut next = vec![module.to_owned()];
    while let Some(current) = next.pop() {
        for other in needs.get(&*current).into_iter().flatten() {
            if reached.insert(other.clone()) {
                next.push(other.clone());
            }
        }
    }
    reached
}

/// Returns the circles of modules that are given by file and source.
fn circles_of(sources: &[(&str, &str)]) -> Vec<String> {
    let modules =
        sources.iter().map(|(file, source)| (module(Path::new(file)), named_paths(source)));
    circles(&modules.collect())
}

#[test]
fn circles_are_found_across_folders_and_macros() {
    let direct = [("a.rs", "use crate::b::B;"), ("b.rs", "fn f() -> super::a::A { todo!() }")];
    assert_eq!(circles_of(&direct), [": a <-> b"]);
    let nested = [
        ("lib.rs", ""),
        ("a/mod.rs", ""),
        ("a/x.rs", "use crate::{b::{self, B}};"),
        ("b.rs", "fn f() { println!(\"{}\", crate::c::C) }"),
        ("c.rs", "use super::a::x::X;"),
    ];
    assert_eq!(circles_of(&nested), [": a <-> b <-> c"]);
    let deeper = [
        ("a/mod.rs", "mod x; mod y;"),
        ("a/x.rs", "use super::y::Y;"),
        ("a/y.rs", "use super::x;"),
    ];
    assert_eq!(circles_of(&deeper), ["a: x <-> y"]);
}

#[test]
fn exported_names_count_for_the_module_that_defines_them() {
    let sources = [
        ("lib.rs", "mod a; mod b; pub use b::B;"),
        ("a.rs", "use crate::B;"),
        ("b.rs", "use crate::a::A;"),
    ];
    assert_eq!(circles_of(&sources), [": a <-> b"]);
}

#[test]
fn parents_tests_and_other_packages_are_no_circles() {
    let sources = [
        ("lib.rs", "use a::A;"),
        ("a/mod.rs", "mod x; use x::X; use crate::Root;"),
        ("a/x.rs", "use super::A; use b::Other;"),
        ("b.rs", "use crate::a::A; #[cfg(test)] mod tests { use crate::c::C; }"),
        ("c.rs", "use crate::b::B;"),
    ];
    assert_eq!(circles_of(&sources), [""; 0]);
}
