//! [`Timeline`]: many jobs over a day or a week.

mod load;
mod svg;
mod text;

use std::fmt;
use std::ops::RangeInclusive;
use std::time::Duration;

use millicron::calendar::day_number;
use millicron::{CalendarDigits, Recurrence, Zone};

use self::load::Load;
use crate::local::{LocalDay, Span};
use crate::shades::Shades;
use crate::{Picture, local, words};

/// The maximum number of starts of a job that are visited individually; beyond it, they are only counted.
const VISITED: u64 = 100_000;

/// The maximum number of starts of all jobs that are visited individually, which take about 250 MB of memory.
const VISITED_IN_ALL: u64 = 5_000_000;

/// A job of a [`Timeline`].
#[derive(Clone, Copy)]
#[expect(clippy::exhaustive_structs, reason = "made by its users")]
pub struct TimelineJob<'a> {
    /// The name.
    pub name: &'a str,
    /// When it starts.
    pub events: &'a dyn Recurrence,
    /// How long a run takes, if known.
    pub duration: Option<Duration>,
}

impl fmt::Debug for TimelineJob<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, duration, .. } = self;
        f.debug_struct("TimelineJob")
            .field("name", name)
            .field("duration", duration)
            .finish_non_exhaustive()
    }
}

/// All jobs over a day or a week: how long they run, how many run at once, and when the most jobs start together.
#[derive(Clone, Debug)]
pub struct Timeline {
    subject: String,
    zone: Option<String>,
    days: Vec<LocalDay>,
    /// From the first start to the first day.
    earlier: Vec<Span>,
    /// The number of slots per day.
    slots: usize,
    rows: Vec<JobRow>,
    load: Load,
}

/// A job over the days.
#[derive(Clone, Debug)]
struct JobRow {
    name: String,
    total: u64,
    duration: Option<i64>,
    slots: Vec<JobSlot>,
    /// Whether some events are before the end of the previous run.
    is_overlapping: bool,
    /// The starts, including earlier ones of runs that last into the days; `None` if they are only sampled.
    starts: Option<Vec<i64>>,
}

/// A job in a slot.
#[derive(Clone, Copy, Debug, Default)]
struct JobSlot {
    starts: u64,
    is_running: bool,
}

