//! [`Draft`]: what has been read of a phrase so far.

use core::mem;

use super::words::{Clock, DAY, Words};
use crate::{Expression, Field};

/// The most parts of the day in a phrase.
const PARTS: usize = 24;

/// What a phrase leaves open, or what a reader may not expect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Note {
    /// The steps need a date from which they count. There is no schedule without it.
    StartDate,
    /// The times do not fit into one schedule, and are too many for a union.
    Separate,
    /// The phrase repeats by months or years, and names no day.
    FirstDay,
    /// The phrase repeats by several months, without a date from which they count.
    January,
    /// The phrase has no time of day.
    Midnight,
    /// The steps do not divide the day.
    Restarts,
    /// The phrase says how often, but not when.
    WhichTimes,
    /// Business days are taken as Monday to Friday.
    BusinessDays,
}

impl Note {
    pub(super) const ALL: [Self; 8] = [
        Self::StartDate,
        Self::WhichTimes,
        Self::Separate,
        Self::FirstDay,
        Self::January,
        Self::Midnight,
        Self::Restarts,
        Self::BusinessDays,
    ];

    /// Whether there is no schedule until the phrase is changed.
    pub(super) const fn is_missing(self) -> bool {
        matches!(self, Self::StartDate | Self::Separate)
    }

    /// Whether it is an alternative to what is offered.
    pub(super) const fn is_alternative(self) -> bool {
        matches!(self, Self::StartDate | Self::WhichTimes)
    }

    /// Returns what to know about the schedule, or what to change.
    pub(super) const fn message(self) -> &'static str {
        match self {
            Self::StartDate => {
                "add the date from which to count, as in `every other day from 5 January 2026`"
            }
            Self::Separate => {
                "one schedule cannot have exactly these times: write a schedule for each"
            }
            Self::FirstDay => "without a day, it is the 1st",
            Self::January => "the months count from January",
            Self::Midnight => "without a time of day, it is midnight",
            Self::Restarts => "the steps restart at midnight",
            Self::WhichTimes => "name the times, as in `twice a day at 9:00 and 17:00`",
            Self::BusinessDays => "a business day is any day from Monday to Friday, even a holiday",
        }
    }
}

/// What a phrase repeats by, if it names no days.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Period {
    Day,
    Week,
    BusinessDay,
    /// A number of months that divides the year.
    Months(u16),
}

/// A time of day, or a part of the day.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TimeOfDay {
    /// In milliseconds since midnight.
    At(u32),
    /// A part whose end follows.
    From(Clock),
    Range {
        from: u32,
        to: u32,
        /// Whether the end is included.
        is_closed: bool,
    },
}

/// What is before a clause.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Before {
    Nothing,
    /// Times and parts of the day.
    Time,
    /// These, and a separator.
    Times,
    Other,
}

/// What has been read of a phrase, and how its ambiguous words are read.
#[derive(Clone, Copy)]
pub(super) struct Draft<'a> {
    pub(super) words: Words<'a>,
    pub(super) expression: Expression,
    /// The name of the calendar.
    pub(super) calendar: Option<&'a str>,
    /// The fields that the phrase restricts.
    opened: [bool; 8],
    /// Whether days have to satisfy all that is said of them.
    pub(super) is_both: bool,
    /// The forms of the ordinal numbers of days and of weekdays.
    pub(super) forms: [u8; 2],
    pub(super) period: Option<Period>,
    /// Whether the phrase names every weekday, as in `every Monday`.
    pub(super) is_every: bool,
    /// Whether the phrase says how often events are, as in `once a month` or `every day`.
    pub(super) is_rate: bool,
    /// Steps from a date, in days, weeks or business days.
    pub(super) steps: Option<(u32, Period)>,
    /// The date from which the steps count.
    pub(super) start: Option<[u16; 3]>,
    /// The distance between events in the day.
    pub(super) interval: Option<u32>,
    pub(super) parts: [Option<TimeOfDay>; PARTS],
    /// Whether parts of the day include their ends, where `to` does not say so.
    pub(super) is_closed: Option<bool>,
    /// How many events a unit of time contains, and the length of that unit.
    pub(super) times: Option<(u32, u32)>,
    notes: u8,
    /// Which reading to take: a number with one digit for each ambiguity.
    reading: usize,
    /// The number of readings found.
    pub(super) readings: usize,
    /// What is before the clause.
    pub(super) before: Before,
    /// What distinguishes this reading from the others.
    pub(super) labels: [&'static str; 2],
}

