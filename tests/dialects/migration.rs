//! The tables of `MIGRATION.md`.

use millicron::{CalendarDigits, Dialect, Schedule};

const GUIDE: &str = include_str!("../../MIGRATION.md");

const DIALECTS: [Dialect; 4] =
    [Dialect::Crontab, Dialect::Quartz, Dialect::CronCrate, Dialect::Systemd];

/// Returns the dialect that the first column of a table is in.
fn dialect(column: &str) -> Option<Dialect> {
    match column {
        "crontab" | "`croner`" => Some(Dialect::Crontab),
        "Quartz" => Some(Dialect::Quartz),
        "`cron`" => Some(Dialect::CronCrate),
        "systemd" => Some(Dialect::Systemd),
        _ => None,
    }
}

/// Returns the rows of all tables that have these columns after the first, with the dialect of each.
fn rows<const N: usize>(columns: [&str; N]) -> Vec<(Option<Dialect>, Vec<String>)> {
    let cells = |line: &str| -> Vec<String> {
        let line = line.trim_start_matches("| ").trim_end_matches(" |").replace("\\|", "\0");
        line.split(" | ").map(|cell| cell.replace('\0', "|")).collect()
    };
    let tables = GUIDE.split("\n\n").filter(|block| block.starts_with("| "));
    let found = tables.flat_map(|table| {
        let mut lines = table.lines().map(cells);
        let header = lines.next().expect("a header");
        let rows = lines.skip(1).map(move |row| (dialect(&header[0]), row));
        let is_wanted = table.lines().next().map(cells).expect("a header")[1..] == columns;
        is_wanted.then_some(rows).into_iter().flatten()
    });
    found.collect()
}

/// Returns the texts of a cell in backticks.
fn codes(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

fn code(cell: &str) -> &str {
    codes(cell).next().unwrap_or_else(|| panic!("no code in {cell}"))
}

/// Whether two schedules have the same events in the years of Quartz.
fn have_same_events(read: &Schedule, written: &Schedule) -> bool {
    let end: CalendarDigits = "2100-01-01 00:00:00".parse().expect("a time");
    let [first, second] = [read, written].map(|schedule| schedule.events(..end).take(1000));
    read.count(..end) == written.count(..end) && first.eq(second)
}

#[track_caller]
fn assert_same_events(dialect: Dialect, theirs: &str, ours: &str) {
    let [read, written] = [dialect.parse(theirs), ours.parse()];
    let read: Schedule = read.unwrap_or_else(|error| panic!("{theirs}: {error}"));
    let written: Schedule = written.unwrap_or_else(|error| panic!("{ours}: {error}"));
    assert!(dialect == Dialect::Quartz || read == written, "{theirs} is {read}, not {ours}");
    assert!(have_same_events(&read, &written), "{theirs} is {read}, not {ours}");
}

#[test]
fn each_text_means_the_schedule_in_the_next_column() {
    let rows = rows(["millicron", "events"]);
    assert!(rows.len() > 55, "{}", rows.len());
    for (dialect, row) in rows {
        let [theirs, ours] = [0, 1].map(|column| code(&row[column]));
        assert_same_events(dialect.expect("a dialect"), theirs, ours);
        let described = ours.parse::<Schedule>().expect(ours).describe().to_string();
        assert_eq!(row[2], described, "{ours}");
    }
}

#[test]
fn no_text_of_a_table_is_misread_without_its_dialect() {
    for (dialect, row) in rows(["millicron", "events"]) {
        let theirs = code(&row[0]);
        let expected = dialect.expect("a dialect").parse(theirs).expect(theirs);
        let error = theirs.parse::<Schedule>().expect_err(theirs).plain().to_string();
        let offered = codes(&error).filter_map(|code| code.parse::<Schedule>().ok());
        assert!({ offered }.any(|it| have_same_events(&it, &expected)), "{theirs}: {error}");
    }
}

#[test]
fn what_only_millicron_has_cannot_be_written_in_a_dialect() {
    let rows = rows(["events"]);
    assert!(rows.len() > 5, "{}", rows.len());
    for (_, row) in rows {
        let schedule: Schedule = code(&row[0]).parse().expect(&row[0]);
        assert_eq!(row[1], schedule.describe().to_string(), "{}", row[0]);
        for dialect in DIALECTS {
            assert!(schedule.to_dialect(dialect).is_err(), "{dialect} has {}", row[0]);
        }
    }
}

#[test]
fn differences_are_as_listed() {
    let columns = ["cronie", "its meaning", "systemd 252"];
    let rows: Vec<_> = columns.iter().flat_map(|column| rows([*column, "millicron"])).collect();
    assert!(rows.len() > 15, "{}", rows.len());
    for (dialect, row) in rows {
        let (dialect, theirs) = (dialect.expect("a dialect"), code(&row[0]));
        if row[2].starts_with("an error") {
            let error = dialect.parse(theirs).expect_err(theirs).to_string();
            for code in codes(&row[2]) {
                let is_offered = error.contains(&format!("`{code}`"));
                assert!(is_offered || code.parse::<Schedule>().is_ok(), "{theirs}: {error}");
            }
        } else {
            assert_same_events(dialect, theirs, code(&row[2]));
        }
    }
}

#[test]
fn what_is_not_a_fixed_schedule_is_refused() {
    let rows = rows(["what to do"]);
    assert!(rows.len() > 3, "{}", rows.len());
    for (dialect, row) in rows {
        let (dialect, theirs) = (dialect.expect("a dialect"), code(&row[0]));
        assert!(dialect.parse(theirs).is_err(), "{theirs}");
    }
}

#[test]
fn texts_that_quartz_reads_only_in_part_are_refused() {
    let rows = rows(["Quartz reads it as", "write"]);
    assert!(rows.len() > 5, "{}", rows.len());
    for (_, row) in rows {
        assert!(Dialect::Quartz.parse(code(&row[0])).is_err(), "{}", row[0]);
        for text in &row[1..] {
            assert!(Dialect::Quartz.parse(code(text)).is_ok(), "{text}");
        }
    }
}
