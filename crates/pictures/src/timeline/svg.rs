//! Draws the timeline as SVG.

use std::ops::Range;

use millicron::calendar::MILLIS_PER_DAY;

use super::{JobRow, Timeline, length as length_of_run};
use crate::drawing::{Anchor, Drawing, FONT, MARGIN, fit, length, longest, mark, rectangle, text};
use crate::shades::Shades;
use crate::words;

const ROW: f64 = 24.0;
const BAR: f64 = 18.0;

/// The height of the load.
const LOAD: f64 = 80.0;

/// The maximum number of starts of a job that are drawn individually.
const SINGLE: u64 = 200;

/// The width of the mark for a start.
const START: f64 = 3.0;

/// The coordinates of the days.
struct TimelineLayout<'a> {
    timeline: &'a Timeline,
    shades: Shades,
    left: f64,
    width: f64,
    label: f64,
    right: f64,
    days: usize,
    /// How many of the timeline's slots one drawn slot combines.
    merged: usize,
    slots: usize,
}

impl<'a> TimelineLayout<'a> {
    fn new(timeline: &'a Timeline, drawing: &Drawing) -> Self {
        let inner = drawing.inner_width();
        let label = longest(timeline.rows.iter().map(|row| row.name.clone()));
        let label = label.max(length("at once", FONT)).min(inner * 0.3) + 8.0;
        let count = longest(timeline.rows.iter().map(|row| words::number(row.total))) + 8.0;
        let width = inner - label - count;
        let days = timeline.days.len().max(1);
        let finest = timeline.slots * days;
        // A slot of less than four pixels is hard to point at.
        let fitting =
            [1, 2, 3, 4, 6, 12].into_iter().find(|merged| width / (finest / merged) as f64 >= 4.0);
        let merged = fitting.unwrap_or(12);
        let slots = finest / merged;
        let shades = timeline.shades(merged, |row| !is_single(row));
        let (left, right) = (MARGIN + label, MARGIN + inner);
        Self { timeline, shades, left, width, label, right, days, merged, slots }
    }

    /// Returns the position of a slot.
    fn slot(&self, index: usize) -> f64 {
        self.left + self.width * index as f64 / self.slots as f64
    }

    /// Returns the left and right edges of each part of a run. A run has several parts if the clocks change meanwhile:
    /// they are apart if the clocks skip a time, and overlap if the clocks show it twice.
    fn parts(&self, run: Range<i64>) -> Vec<(f64, f64)> {
        let mut parts = Vec::<(f64, f64)>::new();
        for (index, day) in self.timeline.days.iter().enumerate() {
            let midnight = day.date.to_millis();
            let x = |civil: i64| {
                let part = (civil - midnight) as f64 / MILLIS_PER_DAY as f64;
                self.left + self.width * (index as f64 + part) / self.days as f64
            };
            for span in &day.spans {
                let (start, end) = (run.start.max(span.start), run.end.min(span.end));
                if start >= end {
                    continue;
                }
                let (left, right) = (x(start + span.offset), x(end + span.offset));
                match parts.last_mut() {
                    Some(last) if (last.1 - left).abs() < 0.01 => last.1 = right,
                    _ => parts.push((left, right)),
                }
            }
        }
        parts
    }

    fn draw_axis(&self, drawing: &mut Drawing) {
        let y = drawing.y() + 10.0;
        let day_width = self.width / self.days as f64;
        for (index, day) in self.timeline.days.iter().enumerate() {
            let left = self.left + day_width * index as f64;
            if self.days > 1 {
                let weekday = words::short_weekday(day.date);
                let short = |letters: usize| weekday.get(..letters).unwrap_or_default().to_owned();
                let labels = [format!("{weekday} {}", day.date.day()), short(3), short(2)];
                let fitting = labels.iter().find(|label| length(label, 12.0) < day_width);
                let label = fitting.cloned().unwrap_or_else(|| short(1));
                drawing.label(&label, left, y, 11.0, Anchor::Start, "faint");
            } else {
                for hour in (0..24).step_by(if day_width < 500.0 { 6 } else { 3 }) {
                    let x = left + day_width * f64::from(hour) / 24.0;
                    let label = format!("{hour:02}:00");
                    drawing.label(&label, x, y, 11.0, Anchor::Start, "faint");
                }
            }
        }
        drawing.advance(16.0);
    }

