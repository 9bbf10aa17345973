//! [`Phrase`]: schedules in plain English, such as `every weekday at 9:30`.
//!
//! A phrase is never read as a schedule. An error offers the schedules that it may mean.
//!
//! [`words`] splits the text, [`date`], [`time`] and [`units`] read its clauses in any order, and a
//! [`draft`] collects what they say. Where a word has two meanings, the whole phrase is read once
//! for each of them.

mod date;
mod draft;
mod time;
mod units;
mod words;

use core::fmt;

use crate::Dialect;
use crate::expression::Expression;
use crate::notation::Notation;
use crate::search::Plan;
use draft::{Draft, Note};
use words::Text;

/// The most meanings of a phrase.
const MEANINGS: usize = 4;

/// The meanings of a phrase in plain English.
///
/// Its `Display` writes what to do about the phrase: which schedule to write, or what to add.
#[derive(Clone, Debug)]
pub struct Phrase {
    meanings: [Option<Meaning>; MEANINGS],
    /// Notes about any of the meanings, as bits.
    notes: u8,
    dialect: Option<Dialect>,
}

/// A meaning of a phrase, and what distinguishes it from the others.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Meaning {
    expression: Expression,
    labels: [&'static str; 2],
}

impl Phrase {
    /// Reads a phrase. Returns `None` if the text is not a phrase.
    ///
    /// ```
    /// use millicron_runtime::Phrase;
    ///
    /// let phrase = Phrase::recognize("every weekday at 9:30").unwrap();
    /// assert_eq!(phrase.to_string(), "write `*.*.* 1-5 09:30:00`");
    /// ```
    #[must_use]
    pub fn recognize(text: &str) -> Option<Self> {
        let text = Text::of(text)?;
        text.words().has_english().then_some(())?;
        let mut phrase = Self { meanings: [const { None }; MEANINGS], notes: 0, dialect: None };
        let (mut reading, mut readings, mut count) = (0, 1, 0);
        while reading < readings {
            let mut draft = Draft::new(text.words(), reading);
            let is_phrase = draft.finish().is_some();
            readings = readings.max(draft.readings);
            // With more, not even a list of them would help.
            (readings <= MEANINGS).then_some(())?;
            reading += 1;
            // A reading with fewer questions is one of those before.
            if !is_phrase || reading > draft.readings {
                continue;
            }
            phrase.notes |= draft.notes();
            if draft.is_incomplete() {
                continue;
            }
            let Draft { expression, labels, .. } = draft;
            let mut meanings = phrase.meanings.iter_mut().flatten();
            if let Some(same) = meanings.find(|it| it.expression == expression) {
                // What would distinguish them makes no difference.
                same.labels = [""; 2];
                continue;
            }
            *phrase.meanings.get_mut(count)? = Some(Meaning { expression, labels });
            count += 1;
        }
        (phrase.notes != 0 || count > 0).then_some(phrase)
    }

    /// Returns the schedules that the phrase may mean.
    pub fn expressions(&self) -> impl Iterator<Item = &Expression> {
        self.meanings.iter().flatten().map(|meaning| &meaning.expression)
    }

    /// Writes the schedules in a dialect, if it can express them.
    pub(crate) const fn in_dialect(mut self, dialect: Option<Dialect>) -> Self {
        self.dialect = dialect;
        self
    }
}

impl fmt::Display for Phrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "write ";
        for Meaning { expression, labels } in self.meanings.iter().flatten() {
            f.write_str(separator)?;
            separator = ", or ";
            match self.dialect.map(|dialect| Notation::of(expression, dialect)) {
                None => write!(f, "`{expression}`")?,
                Some(Ok(notation)) => write!(f, "`{notation}`")?,
                Some(Err(_)) => write!(f, "`{expression}` in the language of millicron")?,
            }
            match labels {
                ["", _] => {}
                [label, ""] => write!(f, " ({label})")?,
                [first, second] => write!(f, " ({first}, {second})")?,
            }
        }
        let has_meanings = self.expressions().next().is_some();
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
    /// Reads the whole phrase. Returns `None` if it is not a phrase.
    fn finish(&mut self) -> Option<()> {
        while !self.words.is_empty() {
            self.clause()?;
        }
        self.finish_date()?;
        self.finish_time()?;
        (!self.has(Note::Midnight) || self.interval.is_some() || self.has_date()).then_some(())?;
        if self.expression.is_extended() {
            self.expression.normalize();
        }
        let has_events = || Plan::empty().fill(&self.expression, None).is_ok();
        (self.is_incomplete() || has_events()).then_some(())
    }

    /// Whether there is no schedule until the phrase is changed.
    const fn is_incomplete(&self) -> bool {
        self.has(Note::StartDate) || self.has(Note::Separate)
    }

    /// Reads the next clause.
    fn clause(&mut self) -> Option<()> {
        self.is_separated = self.words.separator();
        self.first_of(&units::CLAUSES)
            .or_else(|| self.first_of(&time::CLAUSES))
            .or_else(|| self.first_of(&date::CLAUSES))
    }
}