impl Timeline {
    /// Counts the starts of jobs on up to 7 days, starting on a date in a time zone. The title contains the subject,
    /// such as a file name.
    ///
    /// Returns `None` if the zone skips all of these days, or if they are before 2000 or after 2100.
    #[must_use]
    pub fn new(
        jobs: &[TimelineJob<'_>],
        zone: &dyn Zone,
        first: CalendarDigits,
        days: u8,
        subject: &str,
    ) -> Option<Self> {
        let number = day_number(first.year(), first.month(), first.day());
        let days = local::days(zone, number, number + i64::from(days.clamp(1, 7)));
        let slots = if days.len() > 1 { 24 } else { 288 };
        let grid = days.iter().flat_map(|day| day.slots(slots)).collect::<Vec<_>>();
        let range = days.first()?.start()..=days.last()?.end() - 1;
        let most = most_visited(jobs.iter().map(|job| job.events.count(all(job, &range))));
        let rows = jobs.iter().map(|job| JobRow::new(job, &grid, &range, most)).collect::<Vec<_>>();
        let starts = rows.iter().filter_map(|row| row.starts.as_ref()?.first());
        let first_start = starts.min().unwrap_or(range.start());
        Some(Self {
            subject: subject.to_owned(),
            zone: local::zone_name(zone),
            load: Load::new(jobs, &rows, &grid, &range),
            earlier: local::spans(zone, *first_start, *range.start()),
            days,
            slots,
            rows,
        })
    }

    /// Returns the dates of the days. Dates that the time zone skips, or that are after 2100, are left out.
    pub fn dates(&self) -> impl Iterator<Item = CalendarDigits> {
        self.days.iter().map(|day| day.date)
    }

    /// Returns each job's name and how often it starts.
    pub fn starts(&self) -> impl Iterator<Item = (&str, u64)> {
        self.rows.iter().map(|row| (&*row.name, row.total))
    }

    /// Returns the maximum number of concurrent runs, and when it is first reached. A job without a duration runs for a
    /// millisecond. If jobs start very often, alone or all together, the most frequent ones are only sampled, so the
    /// result is an estimate.
    #[must_use]
    pub const fn peak(&self) -> Option<(u64, i64)> {
        self.load.peak
    }

    /// Returns the maximum number of concurrent runs from each instant until the next one: in parts of five minutes for
    /// one day, or of an hour for several days.
    pub fn load(&self) -> impl Iterator<Item = (i64, u64)> {
        self.load.parts.iter().copied()
    }

    /// Returns the instant at which the most jobs start together, and their indices.
    #[must_use]
    pub fn herd(&self) -> Option<(i64, &[usize])> {
        self.load.herd.as_ref().map(|(instant, jobs)| (*instant, &**jobs))
    }

    /// Returns the index of the day of an instant, and the local time.
    fn local(&self, instant: i64) -> Option<(usize, CalendarDigits)> {
        self.days.iter().enumerate().find_map(|(index, day)| Some((index, day.local(instant)?)))
    }

    /// Returns the weekday, if there are several days, and the time, with the offset
    /// from UTC if the clocks show it twice.
    fn weekday_and_time(&self, instant: i64) -> Option<(Option<&'static str>, String)> {
        let (day, civil) = self.local(instant)?;
        let civil_millis = civil.to_millis();
        let mut time = words::time_of_day(civil_millis);
        if self.days[day].is_twice(civil_millis) {
            time = format!("{time} {}", words::offset(civil_millis - instant));
        }
        Some(((self.days.len() > 1).then(|| words::weekday(civil)), time))
    }

    /// Returns when a run starts, such as `09:30` or `Monday 09:30`; before the days, `09:30 on 21 November`.
    fn time(&self, instant: i64) -> String {
        match self.weekday_and_time(instant) {
            Some((Some(weekday), time)) => format!("{weekday} {time}"),
            Some((None, time)) => time,
            None => {
                let span = self.earlier.iter().find(|span| instant < span.end);
                let civil = instant + span.map_or(0, |span| span.offset);
                let date = words::day_and_month(CalendarDigits::from_millis(civil));
                format!("{} on {date}", words::time_of_day(civil))
            }
        }
    }

    /// Returns an instant in words, such as `at 09:30` or `on Monday at 09:30`.
    fn at(&self, instant: i64) -> String {
        match self.weekday_and_time(instant).unwrap_or_default() {
            (Some(weekday), time) => format!("on {weekday} at {time}"),
            (None, time) => format!("at {time}"),
        }
    }

    /// Returns the start of slot `index`, in words.
    fn slot_time(&self, index: usize) -> String {
        let time = words::slot_time(index % self.slots, self.slots);
        match self.days.get(index / self.slots) {
            Some(day) if self.days.len() > 1 => format!("{} {time}", words::weekday(day.date)),
            _ => time,
        }
    }

    /// Returns sentences about the load.
    fn sentences(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        if let Some((most, instant)) = self.load.peak {
            let runs = words::counted(most, "run");
            sentences.push(format!("At most {runs} at once, first {}.", self.at(instant)));
        }
        if let Some((instant, jobs)) = &self.load.herd {
            let names = jobs.iter().filter_map(|job| self.rows.get(*job)).map(|row| &*row.name);
            let names = names.collect::<Vec<_>>().join(", ");
            let count = words::counted(jobs.len() as u64, "job");
            sentences
                .push(format!("The herd: {count} start together {}: {names}.", self.at(*instant)));
        }
        if self.rows.iter().any(|row| row.duration.is_none()) {
            sentences
                .push("A job without a duration only counts at the instant it starts.".to_owned());
        }
        if self.rows.iter().any(|row| row.starts.is_none()) {
            sentences.push("The load is an estimate, since some jobs start very often.".to_owned());
        }
        let overlapping = self.rows.iter().filter(|row| row.is_overlapping);
        let names = overlapping.map(|row| &*row.name).collect::<Vec<_>>().join(", ");
        if !names.is_empty() {
            sentences.push(format!(
                "Each event is drawn as a run, even while the previous run is in progress: {names}."
            ));
        }
        sentences.extend(self.days.iter().flat_map(|day| {
            let date = words::day_and_month(day.date);
            local::clock_changes(day).into_iter().map(move |change| format!("{date}: {change}"))
        }));
        sentences
    }

    /// Returns the shades of some rows in wider slots, each combining `merged` slots.
    fn shades(&self, merged: usize, is_shaded: impl Fn(&JobRow) -> bool) -> Shades {
        let rows = self.rows.iter().filter(|row| is_shaded(row));
        Shades::new(rows.flat_map(|row| row.merged(merged).map(|slot| slot.starts)))
    }
}

impl JobRow {
    fn new(
        job: &TimelineJob<'_>,
        grid: &[Vec<RangeInclusive<i64>>],
        range: &RangeInclusive<i64>,
        most_visited: u64,
    ) -> Self {
        let duration = job.duration.map(millis);
        let total = job.events.count(range.clone());
        let slot = |ranges: &Vec<RangeInclusive<i64>>| {
            let starts = |range: &RangeInclusive<i64>| job.events.count(range.clone());
            let is_running = |range: &RangeInclusive<i64>| job.events.count(all(job, range)) > 0;
            JobSlot {
                starts: ranges.iter().map(starts).sum(),
                is_running: ranges.iter().any(is_running),
            }
        };
        let all = all(job, range);
        let is_few = job.events.count(all.clone()) <= most_visited;
        let starts = is_few.then(|| local::list(job.events, all));
        let is_overlapping = match &starts {
            Some(starts) => !starts.is_sorted_by(|one, next| next - one >= length(duration)),
            None => grid.iter().flatten().any(|range| load::sampled(job, range) > 1),
        };
        Self {
            name: job.name.to_owned(),
            total,
            duration,
            slots: grid.iter().map(slot).collect(),
            is_overlapping,
            starts,
        }
    }

