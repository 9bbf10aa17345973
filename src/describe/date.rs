//! Describes the date part of a schedule.

use core::fmt::{self, Write};

use millicron_runtime::{DateSteps, Expression, Join};

use super::set::{Run, SHORTEST_STRIDE, Set};
use super::writer::Writer;
use crate::Field;

/// The date part of a schedule.
pub(super) struct Date<'a> {
    expression: &'a Expression,
    has_days: bool,
    has_weekdays: bool,
}

/// Days of the month or weekdays that are described together.
#[derive(Clone, Copy)]
enum Days {
    /// The days with fixed numbers.
    Numbers,
    Last,
    /// The n-th day before the last one.
    BeforeLast(u32),
    /// The days from Monday to Friday nearest to days with fixed numbers.
    Nearest,
    /// The day from Monday to Friday nearest to the n-th day before the last one, or to the last
    /// one itself.
    NearestBeforeLast(u32),
    /// The weekdays of every week.
    Weekdays,
    /// Some occurrences of a weekday, from 0 for Monday, in the month.
    Numbered(u16),
}

/// How weekdays are named.
#[derive(Clone, Copy)]
enum WeekdayNames {
    /// "Mondays", "Monday to Friday".
    Plural,
    /// "Mondays", "days from Monday to Friday".
    PluralDays,
    /// "Monday", "Monday to Friday".
    Singular,
}

impl<'a> Date<'a> {
    pub(super) fn of(expression: &'a Expression) -> Self {
        let has_days = !expression.holds_all(Field::Day);
        let has_weekdays =
            !expression.holds_all(Field::Weekday) || expression.relative.numbered != 0;
        Self { expression, has_days, has_weekdays }
    }

    /// Whether the schedule fires every day.
    pub(super) fn is_every_day(&self) -> bool {
        self.is_months() && self.is_free()
    }

    /// Whether the days are described only by weekdays of every week.
    pub(super) fn is_weekdays(&self) -> bool {
        let is_other = self.has_days || self.expression.steps.is_some();
        self.has_weekdays && !is_other && self.expression.relative.numbered == 0
    }

    /// Whether the weekdays of [`is_weekdays`](Self::is_weekdays) include a range.
    pub(super) fn is_range_of_weekdays(&self) -> bool {
        let bits = self.weekdays();
        self.is_weekdays() && has_range(Set::from_bits(&bits, 7))
    }

    /// Whether only the months and years are restricted, if anything.
    pub(super) const fn is_months(&self) -> bool {
        !self.has_days && !self.has_weekdays && self.expression.steps.is_none()
    }