    /// Draws each run of a job.
    fn draw_runs(&self, drawing: &mut Drawing, row: &JobRow, starts: &[i64]) {
        let y = drawing.y();
        for start in starts {
            let end = start.saturating_add(length_of_run(row.duration));
            let parts = self.parts(*start..end);
            let Some((x, _)) = parts.first() else { continue };
            // Keep a start at the end of the days as wide as any other.
            let x = x.min(self.left + self.width - START);
            let begins = self.timeline.local(*start).is_some();
            let time = self.timeline.time(*start);
            let lasts = row.duration.map(|duration| format!(", for {}", words::duration(duration)));
            let mut run = mark(&format!("{}: {time}{}", row.name, lasts.unwrap_or_default()));
            for (left, right) in parts {
                run = run.add(rectangle(left, y, right - left, BAR).set("class", "run"));
            }
            if begins {
                run = run.add(rectangle(x, y, START, BAR).set("class", "start"));
            }
            drawing.add(run);
        }
    }

    fn draw_density(&self, drawing: &mut Drawing, row: &JobRow) {
        let y = drawing.y();
        for (index, slot) in row.merged(self.merged).enumerate() {
            if !slot.is_running {
                continue;
            }
            let (left, right) = (self.slot(index), self.slot(index + 1));
            let time = |index: usize| self.timeline.slot_time(index * self.merged);
            let starts = words::counted(slot.starts, "start");
            let tooltip =
                format!("{}: {starts} from {} to {}", row.name, time(index), time(index + 1));
            let class = match slot.starts {
                0 => "run".to_owned(),
                starts => format!("l{}", self.shades.level(starts)),
            };
            let cell = rectangle(left, y, (right - left - 0.5).max(1.0), BAR);
            drawing.cell(&tooltip, cell, &class);
        }
    }

    /// Draws the number of concurrent runs.
    fn draw_load(&self, drawing: &mut Drawing) {
        let Some((most, _)) = self.timeline.load.peak else { return };
        let (top, bottom) = (drawing.y() + 8.0, drawing.y() + 8.0 + LOAD);
        drawing.add(text("at once", MARGIN, top + 14.0, FONT, Anchor::Start));
        drawing.label(&words::number(most), self.right, top + 12.0, FONT, Anchor::End, "faint");
        drawing.label("0", self.right, bottom, FONT, Anchor::End, "faint");
        drawing.add(rectangle(self.left, bottom, self.width, 1.0).set("class", "faint"));
        for (index, load) in
            self.timeline.load.merged(self.merged).enumerate().filter(|(_, load)| *load > 0)
        {
            let (left, right) = (self.slot(index), self.slot(index + 1));
            let height = LOAD * load as f64 / most as f64;
            let time = |index: usize| self.timeline.slot_time(index * self.merged);
            let tooltip =
                format!("at most {load} at once from {} to {}", time(index), time(index + 1));
            let class = if load == most { "peak" } else { "load" };
            let bar = rectangle(left, bottom - height, (right - left - 0.5).max(1.0), height);
            drawing.cell(&tooltip, bar, class);
        }
        drawing.advance(LOAD + 20.0);
    }
}

pub(super) fn draw(timeline: &Timeline, width: u32) -> String {
    let mut drawing = Drawing::new(width, timeline);
    let layout = TimelineLayout::new(timeline, &drawing);
    layout.draw_axis(&mut drawing);
    let top = drawing.y();
    for row in &timeline.rows {
        let y = drawing.y();
        let name = fit(&row.name, layout.label - 8.0, FONT);
        drawing.add(text(&name, MARGIN, y + 14.0, FONT, Anchor::Start));
        drawing.add(rectangle(layout.left, y, layout.width, BAR).set("class", "l0"));
        match &row.starts {
            Some(starts) if is_single(row) => layout.draw_runs(&mut drawing, row, starts),
            _ => layout.draw_density(&mut drawing, row),
        }
        let total = words::number(row.total);
        drawing.label(&total, layout.right, y + 14.0, FONT, Anchor::End, "faint");
        drawing.advance(ROW);
    }
    layout.draw_load(&mut drawing);
    for day in 1..layout.days {
        let x = layout.left + layout.width * day as f64 / layout.days as f64;
        let height = drawing.y() - 12.0 - top;
        drawing.add(rectangle(x, top, 1.0, height).set("class", "edge"));
    }
    let mut keys = Vec::new();
    if timeline.rows.iter().any(|row| is_single(row) && row.total > 0) {
        keys.push(("start", "a start"));
    }
    if timeline.rows.iter().any(|row| row.duration.is_some()) {
        keys.push(("run", "runs"));
    }
    if timeline.load.peak.is_some() {
        keys.extend([("load", "at once"), ("peak", "the most at once")]);
    }
    drawing.keys(&keys);
    if layout.shades.legend().next().is_some() {
        let slot = words::slot(MILLIS_PER_DAY, timeline.slots / layout.merged);
        drawing.legend(&format!("Starts in {slot}"), &layout.shades);
    }
    for sentence in timeline.sentences() {
        drawing.note(&sentence);
    }
    drawing.finish()
}

/// Whether each start of a job is drawn.
const fn is_single(row: &JobRow) -> bool {
    row.starts.is_some() && row.total <= SINGLE
}
