//! [`YearCalendar`]: the events of a year by day.

mod svg;
mod text;

use millicron::calendar::{MILLIS_PER_DAY, day_number, days_in_month};
use millicron::{Calendar, CalendarDigits, Recurrence, Zone};

use crate::shades::Shades;
use crate::{Picture, local, words};

/// A calendar of a year, with each day shaded by its number of events.
///
/// Days on which the clocks change are marked, and so are the days that a [`Calendar`] does not have.
#[derive(Clone, Debug)]
pub struct YearCalendar {
    subject: String,
    zone: Option<String>,
    year: i32,
    days: Vec<CalendarDay>,
    counted: Counted,
    /// The name of the calendar that closes days.
    calendar: Option<String>,
}

/// What is counted on each day.
#[derive(Clone, Debug)]
enum Counted {
    Events,
    /// Whether it is a day of the calendar, once or not at all. The text says how many days the calendar has.
    Days(String),
}

/// The number of events on a day.
#[derive(Clone, Copy, Debug)]
struct CalendarDay {
    date: CalendarDigits,
    count: u64,
    /// How far the clocks are set forward, in milliseconds.
    clock_change: i64,
    /// Whether the calendar does not have it.
    is_closed: bool,
}

impl YearCalendar {
    /// Counts the events on each day of a year in a time zone. The title contains the subject, such as the text of
    /// the schedule.
    ///
    /// A year before 2000 or after 2100 has no events.
    // Not `dyn`, so that a program that shows no more of a schedule links nothing but its `count`.
    #[must_use]
    pub fn new<E: Recurrence + ?Sized>(
        events: &E,
        zone: &dyn Zone,
        year: i32,
        subject: &str,
    ) -> Self {
        let (first, end) = (day_number(year, 1, 1), day_number(year.saturating_add(1), 1, 1));
        let days = local::days(zone, first, end).into_iter().map(|day| CalendarDay {
            date: day.date,
            count: day.count(events),
            clock_change: day.clock_change(),
            is_closed: false,
        });
        let (subject, zone, days) = (subject.to_owned(), local::zone_name(zone), days.collect());
        Self { subject, zone, year, days, counted: Counted::Events, calendar: None }
    }

    /// Draws the days of a calendar in a year. The title contains the subject, such as the path of its file.
    ///
    /// A year before 2000 or after 2100 has none.
    #[must_use]
    pub fn of_days(calendar: &Calendar, year: i32, subject: &str) -> Self {
        let (first, end) = (day_number(year, 1, 1), day_number(year.saturating_add(1), 1, 1));
        let date = |day: i64| CalendarDigits::from_millis(day.saturating_mul(MILLIS_PER_DAY));
        let days = (first..end).map(date).map(|date| CalendarDay {
            date,
            count: calendar.contains(date).into(),
            clock_change: 0,
            is_closed: false,
        });
        let mut all = words::number(calendar.len().into());
        if let (Some(first), Some(last)) = (calendar.first(), calendar.last()) {
            let [first, last] = [first, last].map(words::iso_date);
            all = format!("{all} from {first} to {last}");
        }
        let (subject, days, counted) = (subject.to_owned(), days.collect(), Counted::Days(all));
        let picture = Self { subject, zone: None, year, days, counted, calendar: None };
        picture.closed_outside(calendar, "calendar")
    }

    /// Marks the days that a calendar does not have, such as the one that the schedule names. The legend contains its
    /// name.
    #[must_use]
    pub fn closed_outside(mut self, calendar: &Calendar, name: &str) -> Self {
        for day in &mut self.days {
            day.is_closed = !calendar.contains(day.date);
        }
        self.calendar = Some(name.to_owned());
        self
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

    /// Returns the days from Monday to Friday that the calendar does not have.
    pub fn closed_weekdays(&self) -> impl Iterator<Item = CalendarDigits> {
        let is_closed = |day: &&CalendarDay| day.is_closed && (1..=5).contains(&day.date.weekday());
        self.days.iter().filter(is_closed).map(|day| day.date)
    }

    /// Whether to explain the shades.
    fn has_legend(&self) -> bool {
        matches!(self.counted, Counted::Events) && self.total() > 0
    }

    /// Describes what happens on a day.
    fn tooltip(&self, day: &CalendarDay) -> String {
        let mut parts = match self.counted {
            Counted::Events => vec![words::counted(day.count, "event")],
            Counted::Days(_) if day.is_closed => Vec::new(),
            Counted::Days(_) => vec!["open".to_owned()],
        };
        parts.extend(self.closed_key().filter(|_| day.is_closed));
        if day.clock_change != 0 {
            parts.push(format!("the clocks go {}", words::clock_change(day.clock_change)));
        }
        parts.join("; ")
    }

    fn shades(&self) -> Shades {
        Shades::new(self.days.iter().map(|day| day.count))
    }

    /// Returns the months.
    fn months(&self) -> impl Iterator<Item = Month<'_>> {
        (1..=12).map(|month| Month { calendar: self, month })
    }

    /// Returns what the mark of closed days means, if there are any.
    fn closed_key(&self) -> Option<String> {
        let name = self.calendar.as_deref().filter(|_| self.days.iter().any(|it| it.is_closed))?;
        Some(match self.counted {
            Counted::Events => format!("not a day of {name}"),
            Counted::Days(_) => "closed".to_owned(),
        })
    }

    /// Returns a sentence that lists the days from Monday to Friday that the calendar does not have. `None` if there are
    /// none, or if it does not have most of them: then it is not one of business days.
    fn closed_sentence(&self) -> Option<String> {
        let dates = self.closed_weekdays().map(words::day_and_month).collect::<Vec<_>>();
        let most = self.days.len() / 7 * 5 / 2;
        let is_listed = !dates.is_empty() && dates.len() <= most;
        is_listed.then(|| format!("Closed from Monday to Friday: {}.", dates.join(", ")))
    }

    /// Returns a sentence that lists the days of a calendar that has few of them, such as the half days of an exchange.
    fn days_sentence(&self) -> Option<String> {
        const MOST: usize = 31;

        let days = self.days.iter().filter(|day| day.count > 0);
        let dates = days.map(|day| words::day_and_month(day.date)).collect::<Vec<_>>();
        let is_listed =
            matches!(self.counted, Counted::Days(_)) && (1..=MOST).contains(&dates.len());
        is_listed.then(|| format!("Days: {}.", dates.join(", ")))
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
        if let Counted::Days(all) = &self.counted {
            return format!("{}: {}, of {all}.", self.year, words::counted(self.total(), "day"));
        }
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