    fn set(&self, field: Field) -> Set<'a> {
        Set::of(self.expression, field)
    }

    /// Whether neither the months nor the years are restricted.
    fn is_free(&self) -> bool {
        self.holds_all_months() && self.set(Field::Year).is_full()
    }

    fn holds_all_months(&self) -> bool {
        self.set(Field::Month).is_full()
    }

    /// Returns the weekdays, with bit 0 for Monday.
    const fn weekdays(&self) -> u64 {
        from_monday(self.expression.fields.weekday)
    }

    /// Writes the description.
    pub(super) fn write(&self, f: &mut Writer<'_>) -> fmt::Result {
        if let Some(steps) = self.expression.steps {
            return self.write_steps(f, steps, false);
        }
        match (self.has_days, self.has_weekdays) {
            (false, false) => {
                f.write_str(f.words.every_day)?;
                self.write_months_behind(f)
            }
            (true, true) if self.expression.join == Join::Either => {
                if !self.is_free() {
                    self.write_months(f)?;
                    f.write_str(" ")?;
                }
                let (on, and) = (f.words.on, f.words.and);
                let days = self.days().chain(self.weekday_items());
                self.write_days(f, days, on, and, WeekdayNames::Plural)?;
                if self.expression.relative.numbered == 0 {
                    return Ok(());
                }
                write!(f, " {} {}", f.words.of, f.words.month)
            }
            (true, true) => self.write_both(f),
            (true, false) => {
                if let (Some(day), Some(month)) = (self.only_day(), self.set(Field::Month).only()) {
                    write!(f, "{} {day} {}", f.words.on, f.words.months[usize::from(month) - 1])?;
                    return self.write_years(f);
                }
                let (on, and) = (f.words.on, f.words.and);
                self.write_days(f, self.days(), on, and, WeekdayNames::Plural)?;
                self.write_of_months(f)
            }
            (false, true) if self.is_weekdays() => {
                write!(f, "{} ", f.words.on)?;
                self.write_weekdays(f)
            }
            (false, true) => {
                let (on, and) = (f.words.on, f.words.and);
                self.write_days(f, self.weekday_items(), on, and, WeekdayNames::Plural)?;
                self.write_of_months(f)
            }
        }
    }

    /// Returns the day of the month if there is only one and it has a fixed number.
    fn only_day(&self) -> Option<u16> {
        let is_number = self.days().all(|days| matches!(days, Days::Numbers));
        self.set(Field::Day).only().filter(|_| is_number)
    }

    /// Returns the days of the month.
    fn days(&self) -> impl Iterator<Item = Days> {
        let has_numbers = self.set(Field::Day).values().next().is_some();
        let has_last = self.expression.fields.day >> 31 & 1 == 1;
        let relative = self.expression.relative;
        has_numbers
            .then_some(Days::Numbers)
            .into_iter()
            .chain(has_last.then_some(Days::Last))
            .chain(bits(relative.before_last).map(Days::BeforeLast))
            .chain((relative.nearest != 0).then_some(Days::Nearest))
            .chain(bits(relative.nearest_before_last).map(Days::NearestBeforeLast))
    }

    /// Returns the weekdays.
    fn weekday_items(&self) -> impl Iterator<Item = Days> {
        let has_plain = self.expression.fields.weekday != 0;
        let numbered = (0..7).filter(|weekday| self.numbers(*weekday) != 0);
        has_plain.then_some(Days::Weekdays).into_iter().chain(numbered.map(Days::Numbered))
    }

    /// Returns the numbers of a weekday, from 0 for Monday, in the month: bit 0 for the first one,
    /// bit 5 for the last one.
    fn numbers(&self, weekday: u16) -> u64 {
        let from_sunday = (weekday + 1) % 7;
        let bit = |number: u16| self.expression.relative.numbered >> (7 * number + from_sunday) & 1;
        (0..6).fold(0, |numbers, number| numbers | bit(number) << number)
    }

    /// Writes days as `on a, on b and on c`, with a preposition that may be empty.
    fn write_days(
        &self,
        f: &mut Writer<'_>,
        days: impl Iterator<Item = Days>,
        preposition: &str,
        conjunction: &'static str,
        names: WeekdayNames,
    ) -> fmt::Result {
        f.list(days, conjunction, |f, days| {
            if !preposition.is_empty() {
                write!(f, "{preposition} ")?;
            }
            let words = f.words;
            match days {
                Days::Numbers => write_numbers(f, self.set(Field::Day), conjunction),
                Days::Last => f.write_str(words.last_day),
                Days::BeforeLast(n) => write_before_last(f, n),
                Days::Nearest => {
                    // Bit 1 for the 1st.
                    let bits = u64::from(self.expression.relative.nearest) << 1;
                    let days = Set::from_bits(&bits, 32);
                    let are_many = days.only().is_none() && conjunction == words.and;
                    let [one, many] = words.working_day_nearest_to;
                    write!(f, "{} ", if are_many { many } else { one })?;
                    write_numbers(f, days, conjunction)
                }
                Days::NearestBeforeLast(0) => f.write_str(words.last_working_day),
                Days::NearestBeforeLast(n) => {
                    write!(f, "{} ", words.working_day_nearest_to[0])?;
                    write_before_last(f, n)
                }
                Days::Weekdays => {
                    let bits = self.weekdays();
                    write_weekdays(f, Set::from_bits(&bits, 7), conjunction, names)
                }
                Days::Numbered(weekday) => {
                    write!(f, "{} ", words.the)?;
                    let numbers = self.numbers(weekday);
                    let numbers = Set::from_bits(&numbers, 6).values();
                    f.list(numbers, conjunction, |f, number| match number {
                        5 => f.write_str(words.last),
                        number => f.ordinal_word(u32::from(number) + 1),
                    })?;
                    write!(f, " {}", words.weekdays[usize::from(weekday)])
                }
            }
        })
    }

    /// Writes days of the month that are also weekdays.
    fn write_both(&self, f: &mut Writer<'_>) -> fmt::Result {
        let words = f.words;
        let bits = self.weekdays();
        let weekdays = Set::from_bits(&bits, 7);
        let is_numbered = self.expression.relative.numbered != 0;
        if let (Some(weekday), Some(day), false) = (weekdays.only(), self.only_day(), is_numbered) {
            write!(f, "{} {} {} ", words.on, words.weekdays[usize::from(weekday)], words.the)?;
            f.ordinal(day)?;
            if !self.holds_all_months() {
                return self.write_of_months(f);
            }
            return self.write_years(f);
        }
        self.write_days(f, self.weekday_items(), words.on, words.and, WeekdayNames::PluralDays)?;
        if is_numbered {
            write!(f, " {} ", words.if_it_falls)?;
            self.write_days(f, self.days(), words.on, words.or, WeekdayNames::Plural)?;
        } else {
            write!(f, " {} ", words.that_fall)?;
            self.write_days(f, self.days(), words.on, words.or, WeekdayNames::Plural)?;
        }
        self.write_of_months(f)
    }

    /// Writes weekdays of every week without a preposition, and the months and years.
    pub(super) fn write_weekdays(&self, f: &mut Writer<'_>) -> fmt::Result {
        let and = f.words.and;
        self.write_days(f, self.weekday_items(), "", and, WeekdayNames::Plural)?;
        self.write_months_behind(f)
    }

    /// Writes the description after a time, where steps of days read "on every 14th day".
    pub(super) fn write_behind(&self, f: &mut Writer<'_>) -> fmt::Result {
        match self.expression.steps {
            Some(steps) => self.write_steps(f, steps, true),
            None => self.write(f),
        }
    }

    /// Writes steps from a date.
    fn write_steps(&self, f: &mut Writer<'_>, steps: DateSteps, is_behind: bool) -> fmt::Result {
        let words = f.words;
        if steps.are_weeks {
            self.write_every_nth_week(f, steps.days / 7)?;
        } else {
            if is_behind {
                write!(f, "{} ", words.on)?;
            }
            write!(f, "{} ", words.every)?;
            match steps.days {
                1 => f.write_str(words.day.one)?,
                days if is_behind => {
                    f.ordinal(days)?;
                    write!(f, " {}", words.day.one)?;
                }
                days => write!(f, "{days} {}", words.day.many)?,
            }
        }
        write!(f, " {} ", words.from)?;
        let [day, month, year] = [Field::Day, Field::Month, Field::Year]
            .map(|field| self.set(field).only().unwrap_or(1));
        write!(f, "{day} {} {year}", words.months[usize::from(month) - 1])?;
        if self.has_weekdays && !steps.are_weeks {
            write!(f, " {} ", words.if_it_falls)?;
            self.write_days(f, self.weekday_items(), words.on, words.or, WeekdayNames::Singular)?;
            if self.expression.relative.numbered != 0 {
                write!(f, " {} {}", words.of, words.month)?;
            }
        }
        Ok(())
    }

    /// Writes the weekdays in every n-th week: "on Monday and Thursday of every second week".
    fn write_every_nth_week(&self, f: &mut Writer<'_>, n: u32) -> fmt::Result {
        let words = f.words;
        if self.has_weekdays {
            write!(f, "{} ", words.on)?;
            self.write_days(f, self.weekday_items(), "", words.and, WeekdayNames::Singular)?;
        } else {
            f.write_str(words.every_day)?;
        }
        if self.expression.relative.numbered == 0 {
            write!(f, " {}", words.of)?;
        } else {
            write!(f, " {} {} {}", words.of, words.month, words.in_)?;
        }
        write!(f, " {} ", words.every)?;
        if n > 1 {
            f.ordinal_word(n)?;
            f.write_str(" ")?;
        }
        f.write_str(words.week)
    }

    /// Writes a space and the months and years, if they are restricted, when all of their days have
    /// events.
    fn write_months_behind(&self, f: &mut Writer<'_>) -> fmt::Result {
        if self.is_free() {
            return Ok(());
        }
        f.write_str(" ")?;
        self.write_months(f)
    }

    /// Writes the restricted months and years: "in January 2026", "in January and July of 2026".
    pub(super) fn write_months(&self, f: &mut Writer<'_>) -> fmt::Result {
        let (months, years) = (self.set(Field::Month), self.set(Field::Year));
        write!(f, "{} ", f.words.in_)?;
        if !months.is_full() {
            write_month_names(f, months)?;
            match (months.only(), years.only()) {
                _ if years.is_full() => return Ok(()),
                (Some(_), Some(_)) => f.write_str(" ")?,
                _ => write!(f, " {} ", f.words.of)?,
            }
        }
        write_year_numbers(f, years)
    }

    /// Writes the months of days, and the years: " of the month", " of January in 2026".
    fn write_of_months(&self, f: &mut Writer<'_>) -> fmt::Result {
        write!(f, " {} ", f.words.of)?;
        let months = self.set(Field::Month);
        if months.is_full() {
            f.write_str(f.words.month)?;
        } else {
            write_month_names(f, months)?;
        }
        self.write_years(f)
    }

    /// Writes the years after a day or month: " 2026" if there is one month, or " in 2026".
    fn write_years(&self, f: &mut Writer<'_>) -> fmt::Result {
        let years = self.set(Field::Year);
        if years.is_full() {
            return Ok(());
        }
        if let (Some(year), Some(_)) = (years.only(), self.set(Field::Month).only()) {
            return write!(f, " {year}");
        }
        write!(f, " {} ", f.words.in_)?;
        write_year_numbers(f, years)
    }
}

