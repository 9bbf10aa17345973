//! The size of a schedule in a program, and the allocations of a parsed one.

use std::collections::{BTreeMap, BTreeSet};
use std::hint::black_box;
use std::path::Path;
use std::{fs, io};

use allocation_counter::{AllocationInfo, measure};
use millicron::Schedule;
use millicron_benches::cases::{CASES, Case, Kind};
use millicron_benches::peers::{Answers, NAMES, rivals};
use millicron_benches::table::{Bound, Table};
use object::read::archive::ArchiveFile;
use object::{Object, ObjectSection, ObjectSymbol, SectionKind, SymbolKind};

use crate::crates::{Crates, Source};

const KIB: f64 = 1024.0;

/// The setting with which cargo writes one object file for each crate.
pub(crate) const ONE_OBJECT: &str = "profile.release.codegen-units=1";

/// The size of a compiled crate.
#[derive(Default)]
pub(crate) struct Size {
    code: u64,
    pub(crate) data: u64,
    /// The names of the imported symbols.
    taken: BTreeSet<String>,
    /// The sizes of the functions and statics that it defines, by name.
    code_of: BTreeMap<String, u64>,
    data_of: BTreeMap<String, u64>,
}

/// Measures the bytes that the compiler emits for each case: for a function that finds the next event,
/// and for a static that keeps every search.
pub(crate) fn table() -> io::Result<Table> {
    let names: Vec<_> = CASES
        .iter()
        .map(|case| [format!("functions-{}", case.label), format!("statics-{}", case.label)])
        .collect();
    let mut sources = vec![source("empty", String::new())];
    for (case, [functions, statics]) in CASES.iter().zip(&names) {
        sources.push(source(functions, query_function(case)));
        sources.push(source(statics, public_static(case)));
    }
    let crates = Crates::new("footprint", &sources)?;
    crates.cargo(&["build", "--release", "--workspace", "--config", ONE_OBJECT])?;
    let size_of = |name| size_of(&crates, name);
    let empty = size_of("empty")?;
    let mut table = Table::new(
        "Memory: bytes that the compiler emits for a schedule",
        &[
            "case",
            "next: code",
            "next: data (strides 0, others ≤ 1024)",
            "all searches: code",
            "all searches: data (≤ 1024)",
        ],
    );
    let mut taken = BTreeSet::new();
    for (case, [functions, statics]) in CASES.iter().zip(&names) {
        let (functions, statics) = (size_of(functions)?, size_of(statics)?);
        let most = if case.kind == Kind::Stride { 0.0 } else { KIB };
        table
            .row(case.label)
            .figure(bytes(functions.code - empty.code), Bound::None)
            .figure(bytes(functions.data - empty.data), Bound::AtMost(most))
            .figure(bytes(statics.code - empty.code), Bound::None)
            .figure(bytes(statics.data - empty.data), Bound::AtMost(KIB));
        taken.extend(functions.taken);
        taken.extend(statics.taken);
    }

    let mut shared = Size::default();
    add_shared(&mut shared, &crates.target().join("release"))?;
    let of = |sizes: &BTreeMap<String, u64>| {
        let sizes = sizes.iter().filter(|(name, _)| taken.contains(*name));
        bytes(sizes.map(|(_, size)| size).sum())
    };
    table
        .row("shared by all")
        .text("")
        .text("")
        .figure(of(&shared.code_of), Bound::None)
        .figure(of(&shared.data_of), Bound::None);
    Ok(table)
}

