//! [`Words`]: the words of a phrase, and the numbers and names among them.

use crate::Field;
use crate::parse::is_calendar_name;

/// The most words that a phrase can have. Texts with more are not phrases.
const CAPACITY: usize = 128;

/// The fields of the time in ascending order: their names, the length of their unit in
/// milliseconds, and the number of their values.
pub(super) const UNITS: [(Field, &str, u32, u32); 4] = [
    unit(Field::Millisecond, "ms millisecond milliseconds millis"),
    unit(Field::Second, "s sec secs second seconds"),
    unit(Field::Minute, "m min mins minute minutes"),
    unit(Field::Hour, "h hr hrs hour hours"),
];

const fn unit(field: Field, names: &str) -> (Field, &str, u32, u32) {
    (field, names, field.unit(), field.radix())
}

/// The index of the hour in [`UNITS`].
pub(super) const HOURS: usize = 3;

pub(super) const HOUR: u32 = UNITS[HOURS].2;
pub(super) const DAY: u32 = 24 * HOUR;
pub(super) const HALF_DAY: u32 = DAY / 2;

const NUMBERS: &str = "zero one two three four five six seven eight nine ten eleven twelve thirteen \
    fourteen fifteen sixteen seventeen eighteen nineteen";

const TENS: &str = "twenty thirty forty fifty";

const ORDINALS: &str = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh \
    twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth \
    nineteenth";

const ORDINAL_TENS: &str = "twentieth thirtieth";

/// The words of a text, without white space. A comma and a hyphen are words, and so is each of the
/// parts of `15th` and `9am`.
#[derive(Clone, Copy)]
pub(super) struct Text<'t> {
    words: [&'t str; CAPACITY],
    len: usize,
}

/// The words that have not been read yet.
#[derive(Clone, Copy)]
pub(super) struct Words<'a> {
    words: &'a [&'a str],
}

/// A time of day in milliseconds since midnight.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Clock {
    /// At most [`DAY`].
    pub(super) time: u32,
    /// Whether it is a number that only the context makes a time.
    pub(super) is_bare: bool,
    /// Whether it may be in the morning or in the afternoon.
    pub(super) is_open: bool,
    /// Whether it says in which half of the day it is.
    pub(super) has_half: bool,
}

impl Clock {
    pub(super) const fn fixed(time: u32) -> Self {
        Self { time, is_bare: false, is_open: false, has_half: false }
    }

    /// Whether only a 24-hour clock shows this time.
    pub(super) const fn has_24_hours(self) -> bool {
        self.time >= HALF_DAY + HOUR && !self.has_half
    }

    /// Whether a part of the day from this time to another may also begin half a day later: `from 8
    /// to 10 pm`, `from 10 to 2 am`, `from 8 until midnight`.
    pub(super) const fn may_be_later(self, to: Self) -> bool {
        let is_short = to.has_half && self.time + HALF_DAY < to.time;
        let is_overnight = !to.is_open && to.time % DAY < self.time;
        self.is_open && (is_short || is_overnight && (self.is_bare || to.has_half))
    }
}

/// What a character can be part of.
#[derive(PartialEq, Eq)]
enum Class {
    Space,
    Number,
    Name,
    /// The name of a calendar: `@nyse`, or in backticks.
    Calendar,
    /// A word of one character.
    Symbol,
}

impl Class {
    const fn of(c: char) -> Self {
        match c {
            ' ' | '\t' => Self::Space,
            '0'..='9' | ':' => Self::Number,
            'a'..='z' | 'A'..='Z' | '\'' => Self::Name,
            '@' | '`' => Self::Calendar,
            _ => Self::Symbol,
        }
    }
}

impl<'t> Text<'t> {
    /// Splits a text into words. Returns `None` if there are too many.
    pub(super) fn of(text: &'t str) -> Option<Self> {
        let mut all = Self { words: [""; CAPACITY], len: 0 };
        let mut rest = text.trim_ascii().trim_end_matches('.');
        while let Some(first) = rest.chars().next() {
            let class = Class::of(first);
            // A dot is part of `09:30:00.500` and `a.m.`
            let is_part = |c: char| Class::of(c) == class || c == '.';
            let len = match class {
                Class::Symbol => first.len_utf8(),
                Class::Calendar if first == '`' => {
                    rest[1..].find('`').map_or(rest.len(), |len| len + 2)
                }
                Class::Calendar => rest.find(char::is_whitespace).unwrap_or(rest.len()),
                _ => rest.find(|c| !is_part(c)).unwrap_or(rest.len()),
            };
            let (word, after) = rest.split_at(len);
            rest = after;
            if class != Class::Space {
                *all.words.get_mut(all.len)? = word.trim_end_matches('.');
                all.len += 1;
            }
        }
        Some(all)
    }

