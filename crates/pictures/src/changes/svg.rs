//! Draws the days around clock changes as SVG.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use millicron::CalendarDigits;
use millicron::calendar::MILLIS_PER_DAY;
use svg::node::element::Path;

use super::{Change, ChangeDay, ClockChanges};
use crate::drawing::{
    Anchor, Drawing, FONT, MARGIN, length, longest, mark, rectangle, round, text,
};
use crate::shades::Shades;
use crate::strip::{Clocks, SLOTS, StripSlot};
use crate::words;

const ROW: f64 = 22.0;
const BAR: f64 = 17.0;

/// The coordinates of the hours.
struct StripLayout {
    shades: Shades,
    left: f64,
    slot: f64,
    slots: usize,
    right: f64,
}

pub(super) fn draw(chart: &ClockChanges, width: u32) -> String {
    let mut drawing = Drawing::new(width, chart);
    let days = chart.changes.iter().flat_map(|change| &change.days);
    let count = longest(days.map(|day| words::number(day.strip.total))) + 8.0;
    let label = length("Wed 30 Sep", FONT) + 12.0;
    let inner = drawing.inner_width() - label - count;
    let slots = if inner < 400.0 { 48 } else { SLOTS };
    let (left, right) = (MARGIN + label, drawing.inner_width() + MARGIN);
    let shades = chart.shades(slots);
    let layout = StripLayout { shades, left, slot: inner / slots as f64, slots, right };
    for change in &chart.changes {
        layout.draw_change(&mut drawing, change);
    }
    if !chart.changes.is_empty() {
        let slot = words::slot(MILLIS_PER_DAY, slots);
        drawing.legend(&format!("Events in {slot}"), &layout.shades);
        drawing.note("A red line marks times that the clocks skip or show twice.");
    }
    drawing.finish()
}

impl StripLayout {
    /// Returns the position and the width of some slots.
    fn place(&self, first: usize, slots: usize) -> (f64, f64) {
        let width = (self.slot * slots as f64 - 0.5).max(2.0);
        (round(self.left + self.slot * first as f64), round(width))
    }

    fn draw_change(&self, drawing: &mut Drawing, change: &Change) {
        drawing.heading(&change.events.to_string());
        drawing.advance(18.0);
        for hour in [0, 6, 12, 18] {
            let x = self.left + self.slot * (self.slots / 24 * hour) as f64;
            let label = format!("{hour:02}:00");
            drawing.label(&label, x, drawing.y(), 11.0, Anchor::Start, "faint");
        }
        drawing.advance(5.0);
        for day in &change.days {
            self.draw_day(drawing, day);
            drawing.advance(ROW);
        }
        for line in change.effects() {
            drawing.note(&line);
        }
        drawing.advance(20.0);
    }

    fn draw_day(&self, drawing: &mut Drawing, day: &ChangeDay) {
        let y = drawing.y();
        let date = day.date;
        let (weekday, month) = (words::short_weekday(date), words::short_month(date.month()));
        let label = format!("{weekday} {} {month}", date.day());
        let class = if day.is_changed { "strong" } else { "faint" };
        drawing.label(&label, MARGIN, y + 13.0, FONT, Anchor::Start, class);
        let slots = day.strip.slots(self.slots).collect::<Vec<_>>();
        let width = self.slot * self.slots as f64;
        let background = rectangle(self.left, y, width, BAR).set("class", "l0");
        if day.is_changed {
            drawing.add(background);
            self.draw_slots(drawing, date, &slots);
        } else {
            let events = words::counted(day.strip.total, "event");
            let mut whole = mark(&format!("{}: {events}", words::long_date(date))).add(background);
            for cells in self.shaded(&slots, y) {
                whole = whole.add(cells);
            }
            drawing.add(whole);
        }
        let total = words::number(day.strip.total);
        drawing.add(text(&total, self.right, y + 13.0, FONT, Anchor::End));
    }

    /// Returns the slots of a day as one path per level, which keeps documents with many days small.
    fn shaded(&self, slots: &[StripSlot], y: f64) -> Vec<Path> {
        let mut levels = BTreeMap::<usize, String>::new();
        for (first, equal) in equal(slots) {
            let level = self.shades.level(equal[0].count);
            let (x, width) = self.place(first, equal.len());
            let _ = write!(levels.entry(level).or_default(), "M{x} {y}h{width}v{BAR}h-{width}z");
        }
        levels.remove(&0);
        let path = |(level, data): (usize, String)| {
            Path::new().set("d", data).set("class", format!("l{level}"))
        };
        levels.into_iter().map(path).collect()
    }

    /// Draws the slots of the day of a change, each with its tooltip.
    fn draw_slots(&self, drawing: &mut Drawing, date: CalendarDigits, slots: &[StripSlot]) {
        let y = drawing.y();
        for (first, equal) in equal(slots) {
            let slot = equal[0];
            let (x, width) = self.place(first, equal.len());
            if slot.clocks != Clocks::Once {
                let width = self.slot * equal.len() as f64;
                drawing.add(rectangle(x, y + BAR, width, 3.0).set("class", "accent"));
            }
            if slot.count == 0 && slot.clocks == Clocks::Once {
                continue;
            }
            let time = |index: usize| words::slot_time(index, self.slots);
            let clocks = match slot.clocks {
                Clocks::Once => "",
                Clocks::Twice => "; the clocks show this time twice",
                Clocks::Skip => "; the clocks skip this time",
            };
            let events = words::counted(slot.count.saturating_mul(equal.len() as u64), "event");
            let (begin, end) = (time(first), time(first + equal.len()));
            let tooltip = format!("{}, {begin} to {end}: {events}{clocks}", words::long_date(date));
            let class = format!("l{}", self.shades.level(slot.count));
            drawing.cell(&tooltip, rectangle(x, y, width, BAR), &class);
        }
    }
}

/// Returns groups of consecutive equal slots, each with the index of its first slot.
fn equal(slots: &[StripSlot]) -> impl Iterator<Item = (usize, &[StripSlot])> {
    let mut first = 0;
    slots.chunk_by(|one, other| one == other).map(move |equal| {
        first += equal.len();
        (first - equal.len(), equal)
    })
}
