//! A naive parser, which splits a text at its separators and reads each field into a set.

/// The values of a field: `set[v]` is true if the field contains `v`.
pub type Set = Vec<bool>;

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/// The values of all fields of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sets {
    pub years: Set,
    pub months: Set,
    /// The days of the month. `days[32]` means the last day of any month.
    pub days: Set,
    pub weekdays: Set,
    pub hours: Set,
    pub minutes: Set,
    pub seconds: Set,
    pub millis: Set,
}

impl Sets {
    /// Reads a text, or returns `None` if it is not a valid expression.
    pub fn read(text: &str) -> Option<Sets> {
        // Line breaks are allowed only around a text.
        let parts = text.trim_ascii().split([' ', '\t']);
        let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
        let (date, weekday, time) = match parts[..] {
            [time] => ("*.*.*", "*", time),
            [date, time] => (date, "*", time),
            [date, weekday, time] => (date, weekday, time),
            _ => return None,
        };
        let [year, month, day] = date.split('.').collect::<Vec<_>>()[..] else {
            return None;
        };
        let [hour, minute, second] = time.split(':').collect::<Vec<_>>()[..] else {
            return None;
        };
        let (second, milli) = second.split_once('.').unwrap_or((second, "0"));
        Some(Sets {
            years: field(year, 2000, 2100, &[])?,
            months: field(month, 1, 12, &MONTHS)?,
            days: days_of_month(day)?,
            weekdays: field(weekday, 0, 6, &WEEKDAYS)?,
            hours: field(hour, 0, 23, &[])?,
            minutes: field(minute, 0, 59, &[])?,
            seconds: field(second, 0, 59, &[])?,
            millis: field(milli, 0, 999, &[])?,
        })
    }

    /// Removes the last day of the month if days 28 to 31 are all in the set, as the last day
    /// always is one of them.
    pub fn without_needless_last_day(mut self) -> Sets {
        if self.days[28..=31].iter().all(|&set| set) {
            self.days[32] = false;
        }
        self
    }
}

/// Returns the values of a set in ascending order.
pub fn values(set: &[bool]) -> Vec<i64> {
    (0..).zip(set).filter(|(_, set)| **set).map(|(value, _)| value).collect()
}

fn field(text: &str, lowest: usize, highest: usize, names: &[&str]) -> Option<Set> {
    let mut set = vec![false; highest + 1];
    if text == "*" {
        set[lowest..].fill(true);
        return Some(set);
    }
    for item in text.split(',') {
        let item = Item::read(item, lowest, highest, names)?;
        if item.from < lowest || item.to > highest {
            return None;
        }
        for value in (item.from..=item.to).step_by(item.step) {
            set[value] = true;
        }
    }
    Some(set)
}

fn days_of_month(text: &str) -> Option<Set> {
    let mut set = vec![false; 33];
    if text == "*" {
        set[1..=31].fill(true);
        return Some(set);
    }
    for item in text.split(',') {
        let item = Item::read(item, 1, 31, &[])?;
        if item.from < 1 || item.to > 32 {
            return None;
        }
        // Only a 32 that stands alone or starts a range means the last day. At the end of a range,
        // 32 means "to the end of the month".
        let to = if item.from == 32 { 32 } else { item.to.min(31) };
        for value in (item.from..=to).step_by(item.step) {
            set[value] = true;
        }
    }
    Some(set)
}

struct Item {
    from: usize,
    to: usize,
    step: usize,
}

impl Item {
    /// Reads an item other than a lone `*`. The first name has the lowest value of the field.
    fn read(text: &str, lowest: usize, highest: usize, names: &[&str]) -> Option<Item> {
        let value = |text: &str| {
            let name = names.iter().position(|name| text.eq_ignore_ascii_case(name));
            name.map(|place| lowest + place).or_else(|| number(text))
        };
        let (values, step) = match text.split_once('/') {
            Some((values, step)) => (values, Some(number(step)?)),
            None => (text, None),
        };
        let (from, to) = match (values.split_once('-'), step) {
            (Some((from, to)), _) => (value(from)?, value(to)?),
            (None, Some(_)) if values == "*" => (lowest, highest),
            (None, None) => (value(values)?, value(values)?),
            // `5/10` lacks a range.
            (None, Some(_)) => return None,
        };
        let step = step.unwrap_or(1);
        (from <= to && step > 0).then_some(Item { from, to, step })
    }
}

/// Reads a number of ASCII digits that fits in 32 bits.
fn number(text: &str) -> Option<usize> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // `parse` also accepts a sign.
    let number: u32 = is_number.then(|| text.parse().ok())??;
    usize::try_from(number).ok()
}
