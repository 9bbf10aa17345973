//! Days in phrases: `on weekdays`, `the first Monday of the month`, `25 December`.

use super::business::{self, business_days};
use super::draft::{Clause, Draft, Note, Period};
use super::parts::{days_before_last, ordinal_range, read_month_day, set, start};
use crate::expression::{BusinessDays, Expression, LAST_DAY, LONGEST_STEP, Moves, RelativeDays};
use crate::{DateSteps, Field, Join, StepUnit};

/// The clauses about days, in the order in which they are tried.
pub(super) const CLAUSES: [Clause; 9] =
    [start, falls, date, business::steps, days, steps, period, years, months];

/// The items of a list of days, in the order in which they are tried, after those of business days.
const ITEMS: [Clause; 5] = [nearest, every_nth_day, weekdays, before_last, ordinals];

const WEEKDAY: u32 = 7;
/// The bit of the last one in a set of ordinal numbers.
const LAST: u64 = 1;
const FIRST: u64 = 2;

/// Reads `every day`, `every 3 days`, `every other Monday`, `of every second week`.
fn steps(it: &mut Draft<'_>) -> Option<()> {
    it.words.any("on of in");
    it.words.any("every each").then_some(())?;
    let other = it.words.any("other").then_some(2);
    if other.is_some() && it.words.clone().name(Field::Weekday).is_some() {
        return set(&mut it.steps, (2, Period::Week));
    }
    let n = other.or_else(|| it.words.ordinal()).or_else(|| it.words.number()).unwrap_or(1);
    match it.words.position("day days week weeks")? {
        0 | 1 if n == 1 => {
            it.is_rate = true;
            set(&mut it.period, Period::Day)
        }
        0 | 1 => set(&mut it.steps, (n, Period::Day)),
        _ => set(&mut it.steps, (n, Period::Week)),
    }
}

/// Reads `daily`, `every month`, `every 2 months`, `of the month`, `of the year`.
fn period(it: &mut Draft<'_>) -> Option<()> {
    const PERIODS: [(Period, &str, &str); 4] = [
        (Period::Week, "weekly", "week weeks"),
        (Period::Months(1), "monthly", "month months"),
        (Period::Months(3), "quarterly", "quarter quarters"),
        (Period::Months(12), "yearly annually", "year years"),
    ];
    let mut is_of = false;
    let new = if it.words.any("daily") {
        Period::Day
    } else if let Some((period, ..)) = PERIODS.iter().find(|(_, words, _)| it.words.any(words)) {
        *period
    } else {
        is_of = it.words.any("of in");
        let is_each = it.words.any("every each");
        let is_per = !is_each && it.words.any("once") && it.words.any("a per every");
        let has_article = is_of && !is_each && it.words.any("the a");
        (is_each || is_per || has_article).then_some(())?;
        (!is_first(it) || !is_of).then_some(())?;
        let n = u16::try_from(it.words.number().unwrap_or(1)).ok()?;
        let (period, ..) = PERIODS.iter().find(|(.., words)| it.words.any(words))?;
        if n > 1 {
            it.note(Note::January);
        }
        // `Monday of each month`: which one?
        let is_unclear = is_of && !it.is_every && it.weekday_count().is_some_and(|count| count < 5);
        match period {
            Period::Months(_) if is_unclear => return None,
            Period::Months(months) => Period::Months(months.checked_mul(n)?),
            period => (n == 1).then_some(*period)?,
        }
    };
    let is_valid = !matches!(new, Period::Months(n) if n == 0 || 12 % n != 0);
    it.is_rate |= !is_of;
    is_valid.then(|| set(&mut it.period, new))?
}

/// Reads `that fall on the 1st or 15th` after weekdays, or `if it falls on a Friday` after days.
fn falls(it: &mut Draft<'_>) -> Option<()> {
    let falls = ["that fall", "that falls", "if it falls", "if they fall"];
    falls.iter().any(|words| it.words.all(words)).then_some(())?;
    let before = *it;
    it.is_both = true;
    it.words.any("on").then_some(())?;
    it.words.any("a");
    list(it)?;
    // After weekdays, these are days of the month, and after days of the month, weekdays.
    let weekdays = |it: &Draft<'_>| {
        let business = BusinessDays { moves: Moves::default(), ..it.expression.business };
        (it.expression.fields.weekday, it.expression.relative.numbered, business)
    };
    let days = |it: &Draft<'_>| {
        let relative = RelativeDays { numbered: 0, ..it.expression.relative };
        (it.expression.fields.day, relative, it.expression.business.moves)
    };
    let is_clear = match (before.is_open(Field::Day), before.is_open(Field::Weekday)) {
        (false, false) => it.is_open(Field::Day) != it.is_open(Field::Weekday),
        (false, true) => it.is_open(Field::Day) && weekdays(it) == weekdays(&before),
        (true, false) => it.is_open(Field::Weekday) && days(it) == days(&before),
        (true, true) => false,
    };
    is_clear.then_some(())
}

