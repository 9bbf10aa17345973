//! [`Filter`], [`Page`] and [`Selection`]: which schedules an operation is for.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::database::Conditions;
use super::schedule::{StoredSchedule, storable};

/// The schedules that an operation changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Selection<'a> {
    /// The schedule with a name.
    Name(&'a str),
    /// All schedules with a tag.
    Tag(&'a str),
}

/// Selects schedules for a list. All conditions must hold; by default, there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use = "a filter does nothing until it is passed to `Schedules::list`"]
pub struct Filter {
    tag: Option<String>,
    prefix: Option<String>,
    paused: bool,
    failed: bool,
    due_before: Option<i64>,
    after: Option<Key>,
    limit: Option<usize>,
}

/// The last schedule of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Key {
    /// The name, up to the first character that may stand for bytes that are not UTF-8.
    name: String,
    /// The bytes of the whole name, in hexadecimal digits.
    bytes: String,
    next_at: Option<i64>,
}

/// Some of the schedules in a table.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Page {
    /// The schedules: by their next event if the filter is for schedules that are due before an instant, or
    /// else by their names, in the order of their bytes.
    pub schedules: Vec<StoredSchedule>,
    /// The filter for the next page. `None` if this is the last one.
    pub next: Option<Filter>,
}

/// The number of schedules in a page.
const PAGE: usize = 100;

const LARGEST_PAGE: usize = 100_000;

impl Key {
    fn of(schedule: &StoredSchedule) -> Self {
        let StoredSchedule { name, name_bytes, next_at, .. } = schedule;
        let mut name = name.clone();
        let mut bytes = String::new();
        for byte in name.bytes() {
            // Writing to a string does not fail.
            let _ = write!(bytes, "{byte:02X}");
        }
        if let Some(name_bytes) = name_bytes {
            bytes.clone_from(name_bytes);
            name.truncate(name.find(char::REPLACEMENT_CHARACTER).unwrap_or(name.len()));
        }
        Self { name, bytes, next_at: *next_at }
    }
}

impl Filter {
    /// Selects schedules with a tag.
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.tag = Some(tag.into());
        self
    }

    /// Selects schedules whose names begin with a text.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = Some(prefix.into());
        self
    }

    /// Selects schedules that are paused.
    pub const fn paused(mut self) -> Self {
        self.paused = true;
        self
    }

    /// Selects schedules with an [error](StoredSchedule::error).
    pub const fn failed(mut self) -> Self {
        self.failed = true;
        self
    }

    /// Selects schedules whose next event is before an instant, in milliseconds since 1970-01-01 00:00:00
    /// UTC, or is not known yet.
    pub const fn due_before(mut self, instant: i64) -> Self {
        self.due_before = Some(instant);
        self
    }

    /// Sets the number of schedules in a page. The default is 100; the range is 1 to 100,000.
    pub const fn limit(mut self, schedules: usize) -> Self {
        self.limit = Some(schedules);
        self
    }

    fn most(&self) -> usize {
        self.limit.unwrap_or(PAGE).clamp(1, LARGEST_PAGE)
    }

    /// Returns the number of rows to read: one more, to know whether there is another page.
    pub(super) fn rows(&self) -> usize {
        self.most() + 1
    }

    /// Returns the condition and the order of rows.
    pub(super) fn condition(&self, conditions: &Conditions) -> (String, &'static str) {
        let after = match self.due_before {
            Some(_) => conditions.after_due,
            None => conditions.after,
        };
        let parts = [
            (self.tag.is_some(), conditions.tag),
            (self.prefix.is_some(), conditions.prefix),
            (self.paused, "paused"),
            (self.failed, "error IS NOT NULL"),
            (self.due_before.is_some(), conditions.due_before),
            (self.after.is_some(), after),
        ];
        let parts: Vec<_> =
            parts.into_iter().filter_map(|(is_set, part)| is_set.then_some(part)).collect();
        let condition = if parts.is_empty() { "true".to_owned() } else { parts.join(" AND ") };
        (condition, if self.due_before.is_some() { "next_at, name" } else { "name" })
    }

    /// Sorts schedules of several tables, as each table does.
    pub(super) fn sort(&self, schedules: &mut [StoredSchedule]) {
        // A schedule that has not been read yet comes first.
        let next_at = |it: &StoredSchedule| self.due_before.and(it.next_at).unwrap_or_default();
        schedules.sort_by(|a, b| (next_at(a), &a.name).cmp(&(next_at(b), &b.name)));
    }

    /// Returns the input of the statement.
    pub(super) fn input(&self) -> Value {
        let prefix = self.prefix.as_deref();
        json!({
            "tag": self.tag,
            "from": prefix,
            "to": prefix.map(end_of_prefix),
            "due_before": self.due_before.map(storable),
            "after": self.after.as_ref().map(|key| &key.name),
            "after_bytes": self.after.as_ref().map(|key| &key.bytes),
            // A schedule that has not been read yet comes first.
            "after_at": self.after.as_ref().map(|key| key.next_at.unwrap_or_default()),
        })
    }

    pub(super) fn page(&self, mut schedules: Vec<StoredSchedule>) -> Page {
        let most = self.most();
        let has_more = schedules.len() > most;
        schedules.truncate(most);
        let last = schedules.last().filter(|_| has_more);
        let next = last.map(|last| Self { after: Some(Key::of(last)), ..self.clone() });
        Page { schedules, next }
    }
}

/// Returns the first text after all that begin with a prefix, in the order of their bytes.
fn end_of_prefix(prefix: &str) -> String {
    let mut chars: Vec<char> = prefix.chars().collect();
    while let Some(last) = chars.pop() {
        let next = (u32::from(last) + 1..=u32::from(char::MAX)).find_map(char::from_u32);
        if let Some(next) = next {
            chars.push(next);
            return chars.into_iter().collect();
        }
    }
    // Nothing is after the last character, which no name has so often.
    char::MAX.to_string().repeat(129)
}
