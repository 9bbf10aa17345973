//! [`YearCalendar`]: the events of a year by day.

mod svg;
mod text;

use millicron::calendar::{MILLIS_PER_DAY, day_number, days_in_month};
use millicron::{CalendarDigits, Recurrence, Zone};

use crate::shades::Shades;
use crate::{Picture, local, words};

/// A calendar of a year, with each day shaded by its number of events.
///
/// Days on which the clocks change are marked.
#[derive(Clone, Debug)]
pub struct YearCalendar {
    subject: String,
    zone: Option<String>,
    year: i32,
    days: Vec<CalendarDay>,
}

/// The number of events on a day.
#[derive(Clone, Copy, Debug)]
struct CalendarDay {
    date: CalendarDigits,
    count: u64,
    /// How far the clocks are set forward, in milliseconds.
    clock_change: i64,
}

impl YearCalendar {
    /// Counts the events on each day of a year in a time zone. The title contains the subject, such as the text of
    /// the schedule.
    ///
    /// A year before 2000 or after 2100 has no events.
    #[must_use]
    pub fn new(events: &dyn Recurrence, zone: &dyn Zone, year: i32, subject: &str) -> Self {
        let (first, end) = (day_number(year, 1, 1), day_number(year.saturating_add(1), 1, 1));
        let days = local::days(zone, first, end).into_iter().map(|day| CalendarDay {
            date: day.date,
            count: day.count(events),
            clock_change: day.clock_change(),
        });
        let zone = local::zone_name(zone);
        Self { subject: subject.to_owned(), zone, year, days: days.collect() }
    }

    /// Returns the year.
    #[must_use]
    pub const fn year(&self) -> i32 {
        self.year
    }

    /// Returns the number of events in the year.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.days.iter().fold(0, |total, day| total.saturating_add(day.count))
    }

    /// Returns the date and the number of events of each day. Days that the time zone skips are left out.
    pub fn days(&self) -> impl Iterator<Item = (CalendarDigits, u64)> {
        self.days.iter().map(|day| (day.date, day.count))
    }

    fn shades(&self) -> Shades {
        Shades::new(self.days.iter().map(|day| day.count))
    }

    /// Returns the months.
    fn months(&self) -> impl Iterator<Item = Month<'_>> {
        (1..=12).map(|month| Month { calendar: self, month })
    }

    /// Returns a sentence for each day on which the clocks change.
    fn clock_changes(&self) -> impl Iterator<Item = String> {
        self.days.iter().filter(|day| day.clock_change != 0).map(|day| {
            let (date, change) =
                (words::day_and_month(day.date), words::clock_change(day.clock_change));
            format!("{date}: the clocks go {change}.")
        })
    }
}

impl Picture for YearCalendar {
    fn title(&self) -> String {
        format!("{} · {}{}", self.subject, self.year, words::in_zone(self.zone.as_deref()))
    }

    fn description(&self) -> String {
        let busy = self.days.iter().filter(|day| day.count > 0).count() as u64;
        let total = words::counted(self.total(), "event");
        if busy == 0 {
            format!("{}: {total}.", self.year)
        } else {
            format!("{}: {total} on {}.", self.year, words::counted(busy, "day"))
        }
    }

    fn to_text(&self, columns: usize) -> String {
        text::draw(self, columns)
    }

    fn to_svg(&self, width: u32) -> String {
        svg::draw(self, width)
    }
}

/// A month of a calendar.
struct Month<'a> {
    calendar: &'a YearCalendar,
    month: u8,
}

impl Month<'_> {
    fn name(&self) -> &'static str {
        words::month(self.month)
    }

    /// Returns the days in weeks of seven, starting on Monday. Days of other months are `None`.
    fn days(&self) -> Vec<Option<Cell<'_>>> {
        let year = self.calendar.year;
        let first = day_number(year, self.month, 1);
        let days = (first..).take(days_in_month(year, self.month).into()).map(|number| {
            let date = CalendarDigits::from_millis(number.saturating_mul(MILLIS_PER_DAY));
            let index = self.calendar.days.binary_search_by_key(&date, |day| day.date);
            Some(Cell { date, day: index.ok().and_then(|index| self.calendar.days.get(index)) })
        });
        let since_monday = usize::try_from((first + 3).rem_euclid(7)).unwrap_or(0);
        let mut cells = (0..since_monday).map(|_| None).chain(days).collect::<Vec<_>>();
        cells.resize_with(cells.len().next_multiple_of(7), || None);
        cells
    }
}

/// A date of a month.
struct Cell<'a> {
    date: CalendarDigits,
    /// `None` if the time zone skips the day.
    day: Option<&'a CalendarDay>,
}