/// Whether the phrase has named no days yet.
fn is_first(it: &Draft<'_>) -> bool {
    !it.is_open(Field::Day) && !it.is_open(Field::Weekday)
}

/// Reads days, of which there is one list.
fn days(it: &mut Draft<'_>) -> Option<()> {
    is_first(it).then(|| list(it))?
}

/// Reads a date, which is not part of a list: its month would restrict the other days too.
fn date(it: &mut Draft<'_>) -> Option<()> {
    is_first(it).then_some(())?;
    it.words.any("on");
    let is_repeated = it.words.any("every each");
    it.words.any("the");
    // `Every second January` is every other one.
    let mut ahead = it.words;
    let is_count = is_repeated
        && ahead.form() == 2
        && ahead.ordinal().is_some()
        && ahead.name(Field::Month).is_some();
    (!is_count).then(|| it.first_of(&[month_day, weekday_day]))?
}

fn list(it: &mut Draft<'_>) -> Option<()> {
    it.list(&mut |it| {
        it.words.any("on");
        // Steps from a date are those of all days.
        (it.steps.is_none() || !it.words.clone().any("every each")).then_some(())?;
        it.first_of(&business::ITEMS).or_else(|| it.first_of(&ITEMS))
    })
}

/// Reads `Friday the 13th`, or `Friday, the 13th`.
fn weekday_day(it: &mut Draft<'_>) -> Option<()> {
    let weekday = it.words.name(Field::Weekday)?.into();
    it.words.any(",");
    it.words.any("the").then_some(())?;
    let day = it.words.ordinal()?;
    it.is_both = true;
    it.insert(Field::Weekday, [weekday, weekday], 1)?;
    it.insert(Field::Day, [day, day], 1)
}

/// Reads `Monday`, `weekdays`, `days from Monday to Friday`.
fn weekdays(it: &mut Draft<'_>) -> Option<()> {
    // `The first Monday and Thursday`: is it the first Thursday too?
    (it.expression.relative.numbered == 0).then_some(())?;
    it.is_every |= it.words.any("every each");
    it.words.any("the");
    if monday_to_friday(it) {
        return it.insert(Field::Weekday, [1, 5], 1);
    }
    if business_days(it).is_some() {
        if it.calendar.is_none() {
            return it.insert(Field::Weekday, [1, 5], 1);
        }
        it.open(Field::Weekday);
        it.expression.business.is_every = true;
        return Some(());
    }
    if it.words.any("weekend weekends") {
        it.insert(Field::Weekday, [0, 0], 1)?;
        return it.insert(Field::Weekday, [6, 6], 1);
    }
    it.words.all("days from");
    let first = it.words.name(Field::Weekday)?;
    let last = it.words.attempt(|words| words.to().then(|| words.name(Field::Weekday))?);
    let mut day = first;
    it.insert(Field::Weekday, [day.into(), day.into()], 1)?;
    while day != last.unwrap_or(first) {
        day = (day + 1) % 7;
        it.insert(Field::Weekday, [day.into(), day.into()], 1)?;
    }
    // `Monday or Friday` is each day that is either. `Once a week on Monday or Friday` does not say
    // which of them.
    let _ = it.attempt(|it| {
        it.words.any(",");
        (it.words.any("or") && it.steps.is_none() && !it.is_both).then_some(())?;
        it.words.any("on");
        set(&mut it.period, Period::Day)?;
        weekdays(it)
    });
    Some(())
}

/// Reads words for the days from Monday to Friday.
fn monday_to_friday(it: &mut Draft<'_>) -> bool {
    let is_named = it.words.attempt(|words| {
        let first = words.name(Field::Weekday)?;
        let last = words.to().then(|| words.name(Field::Weekday))??;
        ((first, last) == (1, 5) && words.any("day days")).then_some(())
    });
    is_named.is_some() || it.words.any("weekday weekdays")
}

