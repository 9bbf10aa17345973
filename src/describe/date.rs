//! Describes the date part of a schedule.

use core::fmt::{self, Write};

use millicron_runtime::{DateSteps, Expression, Join, Move, StepUnit};

use super::business;
use super::numbers::{write_before_last, write_numbers};
use super::set::{Run, SHORTEST_STRIDE, Set};
use super::words::{Ordinal, OrdinalWord, month, weekday};
use super::writer::Writer;
use crate::{Field, FieldValues};
use millicron_runtime::list;

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
    BeforeLast(u16),
    /// The days from Monday to Friday nearest to days with fixed numbers.
    Nearest,
    /// The day from Monday to Friday nearest to the n-th day before the last one, or to the last
    /// one itself.
    NearestBeforeLast(u16),
    /// The weekdays of every week.
    Weekdays,
    /// Some occurrences of a weekday, from 0 for Monday, in the month.
    Numbered(u16),
    /// Days that are moved to business days in the same way.
    Moved(Move),
    /// Every business day.
    Business,
    /// Some business days of the month.
    NumberedBusiness,
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
        // Days that are moved may be in another month.
        let has_days = !expression.holds_all(Field::Day) || !expression.business.moves.is_empty();
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
        self.has_weekdays && !is_other && !self.has_numbered()
    }

    /// Whether the weekdays of [`is_weekdays`](Self::is_weekdays) include a range.
    pub(super) fn is_range_of_weekdays(&self) -> bool {
        self.is_weekdays() && !self.expression.business.is_every && has_range(&self.weekdays())
    }

    /// Whether only the months and years are restricted, if anything.
    pub(super) const fn is_months(&self) -> bool {
        !self.has_days && !self.has_weekdays && self.expression.steps.is_none()
    }

    /// Whether some weekdays or business days are given by their number in the month.
    const fn has_numbered(&self) -> bool {
        self.expression.relative.numbered != 0 || self.expression.business.has_numbers()
    }

    fn set(&self, field: Field) -> Set {
        Set::of(self.expression, field)
    }

    /// Whether neither the months nor the years are restricted.
    fn is_free(&self) -> bool {
        self.set(Field::Month).is_full() && self.set(Field::Year).is_full()
    }

    /// Returns the weekdays, from 0 for Monday.
    fn weekdays(&self) -> Set {
        let from_sunday = self.expression.fields.weekday;
        Set::from_bits(from_sunday >> 1 | (from_sunday & 1) << 6, 7)
    }

    /// Writes the description. Behind a time, steps of days read "on every 14th day".
    pub(super) fn write(&self, f: &mut Writer<'_>, is_behind: bool) -> fmt::Result {
        if let Some(steps) = self.expression.steps {
            return self.write_steps(f, steps, is_behind);
        }
        match (self.has_days, self.has_weekdays) {
            (false, false) => {
                f.write_str("every day")?;
                self.write_months_behind(f)
            }
            (true, true) if self.expression.join == Join::Either => {
                if !self.is_free() {
                    self.write_months(f)?;
                    f.write_str(" ")?;
                }
                let days = self.days().chain(self.weekday_items());
                self.write_days(f, days, "on ", "and", WeekdayNames::Plural)?;
                if !self.has_numbered() {
                    return Ok(());
                }
                f.write_str(" of the month")
            }
            (true, true) => self.write_both(f),
            (true, false) => {
                if let (Some(day), Some(only)) = (self.only_day(), self.set(Field::Month).only()) {
                    write!(f, "on {day} {}", month(only))?;
                    return self.write_years(f);
                }
                self.write_days(f, self.days(), "on ", "and", WeekdayNames::Plural)?;
                self.write_of_months(f)
            }
            (false, true) if self.is_weekdays() => {
                f.write_str("on ")?;
                self.write_weekdays(f)
            }
            (false, true) => {
                self.write_days(f, self.weekday_items(), "on ", "and", WeekdayNames::Plural)?;
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
        let relative = self.expression.relative;
        let has_numbers = self.set(Field::Day).len() > 0;
        let has_last = self.expression.fields.day >> 31 & 1 == 1;
        let plain = [has_numbers.then_some(Days::Numbers), has_last.then_some(Days::Last)];
        let nearest = (relative.nearest != 0).then_some(Days::Nearest);
        let places = |bits: u32| FieldValues::from_bits(bits.into());
        plain
            .into_iter()
            .flatten()
            .chain(places(relative.before_last).map(Days::BeforeLast))
            .chain(nearest)
            .chain(places(relative.nearest_before_last).map(Days::NearestBeforeLast))
            .chain(self.expression.business.moves.as_slice().iter().copied().map(Days::Moved))
    }

    /// Returns the weekdays.
    fn weekday_items(&self) -> impl Iterator<Item = Days> {
        let has_plain = self.expression.fields.weekday != 0;
        let numbered = (0..7).filter(|weekday| self.numbers(*weekday).len() > 0);
        let business = &self.expression.business;
        let each = business.is_every.then_some(Days::Business);
        let of_month = business.has_numbers().then_some(Days::NumberedBusiness);
        has_plain
            .then_some(Days::Weekdays)
            .into_iter()
            .chain(each)
            .chain(numbered.map(Days::Numbered))
            .chain(of_month)
    }

    /// Returns the numbers of a weekday, from 0 for Monday, in the month: 0 for the first one, 5
    /// for the last one.
    fn numbers(&self, weekday: u16) -> Set {
        let from_sunday = (weekday + 1) % 7;
        let bit = |number: u16| self.expression.relative.numbered >> (7 * number + from_sunday) & 1;
        Set::from_bits((0..6).fold(0, |numbers, number| numbers | bit(number) << number), 6)
    }

    /// Writes days as `on a, on b and on c`, with a preposition that may be empty.
    fn write_days(
        &self,
        f: &mut Writer<'_>,
        days: impl Iterator<Item = Days>,
        preposition: &str,
        conjunction: &str,
        names: WeekdayNames,
    ) -> fmt::Result {
        list(f, days, conjunction, |f, days| {
            f.write_str(preposition)?;
            self.write_item(f, days, conjunction, names)
        })
    }

    fn write_item(
        &self,
        f: &mut Writer<'_>,
        days: Days,
        conjunction: &str,
        names: WeekdayNames,
    ) -> fmt::Result {
        match days {
            Days::Numbers => write_numbers(f, &self.set(Field::Day), conjunction),
            Days::Last => f.write_str("the last day"),
            Days::BeforeLast(n) => write_before_last(f, n),
            Days::Nearest => {
                // Bit 1 for the 1st.
                let days = Set::from_bits(u64::from(self.expression.relative.nearest) << 1, 32);
                let are_many = days.only().is_none() && conjunction == "and";
                let plural = if are_many { "s" } else { "" };
                write!(f, "the Monday-to-Friday day{plural} nearest to ")?;
                write_numbers(f, &days, conjunction)
            }
            Days::NearestBeforeLast(0) => f.write_str("the last Monday-to-Friday day"),
            Days::NearestBeforeLast(n) => {
                f.write_str("the Monday-to-Friday day nearest to ")?;
                write_before_last(f, n)
            }
            Days::Moved(moved) => business::write_moved(f, &moved),
            Days::Business => f.write_str(match names {
                WeekdayNames::Singular => "business day",
                _ => "business days",
            }),
            Days::NumberedBusiness => business::write_numbered(f, &self.expression.business),
            Days::Weekdays => write_weekdays(f, &self.weekdays(), conjunction, names),
            Days::Numbered(number) => {
                f.write_str("the ")?;
                let numbers = self.numbers(number).values();
                list(f, numbers, conjunction, |f, number| match number {
                    5 => f.write_str("last"),
                    number => write!(f, "{}", OrdinalWord(u32::from(number) + 1)),
                })?;
                write!(f, " {}", weekday(number))
            }
        }
    }

    /// Writes days of the month that are also weekdays.
    fn write_both(&self, f: &mut Writer<'_>) -> fmt::Result {
        let is_numbered = self.has_numbered();
        let is_plain = !is_numbered && !self.expression.business.is_every;
        if let (Some(name), Some(day), false) =
            (self.weekdays().only().map(weekday), self.only_day(), !is_plain)
        {
            write!(f, "on {name} the {}", Ordinal(day.into()))?;
            if self.set(Field::Month).is_full() {
                return self.write_years(f);
            }
            return self.write_of_months(f);
        }
        let has_plain = self.expression.fields.weekday != 0 || self.expression.business.is_every;
        if is_numbered && has_plain {
            // "On the 13th if it falls on Monday or on the second Friday of the month"
            self.write_days(f, self.days(), "on ", "and", WeekdayNames::Plural)?;
            f.write_str(" if it falls ")?;
            self.write_days(f, self.weekday_items(), "on ", "or", WeekdayNames::Singular)?;
            return self.write_of_months(f);
        }
        self.write_days(f, self.weekday_items(), "on ", "and", WeekdayNames::PluralDays)?;
        f.write_str(if is_numbered { " if it falls " } else { " that fall " })?;
        self.write_days(f, self.days(), "on ", "or", WeekdayNames::Plural)?;
        self.write_of_months(f)
    }

    /// Writes weekdays of every week without a preposition, and the months and years.
    pub(super) fn write_weekdays(&self, f: &mut Writer<'_>) -> fmt::Result {
        self.write_days(f, self.weekday_items(), "", "and", WeekdayNames::Plural)?;
        self.write_months_behind(f)
    }

    /// Writes steps from a date.
    fn write_steps(&self, f: &mut Writer<'_>, steps: DateSteps, is_behind: bool) -> fmt::Result {
        let on = if is_behind { "on " } else { "" };
        match steps {
            DateSteps { days, unit: StepUnit::Week } => self.write_every_nth_week(f, days / 7)?,
            DateSteps { days, unit: StepUnit::BusinessDay } => {
                business::write_steps(f, days, is_behind)?;
            }
            DateSteps { days: 1, .. } => write!(f, "{on}every day")?,
            DateSteps { days, .. } if is_behind => write!(f, "on every {} day", Ordinal(days))?,
            DateSteps { days, .. } => write!(f, "every {days} days")?,
        }
        let [day, only, year] = [Field::Day, Field::Month, Field::Year]
            .map(|field| self.set(field).only().unwrap_or(1));
        write!(f, " from {day} {} {year}", month(only))?;
        if self.has_weekdays && steps.unit != StepUnit::Week {
            f.write_str(" if it falls ")?;
            self.write_days(f, self.weekday_items(), "on ", "or", WeekdayNames::Singular)?;
            if self.has_numbered() {
                f.write_str(" of the month")?;
            }
        }
        Ok(())
    }

    /// Writes the weekdays in every n-th week: "on Monday and Thursday of every second week".
    fn write_every_nth_week(&self, f: &mut Writer<'_>, n: u32) -> fmt::Result {
        if self.has_weekdays {
            f.write_str("on ")?;
            self.write_days(f, self.weekday_items(), "", "and", WeekdayNames::Singular)?;
        } else {
            f.write_str("every day")?;
        }
        let is_numbered = self.has_numbered();
        f.write_str(if is_numbered { " of the month in every " } else { " of every " })?;
        match n {
            1 => f.write_str("week"),
            n => write!(f, "{} week", OrdinalWord(n)),
        }
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
        f.write_str("in ")?;
        if !months.is_full() {
            write_month_names(f, &months)?;
            match (months.only(), years.only()) {
                _ if years.is_full() => return Ok(()),
                (Some(_), Some(_)) => f.write_str(" ")?,
                _ => f.write_str(" of ")?,
            }
        }
        write_year_numbers(f, &years)
    }

    /// Writes the months of days, and the years: " of the month", " of January in 2026".
    fn write_of_months(&self, f: &mut Writer<'_>) -> fmt::Result {
        f.write_str(" of ")?;
        let months = self.set(Field::Month);
        if months.is_full() {
            f.write_str("the month")?;
        } else {
            write_month_names(f, &months)?;
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
        f.write_str(" in ")?;
        write_year_numbers(f, &years)
    }
}

fn has_range(weekdays: &Set) -> bool {
    weekdays.runs(3, u32::MAX).any(|run| !run.is_single())
}

fn write_month_names(f: &mut Writer<'_>, months: &Set) -> fmt::Result {
    list(f, months.runs(3, u32::MAX), "and", |f, run| match [run.first, run.last].map(month) {
        [only, _] if run.is_single() => f.write_str(only),
        [first, last] => write!(f, "{first} to {last}"),
    })
}

fn write_year_numbers(f: &mut Writer<'_>, years: &Set) -> fmt::Result {
    list(f, years.runs(3, SHORTEST_STRIDE), "and", |f, run| match run {
        Run { first, len: 1, .. } => write!(f, "{first}"),
        Run { first, last, step: 1, .. } => write!(f, "{first} to {last}"),
        Run { first, last, step, .. } => {
            write!(f, "every {} year from {first} to {last}", Ordinal(step.into()))
        }
    })
}

fn write_weekdays(
    f: &mut Writer<'_>,
    weekdays: &Set,
    conjunction: &str,
    names: WeekdayNames,
) -> fmt::Result {
    let is_plural = match names {
        WeekdayNames::Plural => !has_range(weekdays),
        WeekdayNames::PluralDays => true,
        WeekdayNames::Singular => false,
    };
    list(f, weekdays.runs(3, u32::MAX), conjunction, |f, run| {
        let [first, last] = [run.first, run.last].map(weekday);
        match (run.is_single(), is_plural) {
            (true, true) => write!(f, "{first}s"),
            (true, false) => f.write_str(first),
            (false, true) => write!(f, "days from {first} to {last}"),
            (false, false) => write!(f, "{first} to {last}"),
        }
    })
}
