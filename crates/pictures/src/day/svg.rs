//! Draws the day as SVG.

use super::{DayChart, HOUR, HourRow};
use crate::drawing::{Anchor, Drawing, FONT, MARGIN, longest, rectangle};
use crate::shades::Shades;
use crate::words;

/// The height of a row, and of the marks in it.
const ROW: f64 = 24.0;
const BAR: f64 = 18.0;

/// The maximum number of events in a row that are drawn individually.
const SINGLE: u64 = 60;

/// The coordinates of the hours.
struct DayLayout<'a> {
    chart: &'a DayChart,
    shades: Shades,
    left: f64,
    width: f64,
    slots: usize,
}

pub(super) fn draw(chart: &DayChart, width: u32) -> String {
    let mut drawing = Drawing::new(width, chart);
    let label = longest(chart.rows.iter().map(HourRow::label)) + 8.0;
    let count = longest(chart.rows.iter().map(|row| words::number(row.total))) + 8.0;
    let hour = drawing.inner_width() - label - count;
    let slots = if hour < 360.0 { 30 } else { 60 };
    let is_single = |row: &HourRow| chart.events.is_some() && row.total <= SINGLE;
    let shades = chart.shades(slots, |row| !is_single(row));
    let layout = DayLayout { chart, shades, left: MARGIN + label, width: hour, slots };
    layout.draw_axis(&mut drawing);
    for row in &chart.rows {
        let y = drawing.y();
        drawing.label(&row.label(), MARGIN, y + 14.0, FONT, Anchor::Start, "faint");
        let (from, until) = row.part();
        let (left, right) = (layout.x(from), layout.x(until));
        drawing.add(rectangle(left, y, right - left, BAR).set("class", "l0"));
        match chart.events() {
            Some(events) if is_single(row) => layout.draw_events(&mut drawing, row, events),
            _ => layout.draw_density(&mut drawing, row),
        }
        let right = layout.left + layout.width + count;
        let class = if row.total == 0 { "faint" } else { "ink" };
        let total = words::number(row.total);
        drawing.label(&total, right, y + 14.0, FONT, Anchor::End, class);
        drawing.advance(ROW);
    }
    if chart.rows.iter().any(|row| is_single(row) && row.total > 0) {
        drawing.keys(&[("start", "an event")]);
    }
    if layout.shades.legend().next().is_some() {
        drawing.legend(&format!("Events in {}", words::slot(HOUR, slots)), &layout.shades);
    }
    for change in chart.clock_changes() {
        drawing.note(&change);
    }
    drawing.finish()
}

impl DayLayout<'_> {
    fn x(&self, millis: i64) -> f64 {
        self.left + self.width * millis as f64 / HOUR as f64
    }

    fn draw_axis(&self, drawing: &mut Drawing) {
        let y = drawing.y() + 10.0;
        for minute in [0, 15, 30, 45] {
            let (label, x) = (format!(":{minute:02}"), self.x(minute * 60_000));
            drawing.label(&label, x, y, 11.0, Anchor::Start, "faint");
        }
        drawing.advance(16.0);
    }

    /// Draws the events of a row.
    fn draw_events(&self, drawing: &mut Drawing, row: &HourRow, events: &[i64]) {
        for event in events.iter().filter(|event| row.span.range().contains(event)) {
            let x = self.x(event + row.span.offset - row.hour);
            let x = x.min(self.left + self.width - 3.0);
            drawing.cell(&self.chart.time(*event), rectangle(x, drawing.y(), 3.0, BAR), "start");
        }
    }

    fn draw_density(&self, drawing: &mut Drawing, row: &HourRow) {
        let slot = HOUR / i64::try_from(self.slots).unwrap_or(1);
        for (index, count) in (0..).zip(row.counts(self.slots)).filter(|(_, count)| *count > 0) {
            let (from, until) = (index * slot, (index + 1) * slot);
            let time = |millis: i64| words::time_of_day(row.hour + millis);
            let count_text = words::counted(count, "event");
            let offset = self.chart.offset(row, row.hour + from);
            let tooltip = format!("{} to {}{offset}: {count_text}", time(from), time(until));
            let (left, right) = (self.x(from), self.x(until));
            let cell = rectangle(left, drawing.y(), right - left - 1.0, BAR);
            drawing.cell(&tooltip, cell, &format!("l{}", self.shades.level(count)));
        }
    }
}