/// Reads words for the days from Monday to Friday, which business days are without a calendar.
fn any_weekday(it: &mut Draft<'_>) -> bool {
    monday_to_friday(it) || it.calendar.is_none() && business_days(it).is_some()
}

/// Reads `the first Monday`, `the 1st and 15th`, `the last day`, `the 10th to 15th`.
fn ordinals(it: &mut Draft<'_>) -> Option<()> {
    let is_repeated = it.words.any("every each");
    let is_unit = it.words.clone().unit().is_some();
    let (numbers, articles, forms) = ordinal_set(it)?;
    if any_weekday(it) {
        it.forms[1] |= forms;
        it.open(Field::Day);
        it.expression.relative.nearest_before_last |= u32::from(numbers == LAST);
        it.expression.relative.nearest |= u32::from(numbers == FIRST);
        return (numbers == LAST || numbers == FIRST).then_some(());
    }
    if let Some(weekday) = it.words.name(Field::Weekday) {
        it.forms[1] |= forms;
        let weekday = u32::from(weekday);
        // `The 1st and the second Monday`: is it the first Monday?
        (articles < 2).then_some(())?;
        // `Every second Monday`: of the month, or every second week?
        let is_one = numbers.is_power_of_two() && numbers > FIRST;
        let is_either = is_repeated && is_one && !it.words.clone().any("of");
        if is_either && it.choose(&["of the month", "counted from a date"]) == 1 {
            it.insert(Field::Weekday, [weekday, weekday], 1)?;
            return set(&mut it.steps, (numbers.trailing_zeros(), Period::Week));
        }
        it.open(Field::Weekday);
        for number in (1..=5).filter(|number| numbers >> number & 1 == 1) {
            it.expression.relative.numbered |= 1 << (WEEKDAY * (number - 1) + weekday);
        }
        if numbers & LAST != 0 {
            it.expression.relative.numbered |= 1 << (WEEKDAY * 5 + weekday);
        }
        return (numbers >> 6 == 0).then_some(());
    }
    let is_day = it.words.any("day days");
    it.forms[0] |= if is_day { 0 } else { forms };
    // `Every 15th day` counts from a date, `every second` alone is no day, and neither is `the last`.
    let is_valid = !(is_repeated && (is_day || is_unit)) && (is_day || numbers & LAST == 0);
    it.open(Field::Day);
    it.expression.fields.day |= numbers >> 1 | if numbers & LAST == 0 { 0 } else { LAST_DAY };
    is_valid.then_some(())
}

/// Reads ordinal numbers up to 31 and ranges of them, as bits. Also returns the number of items
/// with `the`, and the forms of the items.
fn ordinal_set(it: &mut Draft<'_>) -> Option<(u64, u32, u8)> {
    let (mut set, mut articles, mut forms) = (0, 0, 0);
    it.list(&mut |it| {
        articles += u32::from(it.words.any("the"));
        let form = it.words.form();
        if it.words.any("last") {
            set |= LAST;
        } else {
            let [from, to] = ordinal_range(it)?;
            (1 <= from && from <= to && to <= 31).then_some(())?;
            set |= (2 << to) - (1 << from);
        }
        forms |= form;
        Some(())
    })?;
    Some((set, articles, forms))
}

/// Reads `the day before the last day`, `the 3rd day before the last day`.
fn before_last(it: &mut Draft<'_>) -> Option<()> {
    let n = days_before_last(it)?;
    it.open(Field::Day);
    it.expression.relative.before_last |= 1_u32.checked_shl(n).filter(|_| (1..=30).contains(&n))?;
    Some(())
}

/// Reads `the Monday-to-Friday day nearest to the 15th`.
fn nearest(it: &mut Draft<'_>) -> Option<()> {
    it.words.any("the");
    (any_weekday(it) && it.words.any("nearest closest")).then_some(())?;
    it.words.any("to");
    it.open(Field::Day);
    if let Some(n) = it.attempt(days_before_last) {
        let bit = 1_u32.checked_shl(n).filter(|_| (1..=30).contains(&n))?;
        it.expression.relative.nearest_before_last |= bit;
        return Some(());
    }
    if it.words.all("the last day") {
        it.expression.relative.nearest_before_last |= 1;
        return Some(());
    }
    let (numbers, ..) = ordinal_set(it).filter(|(numbers, ..)| numbers & LAST == 0)?;
    it.expression.relative.nearest |= u32::try_from(numbers >> 1).ok()?;
    Some(())
}