/// Converts a bitmap of weekdays that starts with Sunday to one that starts with Monday.
const fn from_monday(weekdays: u64) -> u64 {
    weekdays >> 1 | (weekdays & 1) << 6
}

fn has_range(weekdays: Set<'_>) -> bool {
    weekday_runs(weekdays).any(|run| !run.is_single())
}

fn weekday_runs(weekdays: Set<'_>) -> impl Iterator<Item = Run> {
    weekdays.runs(3, u16::MAX)
}

/// Returns the positions of the set bits of a word.
fn bits(word: u32) -> impl Iterator<Item = u32> {
    (0..u32::BITS).filter(move |place| word >> place & 1 == 1)
}

fn write_month_names(f: &mut Writer<'_>, months: Set<'_>) -> fmt::Result {
    let and = f.words.and;
    f.list(months.runs(3, u16::MAX), and, |f, run| {
        f.write_str(f.words.months[usize::from(run.first) - 1])?;
        if run.is_single() {
            return Ok(());
        }
        write!(f, " {} {}", f.words.to, f.words.months[usize::from(run.last) - 1])
    })
}

fn write_year_numbers(f: &mut Writer<'_>, years: Set<'_>) -> fmt::Result {
    let and = f.words.and;
    f.list(years.runs(3, SHORTEST_STRIDE), and, |f, run| {
        let words = f.words;
        let Run { first, last, step, .. } = run;
        if run.is_single() {
            return write!(f, "{first}");
        }
        if step > 1 {
            write!(f, "{} ", words.every)?;
            f.ordinal(step)?;
            write!(f, " {} {} ", words.year, words.from)?;
        }
        write!(f, "{first} {} {last}", words.to)
    })
}

