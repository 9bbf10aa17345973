//! The parts of a recurrence rule: see RFC 5545, section 3.3.10.
//!
//! `calcard` would parse them too, but ignores parts that it does not know, and numbers that are out of range.

use std::collections::BTreeMap;

use jiff::civil::{Date, Weekday};

const INVALID: &str = "an invalid rule";

/// The parts of a rule for an event of whole days.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RuleParts {
    pub(super) frequency: Frequency,
    pub(super) interval: i64,
    pub(super) until: Option<Date>,
    pub(super) count: Option<u32>,
    /// Weekdays, with which one of the month or the year it is, or 0 for each.
    pub(super) weekdays: Vec<(i64, Weekday)>,
    pub(super) months: Vec<i64>,
    pub(super) month_days: Vec<i64>,
    pub(super) year_days: Vec<i64>,
    pub(super) weeks: Vec<i64>,
    pub(super) positions: Vec<i64>,
    pub(super) week_start: Weekday,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Frequency {
    Yearly,
    Monthly,
    Weekly,
    Daily,
}

impl RuleParts {
    /// Returns a rule that only has a frequency.
    pub(super) fn new(frequency: Frequency) -> Self {
        Self {
            frequency,
            interval: 1,
            until: None,
            count: None,
            weekdays: Vec::new(),
            months: Vec::new(),
            month_days: Vec::new(),
            year_days: Vec::new(),
            weeks: Vec::new(),
            positions: Vec::new(),
            week_start: Weekday::Monday,
        }
    }

    /// Parses the text of a rule.
    ///
    /// # Errors
    ///
    /// Returns what the rule is if it is invalid, has a frequency of less than a day or parts that are not in RFC 5545, or
    /// is one of RFC 7529 that is not about Gregorian dates, or moves those that a month does not have.
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        let text = text.to_ascii_uppercase();
        let mut parts = BTreeMap::new();
        // Some programs write a `;` at the end.
        for part in text.split(';').map(str::trim).filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=').ok_or(INVALID)?;
            if parts.insert(name, value).is_some() {
                return Err(INVALID);
            }
        }
        if parts.remove("RSCALE").is_some_and(|scale| scale != "GREGORIAN") {
            return Err("a rule that is not of the Gregorian calendar");
        }
        if parts.remove("SKIP").is_some_and(|skip| skip != "OMIT") {
            return Err("a rule that moves dates");
        }
        let frequency = match parts.remove("FREQ").ok_or(INVALID)? {
            "YEARLY" => Frequency::Yearly,
            "MONTHLY" => Frequency::Monthly,
            "WEEKLY" => Frequency::Weekly,
            "DAILY" => Frequency::Daily,
            "HOURLY" | "MINUTELY" | "SECONDLY" => return Err("a rule with times of day"),
            _ => return Err(INVALID),
        };
        // For events of whole days, these are ignored.
        for name in ["BYHOUR", "BYMINUTE", "BYSECOND"] {
            parts.remove(name);
        }
        let rule = Self::from_parts(frequency, &mut parts).ok_or(INVALID)?;
        if !parts.is_empty() {
            return Err("a rule with unknown parts");
        }
        if rule.is_consistent() { Ok(rule) } else { Err(INVALID) }
    }

    /// Takes the other parts from those of a text.
    fn from_parts(frequency: Frequency, parts: &mut BTreeMap<&str, &str>) -> Option<Self> {
        let mut rule = Self::new(frequency);
        if let Some(interval) = parts.remove("INTERVAL") {
            rule.interval = interval.parse::<u32>().ok().filter(|interval| *interval > 0)?.into();
        }
        if let Some(count) = parts.remove("COUNT") {
            rule.count = Some(count.parse().ok().filter(|count| *count > 0)?);
        }
        if let Some(until) = parts.remove("UNTIL") {
            rule.until = Some(date(until)?);
        }
        if let Some(day) = parts.remove("WKST") {
            rule.week_start = weekday(day)?;
        }
        if let Some(days) = parts.remove("BYDAY") {
            rule.weekdays = list(days, weekday_with_number)?;
        }
        let mut numbers = |name, most: i64| {
            let number = |item: &str| {
                let number = item.parse::<i64>().ok()?;
                (1..=most).contains(&number.abs()).then_some(number)
            };
            parts.remove(name).map_or(Some(Vec::new()), |items| list(items, number))
        };
        rule.months = numbers("BYMONTH", 12)?;
        rule.month_days = numbers("BYMONTHDAY", 31)?;
        rule.year_days = numbers("BYYEARDAY", 366)?;
        rule.weeks = numbers("BYWEEKNO", 53)?;
        rule.positions = numbers("BYSETPOS", 366)?;
        Some(rule)
    }

    /// Whether RFC 5545 allows the parts together.
    fn is_consistent(&self) -> bool {
        use Frequency::{Monthly, Weekly, Yearly};

        let has_numbers = self.weekdays.iter().any(|(number, _)| *number != 0);
        let may_have_numbers = match self.frequency {
            Yearly => self.weeks.is_empty(),
            frequency => frequency == Monthly,
        };
        (self.until.is_none() || self.count.is_none())
            && self.months.iter().all(|month| *month > 0)
            && (may_have_numbers || !has_numbers)
            && (self.frequency != Weekly || self.month_days.is_empty())
            && (self.frequency == Yearly || self.year_days.is_empty() && self.weeks.is_empty())
            && (self.positions.is_empty() || self.has_days() || !self.months.is_empty())
    }

    /// Whether a part names days or weeks.
    fn has_days(&self) -> bool {
        !self.weekdays.is_empty()
            || !self.month_days.is_empty()
            || !self.year_days.is_empty()
            || !self.weeks.is_empty()
    }

    /// Adds what a rule takes from the start of the event.
    pub(super) fn with_start(mut self, start: Date) -> Self {
        match self.frequency {
            _ if self.has_days() => {}
            Frequency::Yearly => {
                if self.months.is_empty() {
                    self.months.push(start.month().into());
                }
                self.month_days.push(start.day().into());
            }
            Frequency::Monthly => self.month_days.push(start.day().into()),
            Frequency::Weekly => self.weekdays.push((0, start.weekday())),
            Frequency::Daily => {}
        }
        self
    }
}