/// Measures what parsing allocates, here and in the peers that can express the case.
pub(crate) fn allocations() -> Table {
    let mut headers = vec![
        "case".to_owned(),
        "millicron: bytes (≤ 2048)".to_owned(),
        "millicron: allocations (≤ 1)".to_owned(),
    ];
    headers.extend(NAMES.iter().map(|name| format!("{name}: allocations")));
    let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
    let mut table = Table::new("Memory: what a parse allocates", &headers);
    for case in CASES {
        let AllocationInfo { bytes_total, count_total, .. } = measure(|| {
            black_box(black_box(case.text).parse::<Schedule>().ok());
        });
        let mut cells = table.row(case.label);
        cells
            .figure(bytes(bytes_total), Bound::AtMost(2.0 * KIB))
            .figure(bytes(count_total), Bound::AtMost(1.0));
        for rival in rivals(case, &Answers::new(case, &[], 0)) {
            match rival {
                Ok(rival) => {
                    cells.figure(bytes(measure(|| rival.parse(1)).count_total), Bound::None)
                }
                Err(why) => cells.text(why),
            };
        }
    }
    table
}

/// Returns the size of a crate that has been compiled.
pub(crate) fn size_of(crates: &Crates, name: &str) -> io::Result<Size> {
    let mut size = Size::default();
    let library = format!("release/lib{}.rlib", name.replace('-', "_"));
    add_library(&mut size, &crates.target().join(library))?;
    Ok(size)
}

pub(crate) fn source(name: &str, lib: String) -> Source<'_> {
    Source { name, dependencies: "millicron = { workspace = true }", lib }
}

fn query_function(case: &Case) -> String {
    format!(
        "#[inline(never)]\npub fn next(t: i64) -> Option<i64> {{\n    \
         const SCHEDULE: millicron::Schedule = millicron::schedule!({:?});\n    \
         SCHEDULE.next_event(t)\n}}\n",
        case.text,
    )
}

fn public_static(case: &Case) -> String {
    format!("pub static SCHEDULE: millicron::Schedule = millicron::schedule!({:?});\n", case.text)
}

/// Adds the code and data that the searches share. The library is compiled twice: the copy for the
/// macro is not part of the program.
fn add_shared(size: &mut Size, release: &Path) -> io::Result<()> {
    for entry in fs::read_dir(release.join("deps"))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with("libmillicron_runtime-") && name.ends_with(".rlib") {
            add_library(size, &path)?;
        }
    }
    Ok(())
}

/// Adds a compiled library, without its unwinding tables.
fn add_library(size: &mut Size, path: &Path) -> io::Result<()> {
    let library = fs::read(path)?;
    let archive = ArchiveFile::parse(&*library).map_err(io::Error::other)?;
    for member in archive.members() {
        let member = member.map_err(io::Error::other)?;
        let object = member.data(&*library).map_err(io::Error::other)?;
        // The archive also contains metadata of the compiler.
        if member.name().ends_with(b".o") {
            add_object(size, object).map_err(io::Error::other)?;
        }
    }
    Ok(())
}

fn add_object(size: &mut Size, object: &[u8]) -> object::Result<()> {
    let object = object::File::parse(object)?;
    for section in object.sections() {
        let unwinds = ["eh_frame", "unwind", "except_table"];
        let name = section.name()?;
        if unwinds.iter().any(|part| name.contains(part)) {
            continue;
        }
        match section.kind() {
            SectionKind::Text => size.code += section.size(),
            SectionKind::Data
            | SectionKind::ReadOnlyData
            | SectionKind::ReadOnlyDataWithRel
            | SectionKind::ReadOnlyString
            | SectionKind::UninitializedData => size.data += section.size(),
            _ => {}
        }
    }
    for symbol in object.symbols() {
        let name = symbol.name()?.to_owned();
        match symbol.kind() {
            _ if symbol.is_undefined() => {
                size.taken.insert(name);
            }
            SymbolKind::Text => {
                size.code_of.insert(name, symbol.size());
            }
            SymbolKind::Data => {
                size.data_of.insert(name, symbol.size());
            }
            _ => {}
        }
    }
    Ok(())
}

/// Converts sizes to table values.
#[allow(clippy::cast_precision_loss, reason = "far below 2^53")]
pub(crate) fn bytes(bytes: u64) -> f64 {
    bytes as f64
}