/// Writes days of the month: "the 1st, 10th to 15th and 20th".
fn write_numbers(f: &mut Writer<'_>, days: Set<'_>, conjunction: &str) -> fmt::Result {
    let mut needs_article = true;
    f.list(days.runs(3, SHORTEST_STRIDE), conjunction, |f, run| {
        let Run { first, last, step, .. } = run;
        let words = f.words;
        if step > 1 {
            write!(f, "{} ", words.every)?;
            f.ordinal(step)?;
            write!(f, " {} {} {} ", words.day.one, words.from, words.the)?;
            f.ordinal(first)?;
            write!(f, " {} {} ", words.to, words.the)?;
            needs_article = true;
            return f.ordinal(last);
        }
        if core::mem::replace(&mut needs_article, false) {
            write!(f, "{} ", words.the)?;
        }
        f.ordinal(first)?;
        if run.is_single() {
            return Ok(());
        }
        write!(f, " {} ", words.to)?;
        f.ordinal(last)
    })
}

fn write_before_last(f: &mut Writer<'_>, n: u32) -> fmt::Result {
    if n == 1 {
        return f.write_str(f.words.day_before_last);
    }
    write!(f, "{} ", f.words.the)?;
    f.ordinal(n)?;
    write!(f, " {}", f.words.nth_day_before_last)
}

fn write_weekdays(
    f: &mut Writer<'_>,
    weekdays: Set<'_>,
    conjunction: &str,
    names: WeekdayNames,
) -> fmt::Result {
    let has_range = has_range(weekdays);
    let is_plural = match names {
        WeekdayNames::Plural => !has_range,
        WeekdayNames::PluralDays => true,
        WeekdayNames::Singular => false,
    };
    f.list(weekday_runs(weekdays), conjunction, |f, run| {
        let words = f.words;
        let Run { first, last, .. } = run;
        if !run.is_single() {
            if is_plural {
                write!(f, "{} ", words.days)?;
            }
            let [first, last] = [first, last].map(|weekday| words.weekdays[usize::from(weekday)]);
            return write!(f, "{first} {} {last}", words.to);
        }
        let names = if is_plural { &words.weekdays_plural } else { &words.weekdays };
        f.write_str(names[usize::from(first)])
    })
}
