//! [`Phrase`]: schedules in plain English, such as `every weekday at 9:30`.
//!
//! A phrase is never read as a schedule. An error offers the schedules that it may mean.
//!
//! [`words`] splits the text, [`date`], [`business`], [`time`] and [`units`] read its clauses in any
//! order, and a [`draft`] collects what they say. Where a word has two meanings, the whole phrase is
//! read once for each of them.

mod business;
mod date;
mod draft;
mod parts;
mod time;
mod units;
mod words;

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{self, Write as _};
use core::mem;

use crate::Dialect;
use crate::expression::Expression;
use crate::members::without_last_semicolon;
use crate::notation::Notation;
use crate::parse::parse;
use crate::search::Plan;
use crate::union_plan::MOST_MEMBERS;
use draft::{Before, Draft, Note};
use words::Text;

/// The most meanings of a phrase.
const MEANINGS: usize = 4;

/// The meanings of a phrase in plain English.
///
/// Its `Display` writes what to do about the phrase: which schedule to write, or what to add.
#[derive(Clone, Debug)]
pub struct Phrase {
    meanings: Vec<Meaning>,
    /// Notes about any of the meanings, as bits.
    notes: u8,
    dialect: Option<Dialect>,
}

/// A meaning of a phrase, and what distinguishes it from the others.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Meaning {
    /// A schedule, or several for a union.
    members: Vec<Member>,
    labels: [&'static str; 2],
}

/// A schedule, and the name of its calendar.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Member {
    expression: Expression,
    calendar: Option<String>,
}

impl Phrase {
    /// Reads a phrase, or phrases and schedules that are separated by `;`. Returns `None` if the text
    /// is not a phrase.
    ///
    /// ```
    /// use millicron_runtime::Phrase;
    ///
    /// let phrase = Phrase::recognize("every weekday at 9:30").unwrap();
    /// assert_eq!(phrase.to_string(), "write `*.*.* 1-5 09:30:00`");
    /// ```
    #[must_use]
    pub fn recognize(text: &str) -> Option<Self> {
        let mut members = without_last_semicolon(text).split(';');
        let mut phrase = Self { meanings: Vec::new(), notes: 0, dialect: None };
        let mut has_phrase = false;
        for (place, text) in members.by_ref().take(MOST_MEMBERS).enumerate() {
            let member = Self::of_member(text);
            has_phrase |= member.is_some();
            let member = member.or_else(|| Self::of_schedule(text))?;
            phrase = if place == 0 { member } else { phrase.and(&member)? };
        }
        let is_short = phrase.meanings.iter().all(|it| it.members.len() <= MOST_MEMBERS);
        (has_phrase && is_short && members.next().is_none()).then_some(phrase)
    }

    /// Whether a text begins like most phrases, and like no schedule.
    pub(crate) fn is_begun(text: &str) -> bool {
        const FIRST_WORDS: [&str; 16] = [
            "all", "any", "at", "between", "each", "every", "first", "from", "last", "on", "once",
            "the", "twice", "until", "weekdays", "when",
        ];
        let word = text.trim_start().split_once([' ', '\t']).map_or("", |(word, _)| word);
        FIRST_WORDS.iter().any(|first| word.eq_ignore_ascii_case(first))
    }

    /// Reads a phrase that is not a union.
    fn of_member(text: &str) -> Option<Self> {
        let text = Text::of(text)?;
        let mut words = text.words();
        let calendar = words.take_calendar();
        words.has_english().then_some(())?;
        let mut phrase = Self { meanings: Vec::new(), notes: 0, dialect: None };
        let (mut reading, mut readings) = (0, 1);
        while reading < readings {
            let mut draft = Draft::new(words, calendar, reading);
            let members = draft.finish();
            readings = readings.max(draft.readings);
            // With more, not even a list of them would help.
            (readings <= MEANINGS).then_some(())?;
            reading += 1;
            // A reading with fewer questions is one of those before.
            let Some(members) = members.filter(|_| reading <= draft.readings) else { continue };
            phrase.notes |= draft.notes();
            if draft.is_incomplete() {
                continue;
            }
            let meaning = draft.meaning(members);
            match phrase.meanings.iter_mut().find(|it| it.members == meaning.members) {
                // What would distinguish them makes no difference.
                Some(same) => same.labels = [""; 2],
                None => phrase.meanings.push(meaning),
            }
        }
        (phrase.notes != 0 || !phrase.meanings.is_empty()).then_some(phrase)
    }

    /// Reads a schedule in the language of this crate, which means itself.
    fn of_schedule(text: &str) -> Option<Self> {
        let located = parse(None, text.trim_ascii()).ok()?;
        let calendar = located.spans.calendar.and_then(|span| text.trim_ascii().get(span));
        let member =
            Member { expression: located.expression, calendar: calendar.map(ToOwned::to_owned) };
        let has_events = member.calendar.is_some() || has_events(&member.expression);
        let meaning = Meaning { members: Vec::from([member]), labels: [""; 2] };
        let meanings = Vec::from([meaning]);
        has_events.then_some(Self { meanings, notes: 0, dialect: None })
    }

