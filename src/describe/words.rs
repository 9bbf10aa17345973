//! The words of a description.

/// The words of a language whose sentences are built like English ones.
pub(super) struct Words {
    pub(super) and: &'static str,
    pub(super) or: &'static str,
    pub(super) every: &'static str,
    pub(super) at: &'static str,
    pub(super) on: &'static str,
    /// Before a month, a year or a period that events fill.
    pub(super) in_: &'static str,
    pub(super) of: &'static str,
    pub(super) the: &'static str,
    pub(super) past: &'static str,
    pub(super) from: &'static str,
    /// Between the first and the last value of a range.
    pub(super) to: &'static str,
    /// Before an end that is excluded.
    pub(super) until: &'static str,
    /// Before an end that is included.
    pub(super) through: &'static str,
    pub(super) noon: &'static str,
    pub(super) midnight: &'static str,
    pub(super) next_day: &'static str,
    pub(super) every_day: &'static str,
    pub(super) day: Noun,
    pub(super) days: &'static str,
    pub(super) last: &'static str,
    pub(super) last_day: &'static str,
    pub(super) day_before_last: &'static str,
    pub(super) nth_day_before_last: &'static str,
    pub(super) last_working_day: &'static str,
    /// Before one day and before several.
    pub(super) working_day_nearest_to: [&'static str; 2],
    pub(super) month: &'static str,
    pub(super) week: &'static str,
    pub(super) year: &'static str,
    /// Between weekdays and the days of the month on which they also fall.
    pub(super) that_fall: &'static str,
    /// Between steps or numbered weekdays and the days on which they also fall.
    pub(super) if_it_falls: &'static str,
    /// Before noon and after noon.
    pub(super) halves: [&'static str; 2],
    /// Hour, minute, second and millisecond.
    pub(super) hour: Noun,
    pub(super) minute: Noun,
    pub(super) second: Noun,
    pub(super) millisecond: Noun,
    /// Returns what follows the digits of an ordinal number.
    pub(super) ordinal_suffix: fn(u32) -> &'static str,
    /// The ordinal numbers from 1 in words.
    pub(super) ordinals: [&'static str; 5],
    pub(super) months: [&'static str; 12],
    /// From Monday.
    pub(super) weekdays: [&'static str; 7],
    pub(super) weekdays_plural: [&'static str; 7],
}

/// A unit of time.
#[derive(Clone, Copy)]
pub(super) struct Noun {
    pub(super) one: &'static str,
    pub(super) many: &'static str,
    /// After a number.
    pub(super) counted: &'static str,
}

impl Noun {
    /// Returns the form after a number.
    pub(super) const fn counted(self, count: u32) -> &'static str {
        // A unit symbol has no plural.
        if count == 1 && self.counted.len() == self.many.len() { self.one } else { self.counted }
    }
}

const fn noun(one: &'static str, many: &'static str) -> Noun {
    Noun { one, many, counted: many }
}

pub(super) static ENGLISH: Words = Words {
    and: "and",
    or: "or",
    every: "every",
    at: "at",
    on: "on",
    in_: "in",
    of: "of",
    the: "the",
    past: "past",
    from: "from",
    to: "to",
    until: "until",
    through: "through",
    noon: "noon",
    midnight: "midnight",
    next_day: "the next day",
    every_day: "every day",
    day: noun("day", "days"),
    days: "days from",
    last: "last",
    last_day: "the last day",
    day_before_last: "the day before the last day",
    nth_day_before_last: "day before the last day",
    last_working_day: "the last Monday-to-Friday day",
    working_day_nearest_to: [
        "the Monday-to-Friday day nearest to",
        "the Monday-to-Friday days nearest to",
    ],
    month: "the month",
    week: "week",
    year: "year",
    that_fall: "that fall",
    if_it_falls: "if it falls",
    halves: ["AM", "PM"],
    hour: noun("hour", "hours"),
    minute: noun("minute", "minutes"),
    second: noun("second", "seconds"),
    millisecond: Noun { one: "millisecond", many: "milliseconds", counted: "ms" },
    ordinal_suffix,
    ordinals: ["first", "second", "third", "fourth", "fifth"],
    months: [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ],
    weekdays: ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
    weekdays_plural: [
        "Mondays",
        "Tuesdays",
        "Wednesdays",
        "Thursdays",
        "Fridays",
        "Saturdays",
        "Sundays",
    ],
};

const fn ordinal_suffix(number: u32) -> &'static str {
    match (number % 100, number % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    }
}