/// Reads `every 2nd day from the 1st to the 31st`.
fn every_nth_day(it: &mut Draft<'_>) -> Option<()> {
    it.words.any("every each").then_some(())?;
    let n = it.words.ordinal()?;
    it.words.all("day from").then_some(())?;
    let days = ordinal_range(it)?;
    it.insert(Field::Day, days, n)
}

/// Reads `25 December`, `December 25th` or `1st of January`, and the year.
fn month_day(it: &mut Draft<'_>) -> Option<()> {
    let (month, day) = read_month_day(it)?;
    let mut ahead = it.words;
    let is_list = (ahead.separator() || ahead.to()) && ahead.name(Field::Month).is_some();
    (!is_list && !it.is_open(Field::Month)).then_some(())?;
    it.insert(Field::Month, [month.into(), month.into()], 1)?;
    it.insert(Field::Day, [day.into(), day.into()], 1)?;
    year_after(it)
}

/// Reads a year after a month, if there is one.
fn year_after(it: &mut Draft<'_>) -> Option<()> {
    let year = it.words.attempt(|words| {
        words.any(",");
        words.year()
    });
    let Some(year) = year else { return Some(()) };
    let is_new = !it.is_open(Field::Year);
    is_new.then(|| it.insert(Field::Year, [year.into(); 2], 1))?
}

/// Reads `in January and July`, `of June to August`.
fn months(it: &mut Draft<'_>) -> Option<()> {
    (it.words.any("in of during") && !it.is_open(Field::Month)).then_some(())?;
    it.list(&mut |it| {
        let from = it.words.name(Field::Month)?.into();
        let to = it.words.attempt(|words| words.to().then(|| words.name(Field::Month))?);
        it.insert(Field::Month, [from, to.map_or(from, u32::from)], 1)
    })?;
    year_after(it)
}

/// Reads `in 2026 to 2028`, `of 2026`, `in every 4th year from 2000 to 2100`.
fn years(it: &mut Draft<'_>) -> Option<()> {
    (it.words.any("in of") && !it.is_open(Field::Year)).then_some(())?;
    it.list(&mut |it| {
        let n = it.words.attempt(|words| {
            let n = words.any("every").then(|| words.ordinal())??;
            words.all("year from").then_some(n)
        });
        let from = it.words.year()?.into();
        let to = it.words.attempt(|words| words.to().then(|| words.year())?);
        it.insert(Field::Year, [from, to.map_or(from, u32::from)], n.unwrap_or(1))
    })
}