    fn merged(&self, merged: usize) -> impl Iterator<Item = JobSlot> {
        self.slots.chunks(merged.max(1)).map(|slots| JobSlot {
            starts: slots.iter().map(|slot| slot.starts).sum(),
            is_running: slots.iter().any(|slot| slot.is_running),
        })
    }
}

/// Returns a range together with the earlier instants at which runs start that last into it.
fn all(job: &TimelineJob<'_>, range: &RangeInclusive<i64>) -> RangeInclusive<i64> {
    let length = length(job.duration.map(millis));
    range.start().saturating_sub(length - 1)..=*range.end()
}

/// Returns the maximum number of starts of a job that are visited, given the number of each job.
fn most_visited(counts: impl Iterator<Item = u64>) -> u64 {
    let mut counts = counts.filter(|count| *count <= VISITED).collect::<Vec<_>>();
    counts.sort_unstable();
    let mut sum = 0;
    // Jobs with the same number are either all visited or all sampled.
    let equal = counts.chunk_by(|one, other| one == other);
    let fits = equal.take_while(|equal| {
        sum += equal.iter().sum::<u64>();
        sum <= VISITED_IN_ALL
    });
    fits.last().and_then(|equal| equal.first()).copied().unwrap_or(0)
}

/// Returns a duration in milliseconds.
fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

/// Returns how long a run counts as running, at least one millisecond.
fn length(duration: Option<i64>) -> i64 {
    duration.unwrap_or(0).max(1)
}

impl Picture for Timeline {
    fn title(&self) -> String {
        let date =
            |day: Option<&LocalDay>| day.map_or_else(String::new, |day| words::long_date(day.date));
        let zone = words::in_zone(self.zone.as_deref());
        let first = date(self.days.first());
        if self.days.len() > 1 {
            format!("{} · {first} to {}{zone}", self.subject, date(self.days.last()))
        } else {
            format!("{} · {first}{zone}", self.subject)
        }
    }

    fn description(&self) -> String {
        let starts = self.rows.iter().fold(0_u64, |sum, row| sum.saturating_add(row.total));
        let jobs = words::counted(self.rows.len() as u64, "job");
        words::sentence(&format!("{jobs}, {}.", words::counted(starts, "start")))
    }

    fn to_text(&self, columns: usize) -> String {
        text::draw(self, columns)
    }

    fn to_svg(&self, width: u32) -> String {
        svg::draw(self, width)
    }
}