/// Reads a part of a phrase. `None` if the words are something else.
pub(super) type Clause = fn(&mut Draft<'_>) -> Option<()>;

impl<'a> Draft<'a> {
    pub(super) const fn new(words: Words<'a>, calendar: Option<&'a str>, reading: usize) -> Self {
        Self {
            words,
            expression: Expression::MIDNIGHTS,
            calendar,
            opened: [false; 8],
            is_both: false,
            forms: [0; 2],
            period: None,
            is_every: false,
            is_rate: false,
            steps: None,
            start: None,
            interval: None,
            parts: [None; PARTS],
            is_closed: None,
            times: None,
            notes: 0,
            reading,
            readings: 1,
            before: Before::Nothing,
            labels: [""; 2],
        }
    }

    /// Reads the first of some clauses that fits. If none does, nothing changes.
    pub(super) fn first_of(&mut self, clauses: &[Clause]) -> Option<()> {
        clauses.iter().find_map(|clause| self.attempt(*clause))
    }

    /// Reads what `read` does. If it returns `None`, nothing changes.
    pub(super) fn attempt<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let before = *self;
        let value = read(self);
        if value.is_none() {
            *self = before;
        }
        value
    }

    /// Reads items with separators between them, at least one. `Or` is between the days that events
    /// may fall on; elsewhere, except between weekdays, it says to choose.
    pub(super) fn list(&mut self, item: &mut dyn FnMut(&mut Self) -> Option<()>) -> Option<()> {
        item(self)?;
        let mut next = |it: &mut Self| {
            let has_separator = it.words.separator();
            ((it.is_both && it.words.any("or")) || has_separator).then(|| item(it))?
        };
        while self.attempt(&mut next).is_some() {}
        Some(())
    }

    pub(super) const fn is_open(&self, field: Field) -> bool {
        self.opened[field as usize]
    }

    /// Adds every `step`-th value of a range to a field, which is emptied first if the phrase has
    /// not restricted it before.
    pub(super) fn insert(&mut self, field: Field, [from, to]: [u32; 2], step: u32) -> Option<()> {
        let [from, to] = [u16::try_from(from).ok()?, u16::try_from(to).ok()?];
        let is_valid = (field.min_value()..=field.max_value()).contains(&from)
            && (from..=field.max_value()).contains(&to)
            && step > 0;
        self.open(field);
        // At the end of a range, day 32 is only a bound.
        is_valid.then(|| self.expression.insert(field, from..=to.min(field.last().max(from)), step))
    }

    /// Marks a field as restricted, and empties it if it was not.
    pub(super) fn open(&mut self, field: Field) {
        if !mem::replace(&mut self.opened[field as usize], true) {
            self.expression.words_mut(field).fill(0);
        }
    }

    pub(super) fn fill(&mut self, field: Field) -> Option<()> {
        self.insert(field, [field.min_value().into(), field.last().into()], 1)
    }

    pub(super) fn add_part(&mut self, part: TimeOfDay) -> Option<()> {
        *self.parts.iter_mut().find(|it| it.is_none())? = Some(part);
        Some(())
    }

    /// Returns the last time that has been read, in milliseconds since midnight.
    pub(super) fn last_time(&self) -> u32 {
        match self.parts.iter().flatten().next_back() {
            Some(TimeOfDay::At(time)) => *time,
            Some(TimeOfDay::Range { from, to, .. }) => to + if to <= from { DAY } else { 0 },
            _ => 0,
        }
    }

    pub(super) const fn note(&mut self, note: Note) {
        self.notes |= 1 << note as u8;
    }

    pub(super) const fn take_back(&mut self, note: Note) {
        self.notes &= !(1 << note as u8);
    }

    pub(super) const fn has(&self, note: Note) -> bool {
        self.notes >> note as u8 & 1 == 1
    }

    /// Returns the notes as bits.
    pub(super) const fn notes(&self) -> u8 {
        self.notes
    }

    /// Returns which of several meanings to take, each with what distinguishes it.
    pub(super) fn choose(&mut self, labels: &[&'static str]) -> usize {
        let choice = self.reading / self.readings % labels.len();
        self.readings = self.readings.saturating_mul(labels.len());
        self.label(labels[choice]);
        choice
    }

    /// Adds what distinguishes this reading from others.
    pub(super) fn label(&mut self, label: &'static str) {
        // Not twice.
        if let Some(free) = self.labels.iter_mut().find(|it| it.is_empty() || **it == label) {
            *free = label;
        }
    }
}
