//! The table of schedules.

mod database;
mod entry;
mod list;
mod put;
mod show;

use std::io::Write;

use millicron_apalis::stored::{Filter, Selection};
use millicron_pictures::counted;
use serde_json::json;

use self::database::{Change, Database};
use super::arguments::{Action, DatabaseArguments, SelectionArguments};
use crate::error::{Error, note};
use crate::file::nearest;
use crate::output::Output;
use crate::times::Now;

pub(crate) fn run(
    action: Action,
    database: &DatabaseArguments,
    now: &Now,
    output: &mut Output,
) -> Result<(), Error> {
    match action {
        Action::List(list) => list::run(&list, database, now, output),
        Action::Show(show) => show::run(&show, database, now, output),
        Action::Put(put) => put::run(*put, database, now, output),
        Action::Pause(selection) => change(Change::Pause, &selection, database, output),
        Action::Resume(selection) => change(Change::Resume, &selection, database, output),
        Action::Trigger(selection) => change(Change::Trigger, &selection, database, output),
        Action::Remove(selection) => change(Change::Remove, &selection, database, output),
    }
}

/// Changes schedules, and writes how many.
fn change(
    change: Change,
    selection: &SelectionArguments,
    database: &DatabaseArguments,
    output: &mut Output,
) -> Result<(), Error> {
    let selected = match (&selection.name, only_tag(&selection.tag)?) {
        (Some(name), _) => Selection::Name(name),
        (None, tag) => Selection::Tag(tag.unwrap_or_default()),
    };
    let database = Database::open(database)?;
    let count = database.change(change, selected)?;
    // Pausing does not count schedules that are paused.
    let remark = match selected {
        Selection::Name(name) if count == 0 => match database.get(name)? {
            Some(stored) if stored.paused => Some(format!("`{name}` is paused already")),
            Some(_) => Some(format!("`{name}` is not paused")),
            None => return Err(unknown(&database, name)?),
        },
        Selection::Tag(tag) if count == 0 => {
            let page = database.list(&Filter::default().tag(tag).limit(1))?;
            page.schedules.is_empty().then(|| format!("no schedule has the tag `{tag}`"))
        }
        _ => None,
    };
    if output.is_json() {
        output.json(&json!({ "count": count }))?;
    } else {
        let done = match change {
            Change::Pause => "paused",
            Change::Resume => "resumed",
            Change::Trigger => "triggered",
            Change::Remove => "removed",
        };
        writeln!(output, "{done} {}", counted(count as u64, "schedule"))?;
    }
    if let Some(remark) = remark {
        output.flush()?;
        note(remark);
    }
    Ok(())
}

/// Returns the error that there is no schedule with a name, and the most similar name.
fn unknown(database: &Database, name: &str) -> Result<Error, Error> {
    let error = Error::new(format_args!("there is no schedule `{name}`"));
    let half = name.chars().count() / 2;
    // There may be many schedules, and those whose names begin alike are the most similar.
    for length in [half, 1, 0] {
        let prefix = name.chars().take(length).collect::<String>();
        let page = database.list(&Filter::default().prefix(prefix))?;
        if let Some(near) = nearest(name, page.schedules.iter().map(|it| &*it.name)) {
            return Ok(error.hint(format_args!("write `{near}`")));
        }
    }
    Ok(error.hint("`millicron schedules list` lists them"))
}

/// Returns the tag of the schedules. Of several, none is better than another.
fn only_tag(tags: &[String]) -> Result<Option<&str>, Error> {
    match tags {
        [] => Ok(None),
        [tag] => Ok(Some(tag)),
        [first, second, ..] => {
            let message = format_args!("there are two tags: `{first}` and `{second}`");
            Err(Error::new(message).hint("name one; for several, repeat the command"))
        }
    }
}
