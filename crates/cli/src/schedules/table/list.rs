//! `millicron schedules list`.

use std::collections::BTreeMap;
use std::io::Write;

use comfy_table::ColumnConstraint;
use millicron_apalis::stored::Filter;

use super::database::Database;
use super::entry::{Entry, Meaning};
use super::only_tag;
use crate::characters::visible;
use crate::error::{Error, note};
use crate::output::{Output, table};
use crate::query::clock::Clock;
use crate::schedules::arguments::{DatabaseArguments, List};
use crate::times::{Now, time_zone, zone_name};

/// A column of the table: its heading, and its text for a schedule.
type EntryColumn = (&'static str, fn(&Entry) -> String);

const COLUMNS: [EntryColumn; 7] = [
    ("name", |entry| visible(&entry.stored.name).into_owned()),
    ("schedule", |entry| visible(&entry.stored.schedule).into_owned()),
    ("zone", |entry| match &entry.meaning {
        Ok(meaning) => zone_name(meaning.read.schedule.zone()),
        Err(_) => visible(entry.stored.zone.as_deref().unwrap_or_default()).into_owned(),
    }),
    ("next event", |entry| time(entry, entry.stored.next_at)),
    ("last event", |entry| time(entry, entry.stored.last_at)),
    ("state", |entry| match (&entry.stored.error, entry.stored.paused) {
        (Some(_), _) => "error".to_owned(),
        (None, true) => "paused".to_owned(),
        (None, false) => String::new(),
    }),
    ("tags", |entry| visible(&entry.stored.tags.join(", ")).into_owned()),
];

fn time(entry: &Entry, instant: Option<i64>) -> String {
    let Some(instant) = instant else { return String::new() };
    let mut clock = Clock::of_zone(&entry.shown);
    let civil = clock.civil(instant);
    let text = civil.replacen('T', " ", 1);
    let text = text.strip_suffix(".000").unwrap_or(&text);
    // The other column has the schedule's own zone.
    let is_own = |meaning: &Meaning| *meaning.read.schedule.zone() == entry.shown;
    if entry.meaning.as_ref().is_ok_and(is_own) {
        return text.to_owned();
    }
    let with_offset = clock.rfc3339(instant);
    format!("{text} {}", with_offset.strip_prefix(&civil).unwrap_or_default())
}

pub(super) fn run(
    list: &List,
    database: &DatabaseArguments,
    now: &Now,
    output: &mut Output,
) -> Result<(), Error> {
    let zone = list.zone.as_deref().map(|name| time_zone(Some(name))).transpose()?;
    let mut filter = filter(list, now)?;
    let database = Database::open(database)?;
    let mut entries = Vec::new();
    let has_more = loop {
        let page = database.list(&filter)?;
        let read = |stored| Entry::new(stored, zone.as_ref(), &BTreeMap::new());
        for entry in page.schedules.into_iter().map(read) {
            if output.is_json() {
                output.json(&entry.to_json())?;
            } else {
                entries.push(entry);
            }
        }
        match page.next {
            Some(next) if list.all => filter = next,
            next => break next.is_some(),
        }
    };
    if !output.is_json() && !entries.is_empty() {
        write_table(&entries, output)?;
    }
    output.flush()?;
    if has_more {
        note("there are more schedules: list them with --all, or more of them with --limit");
    } else if entries.is_empty() && !output.is_json() {
        note("there is no such schedule");
    }
    Ok(())
}

fn filter(list: &List, now: &Now) -> Result<Filter, Error> {
    let mut filter = Filter::default();
    if let Some(tag) = only_tag(&list.tag)? {
        filter = filter.tag(tag);
    }
    if let Some(prefix) = &list.prefix {
        filter = filter.prefix(prefix);
    }
    if list.paused {
        filter = filter.paused();
    }
    if list.failed {
        filter = filter.failed();
    }
    if let Some(time) = &list.due_before {
        filter = filter.due_before(time.millis(now, &time_zone(list.zone.as_deref())?)?);
    }
    Ok(filter.limit(if list.all { PAGE } else { list.limit }))
}

/// How many schedules to read at once from a table of which all are listed.
const PAGE: usize = 1000;

/// Writes a table with the columns that are not empty.
fn write_table(entries: &[Entry], output: &mut Output) -> Result<(), Error> {
    let texts = COLUMNS.map(|(heading, text)| {
        let texts = entries.iter().map(text).collect::<Vec<_>>();
        (heading, texts)
    });
    let is_shown = |texts: &[String]| texts.iter().any(|text| !text.is_empty());
    let shown: Vec<_> = texts.iter().filter(|(_, texts)| is_shown(texts)).collect();
    let headings = shown.iter().map(|(heading, _)| *heading);
    let row = |index: usize| shown.iter().map(|(_, texts)| texts[index].clone()).collect();
    let mut table = table(headings, (0..entries.len()).map(row), output.width());
    for ((heading, _), column) in shown.iter().zip(table.column_iter_mut()) {
        if heading.ends_with("event") {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    Ok(writeln!(output, "{}", table.trim_fmt())?)
}