    pub(super) fn words(&self) -> Words<'_> {
        Words { words: &self.words[..self.len] }
    }
}

impl<'a> Words<'a> {
    pub(super) const fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Whether any word is more than a number, a symbol or a name, which are also the parts of
    /// schedules.
    pub(super) fn has_english(&self) -> bool {
        let is_name = |word: &str| {
            [Field::Month, Field::Weekday].iter().any(|field| field.name_like(word).is_some())
        };
        self.words.iter().any(|word| is_word(word) && !is_name(word))
    }

    /// Returns the next word, or an empty one at the end.
    fn peek(&self) -> &'a str {
        self.words.first().copied().unwrap_or_default()
    }

    fn skip(&mut self) {
        self.words = self.words.get(1..).unwrap_or_default();
    }

    /// Takes the name of a calendar from the end: `@nyse`, or `, on the days of` and the name in
    /// backticks.
    pub(super) fn take_calendar(&mut self) -> Option<&'a str> {
        let (last, mut before) = self.words.split_last()?;
        let name = if let Some(name) = last.strip_prefix('@') {
            name
        } else {
            let name = last.strip_prefix('`')?.strip_suffix('`')?;
            for word in ["of", "days", "the", "on"] {
                let (last, rest) = before.split_last()?;
                last.eq_ignore_ascii_case(word).then(|| before = rest)?;
            }
            before = before.strip_suffix(&[","]).unwrap_or(before);
            name
        };
        is_calendar_name(name).then(|| self.words = before)?;
        Some(name)
    }

    /// Reads a word if `read` returns something for it.
    pub(super) fn read<T>(&mut self, read: impl FnOnce(&'a str) -> Option<T>) -> Option<T> {
        let value = read(self.peek())?;
        self.skip();
        Some(value)
    }

    /// Reads one of some words, which are separated by spaces.
    pub(super) fn any(&mut self, words: &str) -> bool {
        self.position(words).is_some()
    }

    /// Reads one of some words, which are separated by spaces, and returns its index.
    pub(super) fn position(&mut self, words: &str) -> Option<usize> {
        self.read(|next| words.split(' ').position(|word| word.eq_ignore_ascii_case(next)))
    }

    /// Reads several words, separated by spaces in `phrase`, all or none.
    pub(super) fn all(&mut self, phrase: &str) -> bool {
        let start = *self;
        let has_all = phrase.split(' ').all(|word| self.any(word));
        if !has_all {
            *self = start;
        }
        has_all
    }

    /// Reads what `read` does, or nothing if it returns `None`.
    pub(super) fn attempt<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let start = *self;
        let value = read(self);
        if value.is_none() {
            *self = start;
        }
        value
    }

    /// Reads what separates the items of a list.
    pub(super) fn separator(&mut self) -> bool {
        let has_comma = self.any(",");
        self.any("and &") || has_comma
    }

    /// Reads what is between the ends of a range of values, as in `Monday-to-Friday`.
    pub(super) fn to(&mut self) -> bool {
        let has_hyphen = self.any("- –");
        let has_word = self.any("to through thru");
        let _ = has_hyphen && has_word && self.any("-");
        has_hyphen || has_word
    }

    /// Reads a number in digits or words.
    pub(super) fn number(&mut self) -> Option<u32> {
        let is_number = |word: &str| (1..=9).contains(&word.len()) && is_digits(word);
        self.read(|word| is_number(word).then(|| word.parse().ok())?)
            .or_else(|| self.below_sixty(NUMBERS, 0))
            .or_else(|| self.position(TENS).map(|tens| 20 + 10 * value(tens)))
    }

    /// Reads an ordinal number, such as `15th`, `fifteenth` or `twenty-first`.
    pub(super) fn ordinal(&mut self) -> Option<u32> {
        let numeral = self.attempt(|words| {
            let number = words.number()?;
            words.any("st nd rd th").then_some(number)
        });
        numeral
            .or_else(|| self.below_sixty(ORDINALS, 1))
            .or_else(|| self.position(ORDINAL_TENS).map(|tens| 20 + 10 * value(tens)))
    }

    /// Reads one of some words for `first` and the numbers after it, or such a word after one of
    /// [`TENS`], as in `twenty-five`.
    fn below_sixty(&mut self, words: &str, first: u32) -> Option<u32> {
        let single = self.position(words).map(|place| first + value(place));
        single.or_else(|| {
            self.attempt(|it| {
                let tens = 20 + 10 * value(it.position(TENS)?);
                it.any("-");
                let ones = first + value(it.position(words)?);
                (1..10).contains(&ones).then_some(tens + ones)
            })
        })
    }

    /// Reads the full or short name of a month or weekday, which may be in the plural.
    pub(super) fn name(&mut self, field: Field) -> Option<u16> {
        self.read(|word| {
            let named = |word: &str| field.value_named(field.name_like(word)?);
            let word = (3..=10).contains(&word.len()).then_some(word)?;
            named(word).or_else(|| named(word.strip_suffix(['s', 'S'])?))
        })
    }

    /// Reads a unit of time and returns its index in [`UNITS`].
    pub(super) fn unit(&mut self) -> Option<usize> {
        (0..UNITS.len()).find(|place| self.any(UNITS[*place].1))
    }

    /// Reads a year.
    pub(super) fn year(&mut self) -> Option<u16> {
        self.read(|word| {
            let year = (word.len() == 4 && is_digits(word)).then(|| word.parse().ok())?;
            year.filter(|year| (Field::Year.min_value()..=Field::Year.last()).contains(year))
        })
    }

    /// Reads a time of day.
    pub(super) fn clock(&mut self) -> Option<Clock> {
        if let Some(place) = self.position("midnight noon midday") {
            return Some(Clock::fixed(if place == 0 { 0 } else { HALF_DAY }));
        }
        self.attempt(|words| {
            // `09:00` is on a 24-hour clock, unless the half of the day follows.
            let is_padded = words.peek().starts_with('0');
            let (time, has_minute) = words.read(clock)?;
            words.any("o'clock");
            let half = words.position("am a.m midnight pm p.m noon midday");
            let is_open = (HOUR..HALF_DAY + HOUR).contains(&time);
            let noon = if half.is_some_and(|half| half > 2) { HALF_DAY } else { 0 };
            match half {
                None => Some(Clock {
                    is_bare: !has_minute,
                    is_open: is_open && !is_padded,
                    ..Clock::fixed(time)
                }),
                // Only 12 is noon or midnight.
                Some(2 | 5 | 6) if time != HALF_DAY => None,
                Some(_) if is_open => {
                    Some(Clock { has_half: true, ..Clock::fixed(time % HALF_DAY + noon) })
                }
                Some(_) => None,
            }
        })
    }

    /// Reads a time of day that is a whole hour.
    pub(super) fn hour(&mut self) -> Option<u32> {
        self.attempt(|words| {
            let Clock { time, .. } = words.clock()?;
            time.is_multiple_of(HOUR).then_some(time / HOUR)
        })
    }

    /// Whether `every second`, which is before these words, repeats by the unit: in `every second
    /// and fourth Saturday`, it counts days.
    pub(super) fn is_after_unit(mut self) -> bool {
        if self.any(",") {
            return !self.any("and & the last") && self.ordinal().is_none();
        }
        self.is_empty() || self.any("in on at from between during")
    }

    /// Returns the form of the next number: 1 for digits, 2 for letters.
    pub(super) fn form(&self) -> u8 {
        1 << u8::from(is_word(self.peek()))
    }
}

/// Reads `9`, `9:30`, `09:30:00` or `09:30:00.500`, and returns whether there are minutes.
fn clock(word: &str) -> Option<(u32, bool)> {
    let (word, fraction) = word.split_once('.').unwrap_or((word, "000"));
    let is_fraction = fraction.len() == 3 && is_digits(fraction);
    let mut time = is_fraction.then(|| fraction.parse::<u32>().ok())??;
    let mut fields = word.split(':');
    let mut count = 0;
    for (_, _, millis, size) in UNITS.iter().rev().take(3) {
        let Some(field) = fields.next() else { break };
        let value = (field.len() <= 2 && is_digits(field)).then(|| field.parse::<u32>().ok())??;
        (value < *size || (*millis, value) == (HOUR, 24)).then_some(())?;
        time += value * millis;
        count += 1;
    }
    let is_time = fields.next().is_none() && time <= DAY && (count != 2 || word.len() > 3);
    is_time.then_some((time, count > 1))
}

fn is_word(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic())
}

fn is_digits(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns an index of a table above as a number.
fn value(place: usize) -> u32 {
    u32::try_from(place).unwrap_or_default()
}