    /// Returns the union with the next member. `None` if both have several meanings.
    fn and(mut self, other: &Self) -> Option<Self> {
        (self.meanings.len() <= 1 || other.meanings.len() <= 1).then_some(())?;
        for one in mem::take(&mut self.meanings) {
            for other in &other.meanings {
                let mut meaning = one.clone();
                meaning.members.extend_from_slice(&other.members);
                if meaning.labels == [""; 2] {
                    meaning.labels = other.labels;
                }
                self.meanings.push(meaning);
            }
        }
        self.notes |= other.notes;
        Some(self)
    }

    /// Returns the texts of the schedules that the phrase may mean.
    pub fn texts(&self) -> impl Iterator<Item = String> {
        self.meanings.iter().map(Meaning::text)
    }

    /// Writes the schedules in a dialect, if it can express them.
    pub(crate) const fn in_dialect(mut self, dialect: Option<Dialect>) -> Self {
        self.dialect = dialect;
        self
    }
}

/// Whether a schedule without a calendar has events.
fn has_events(expression: &Expression) -> bool {
    Plan::empty().fill(expression, None).is_ok()
}

impl Meaning {
    fn text(&self) -> String {
        let mut text = String::new();
        for member in &self.members {
            let separator = if text.is_empty() { "" } else { "; " };
            // A string accepts all that is written.
            let _ = write!(text, "{separator}{member}");
        }
        text
    }

    /// Returns the text in a dialect, if it can express the schedule.
    fn text_in(&self, dialect: Dialect) -> Option<String> {
        let [Member { expression, calendar: None }] = &self.members[..] else { return None };
        Notation::ignoring_2100(expression, dialect).ok().map(|notation| notation.to_string())
    }
}

impl fmt::Display for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.expression.fmt(f)?;
        self.calendar.as_ref().map_or(Ok(()), |name| write!(f, " @{name}"))
    }
}

impl fmt::Display for Phrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "write ";
        for meaning in &self.meanings {
            f.write_str(separator)?;
            separator = ", or ";
            match self.dialect.map(|dialect| meaning.text_in(dialect)) {
                None => write!(f, "`{}`", meaning.text())?,
                Some(Some(text)) => write!(f, "`{text}`")?,
                Some(None) => write!(f, "`{}` in the language of millicron", meaning.text())?,
            }
            match &meaning.labels {
                ["", _] => {}
                [label, ""] => write!(f, " ({label})")?,
                [first, second] => write!(f, " ({first}, {second})")?,
            }
        }
        let has_meanings = !self.meanings.is_empty();
        let has_note = |note: &Note| self.notes >> *note as u8 & 1 == 1;
        // Notes about a schedule need one.
        let notes = Note::ALL.into_iter().filter(has_note);
        let notes = notes.filter(|note| match note {
            Note::Separate => !has_meanings,
            note => has_meanings || note.is_missing(),
        });
        for (place, note) in notes.enumerate() {
            f.write_str(match (place, has_meanings) {
                (0, false) => "",
                _ if note.is_alternative() && has_meanings => ", or ",
                _ => "; ",
            })?;
            f.write_str(note.message())?;
        }
        Ok(())
    }
}

impl Draft<'_> {
    /// Reads the whole phrase, and returns the schedules that have its events together. Returns `None`
    /// if it is not a phrase.
    fn finish(&mut self) -> Option<Vec<Expression>> {
        while !self.words.is_empty() {
            self.clause()?;
        }
        self.finish_date()?;
        let mut members = self.finish_time()?;
        (!self.has(Note::Midnight) || self.interval.is_some() || self.has_date()).then_some(())?;
        for expression in &mut members {
            if expression.is_extended() {
                expression.normalize();
            }
        }
        // The members have the same days.
        let has_events = || self.calendar.is_some() || members.first().is_some_and(has_events);
        (self.is_incomplete() || has_events()).then_some(members)
    }

    /// Returns what the phrase means, once it has been read.
    fn meaning(&self, members: Vec<Expression>) -> Meaning {
        let member =
            |expression| Member { expression, calendar: self.calendar.map(ToOwned::to_owned) };
        Meaning { members: members.into_iter().map(member).collect(), labels: self.labels }
    }

    /// Whether there is no schedule until the phrase is changed.
    fn is_incomplete(&self) -> bool {
        Note::ALL.into_iter().any(|note| note.is_missing() && self.has(note))
    }

    /// Reads the next clause.
    fn clause(&mut self) -> Option<()> {
        let has_comma = self.words.any(",");
        let has_and = self.words.any("and &");
        let is_time = self.before == Before::Time;
        // `And` joins times. Between other clauses, it would join the events of each.
        let is_joined = has_and && self.before != Before::Nothing;
        (is_time || !is_joined).then_some(())?;
        if is_time && (has_comma || has_and) {
            self.before = Before::Times;
        }
        let is_unit = !is_joined && self.first_of(&units::CLAUSES).is_some();
        let count = time::CLAUSES.len() - usize::from(is_joined);
        if !is_unit && self.first_of(&time::CLAUSES[..count]).is_some() {
            self.before = if self.parts[0].is_some() { Before::Time } else { Before::Other };
            return Some(());
        }
        self.before = Before::Other;
        (is_unit || !is_joined && self.first_of(&date::CLAUSES).is_some()).then_some(())
    }
}