/// Returns the items of a list.
fn list<T>(text: &str, item: impl Fn(&str) -> Option<T>) -> Option<Vec<T>> {
    text.split(',').map(item).collect()
}

/// Returns the date of a text such as `20261231` or `20261231T225959Z`.
fn date(text: &str) -> Option<Date> {
    let (date, time) = text.split_once('T').unwrap_or((text, "000000"));
    let time = time.strip_suffix('Z').unwrap_or(time);
    let has_digits =
        |text: &str, count| text.len() == count && text.bytes().all(|it| it.is_ascii_digit());
    if !has_digits(date, 8) || !has_digits(time, 6) {
        return None;
    }
    let (year, day) = date.split_at(4);
    let (month, day) = day.split_at(2);
    Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).ok()
}

/// Returns a weekday such as `MO`, or one with a number such as `-1FR`.
fn weekday_with_number(text: &str) -> Option<(i64, Weekday)> {
    let (number, day) = text.split_at_checked(text.len().checked_sub(2)?)?;
    let number = match number {
        "" => 0,
        number => number.parse::<i64>().ok().filter(|it| (1..=53).contains(&it.abs()))?,
    };
    Some((number, weekday(day)?))
}

fn weekday(text: &str) -> Option<Weekday> {
    Some(match text {
        "MO" => Weekday::Monday,
        "TU" => Weekday::Tuesday,
        "WE" => Weekday::Wednesday,
        "TH" => Weekday::Thursday,
        "FR" => Weekday::Friday,
        "SA" => Weekday::Saturday,
        "SU" => Weekday::Sunday,
        _ => return None,
    })
}
