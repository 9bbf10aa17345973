//! One test for each claim of `COMPARE.md`.

mod language;
mod migration;
mod packages;
mod schedulers;
mod search;
mod systemd;
mod zones;

/// A Sunday.
const SUNDAY: &str = "2026-11-22T00:00:00+00:00[UTC]";

/// Midnights in UTC.
#[expect(clippy::unnecessary_wraps, reason = "compared with what a library returns")]
fn midnights<const N: usize>(days: [&str; N]) -> millicron_compare::Events {
    Ok(days.iter().map(|day| format!("{day} 00:00:00 +0000")).collect())
}

#[test]
fn each_claim_names_its_test() {
    let sources = [
        include_str!("language.rs"),
        include_str!("migration.rs"),
        include_str!("packages.rs"),
        include_str!("schedulers.rs"),
        include_str!("search.rs"),
        include_str!("systemd.rs"),
        include_str!("zones.rs"),
    ];
    let attribute = |line: &str| line.starts_with("#[test]") || line.starts_with("#[tokio::test");
    let mut tests: Vec<&str> = vec![];
    for source in sources {
        let lines = source.lines().zip(source.lines().skip(1));
        let functions = lines.filter(|(line, _)| attribute(line)).map(|(_, function)| function);
        tests.extend(functions.filter_map(|line| line.split_once("fn ")?.1.split('(').next()));
    }
    assert!(tests.len() > 60, "{tests:?}");

    let text = include_str!("../../../COMPARE.md");
    let unnamed: Vec<_> =
        tests.iter().filter(|name| !text.contains(&format!("`{name}`"))).collect();
    assert!(unnamed.is_empty(), "tests that COMPARE.md does not name: {unnamed:?}");

    // The last cell of each row of a table of claims.
    let tables = text.split("| test |").skip(1).filter_map(|table| table.split("\n\n").next());
    let cells = tables
        .flat_map(str::lines)
        .filter_map(|row| row.trim_end_matches([' ', '|']).rsplit(" | ").next());
    let names = cells.flat_map(|cell| cell.split(", ")).filter_map(|name| {
        name.strip_prefix('`')?.strip_suffix('`').filter(|name| !name.contains(' '))
    });
    let unknown: Vec<_> = names.filter(|name| !tests.contains(name)).collect();
    assert!(unknown.is_empty(), "tests that do not exist: {unknown:?}");
}