impl Draft<'_> {
    /// Fills the fields of the date from what has been read. `None` if that is contradictory.
    pub(super) fn finish_date(&mut self) -> Option<()> {
        let has_weekdays = self.is_open(Field::Weekday);
        let has_days = self.is_open(Field::Day) || has_weekdays;
        match (self.steps, self.start) {
            (Some((1, Period::Week)), None) => set(&mut self.period, Period::Week)?,
            (Some(_), None) => self.note(Note::StartDate),
            (Some((n, unit)), Some(start)) => return self.fill_steps(n, unit, start),
            (None, Some(start)) => {
                (self.period == Some(Period::Day)).then_some(())?;
                return self.fill_steps(1, Period::Day, start);
            }
            (None, None) => {}
        }
        match self.period {
            Some(Period::Week) if !has_days => {
                let day = self.choose(&["on Mondays", "on Sundays"]);
                let monday = u32::from(day == 0);
                self.insert(Field::Weekday, [monday, monday], 1)?;
            }
            Some(Period::Week) if self.is_open(Field::Day) => return None,
            // `Every day at 9, on Mondays`: on the others too? `Daily, Monday to Friday` is clear.
            Some(Period::Day) if self.is_rate && has_days => {
                (self.weekday_count() > Some(1)).then_some(())?;
            }
            Some(Period::Months(n)) => {
                // `Once a month on Friday`: on which of them?
                let is_every = self.expression.business.is_every;
                let is_plain = (self.expression.fields.weekday != 0 || is_every) && !self.is_both;
                (!(self.is_rate && has_weekdays && is_plain)).then_some(())?;
                if !has_days {
                    self.note(Note::FirstDay);
                    self.insert(Field::Day, [1, 1], 1)?;
                }
                self.fill_months(n.into())?;
            }
            _ => {}
        }
        if !self.is_both {
            if self.is_open(Field::Day) && has_weekdays {
                self.expression.join = Join::Either;
            }
            // `On the second and on the fourth Saturday`: is the second a day?
            let [days, weekdays] = self.forms;
            (days & weekdays == 0).then_some(())?;
        }
        // Moved days go with no weekday.
        (self.expression.business.moves.is_empty() || !has_weekdays).then_some(())
    }

    /// Returns the number of weekdays in every week, or `None` if there are other days. Business days
    /// count as five.
    fn weekday_count(&self) -> Option<u32> {
        let Expression { fields, relative, business, .. } = &self.expression;
        let has_others =
            self.is_open(Field::Day) || relative.numbered != 0 || business.has_numbers();
        let count = if business.is_every { 5 } else { fields.weekday.count_ones() };
        (!has_others).then_some(count)
    }

    /// Whether the phrase names days.
    pub(super) fn has_date(&self) -> bool {
        let has_days = self.is_open(Field::Day) || self.is_open(Field::Weekday);
        has_days || self.period.is_some() || self.steps.is_some() || self.start.is_some()
    }

    fn fill_steps(&mut self, n: u32, unit: Period, start: [u16; 3]) -> Option<()> {
        let has_weekdays = self.is_open(Field::Weekday);
        for (field, value) in [Field::Year, Field::Month, Field::Day].into_iter().zip(start) {
            (!self.is_open(field)).then_some(())?;
            self.insert(field, [value.into(), value.into()], 1)?;
        }
        let (days, unit) = match unit {
            Period::Week => {
                let are_weeks = has_weekdays || self.period == Some(Period::Day);
                (n.checked_mul(WEEKDAY)?, if are_weeks { StepUnit::Week } else { StepUnit::Day })
            }
            Period::BusinessDay => ((!has_weekdays).then_some(n)?, StepUnit::BusinessDay),
            _ => ((!has_weekdays || self.is_both).then_some(n)?, StepUnit::Day),
        };
        let is_step = (1..=LONGEST_STEP).contains(&days);
        self.expression.steps = is_step.then_some(DateSteps { days, unit });
        is_step.then_some(())
    }

    /// Restricts the months to every n-th: the first ones of the periods, or the last ones if the
    /// days are at the end of the period.
    fn fill_months(&mut self, n: u32) -> Option<()> {
        const FIFTH_WEEKDAYS: u64 = 0x7f << 28;
        const LAST_WEEKDAYS: u64 = 0x7f << 35;
        let days = if self.is_open(Field::Day) { self.expression.fields.day } else { 0 };
        let has_numbers = days & !LAST_DAY != 0;
        let (relative, business) = (self.expression.relative, self.expression.business);
        let is_first = has_numbers
            || (relative.nearest | business.numbered) != 0
            || relative.numbered & !LAST_WEEKDAYS != 0;
        let from_end = relative.before_last | relative.nearest_before_last | business.before_last;
        let is_last =
            days & LAST_DAY != 0 || from_end != 0 || relative.numbered & LAST_WEEKDAYS != 0;
        if n == 1 || self.is_open(Field::Month) {
            // `Every 12 months on 25 December` names the month.
            self.take_back(Note::January);
            return (n == 1 || n == 12).then_some(());
        }
        // Not all of the months have five Mondays, 31 days or 21 business days.
        let has_few = self.calendar.is_some() && business.has_numbers()
            || (business.numbered | business.before_last) >> 20 != 0;
        let is_rare = has_few
            || !business.moves.is_empty()
            || (days | u64::from(relative.nearest)) >> 30 & 1 == 1
            || relative.numbered & FIFTH_WEEKDAYS != 0
            || (relative.before_last | relative.nearest_before_last) >> 28 != 0;
        // `Yearly on the 15th` does not say in which month.
        let is_clear = is_first != is_last && (n < 12 || !has_numbers || days == 1);
        (is_clear && !is_rare).then_some(())?;
        let labels = &["in the last month of each period", "in the first month"];
        let is_last = is_last && !(self.has(Note::January) && self.choose(labels) == 1);
        if is_last {
            self.take_back(Note::January);
        }
        self.insert(Field::Month, [if is_last { n } else { 1 }, 12], n)
    }
}
