//! The days around clock changes as SVG.

use super::{Change, ClockChanges, Day};
use crate::drawing::{Anchor, Drawing, FONT, MARGIN, length, mark, rectangle, text};
use crate::shades::Shades;
use crate::strip::{Clocks, SLOTS};
use crate::words;

const ROW: f64 = 22.0;
const BAR: f64 = 17.0;

/// Where the hours are.
struct Layout {
    left: f64,
    slot: f64,
    slots: usize,
    right: f64,
}

pub(super) fn draw(chart: &ClockChanges, width: u32) -> String {
    let mut drawing = Drawing::new(width, chart);
    let days = || chart.changes.iter().flat_map(|change| &change.days);
    let count =
        days().map(|day| length(&words::number(day.strip.total), FONT)).fold(0.0, f64::max) + 8.0;
    let label = length("Wed 30 Sep", FONT) + 12.0;
    let inner = drawing.inner_width() - label - count;
    let slots = if inner < 400.0 { 48 } else { SLOTS };
    let (left, right) = (MARGIN + label, drawing.inner_width() + MARGIN);
    let layout = Layout { left, slot: inner / slots as f64, slots, right };
    let shades = &chart.shades(slots);
    for change in &chart.changes {
        draw_change(&mut drawing, change, shades, &layout);
    }
    if !chart.changes.is_empty() {
        let slot = words::duration(86_400_000 / i64::try_from(slots).unwrap_or(1));
        drawing.legend(&format!("Events in {slot}"), shades);
        drawing.note("A red line is under the times that the clocks skip, or show twice.");
    }
    drawing.finish()
}

fn draw_change(drawing: &mut Drawing, change: &Change, shades: &Shades, layout: &Layout) {
    drawing.heading(&change.sentence());
    drawing.advance(18.0);
    for hour in [0, 6, 12, 18] {
        let x = layout.left + layout.slot * (layout.slots / 24 * hour) as f64;
        let label = format!("{hour:02}:00");
        drawing.add(text(&label, x, drawing.y(), 11.0, Anchor::Start).set("class", "faint"));
    }
    drawing.advance(5.0);
    for day in &change.days {
        draw_day(drawing, day, shades, layout);
        drawing.advance(ROW);
    }
    for line in change.effects() {
        drawing.note(&line);
    }
    drawing.advance(20.0);
}

fn draw_day(drawing: &mut Drawing, day: &Day, shades: &Shades, layout: &Layout) {
    let y = drawing.y();
    let date = day.date;
    let weekday = words::weekday(date).get(..3).unwrap_or_default();
    let month = words::month(date).get(..3).unwrap_or_default();
    let label = format!("{weekday} {} {month}", date.day());
    let class = if day.is_changed { "strong" } else { "faint" };
    drawing.add(text(&label, MARGIN, y + 13.0, FONT, Anchor::Start).set("class", class));
    let width = layout.slot * layout.slots as f64;
    drawing.add(rectangle(layout.left, y, width, BAR).set("class", "l0"));
    for (index, slot) in day.strip.slots(layout.slots).enumerate() {
        let x = layout.left + layout.slot * index as f64;
        if slot.clocks != Clocks::Once {
            drawing.add(rectangle(x, y + BAR, layout.slot, 3.0).set("class", "accent"));
        }
        if slot.count == 0 && slot.clocks == Clocks::Once {
            continue;
        }
        let time = |index: usize| {
            words::time_of_day(i64::try_from(index * 86_400_000 / layout.slots).unwrap_or(0))
        };
        let clocks = match slot.clocks {
            Clocks::Once => "",
            Clocks::Twice => "; the clocks show this time twice",
            Clocks::Skip => "; the clocks skip this time",
        };
        let events = words::counted(slot.count, "event");
        let (begin, end) = (time(index), time(index + 1));
        let tooltip = format!("{}, {begin} to {end}: {events}{clocks}", words::long_date(date));
        let width = (layout.slot - 0.5).max(2.0);
        let cell =
            rectangle(x, y, width, BAR).set("class", format!("l{}", shades.level(slot.count)));
        drawing.add(mark(&tooltip).add(cell));
    }
    let total = words::number(day.strip.total);
    drawing.add(text(&total, layout.right, y + 13.0, FONT, Anchor::End));
}
