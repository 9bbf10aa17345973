#![doc = include_str!("../README.md")]
#![allow(
    clippy::cast_precision_loss,
    reason = "coordinates are rounded to hundredths of a pixel anyway"
)]

mod affected;
mod calendar;
mod changes;
mod day;
mod drawing;
mod graph;
mod hours;
mod length;
mod local;
mod page;
mod shades;
mod strip;
mod text;
mod timeline;
mod words;

pub use affected::{AffectedEvents, ClockChangeEvents};
pub use calendar::YearCalendar;
pub use changes::ClockChanges;
pub use day::DayChart;
pub use graph::{Graph, GraphJob, GraphNeed, GraphRuns};
pub use hours::{HourLoad, HourlyLoad};
pub use length::Length;
pub use local::Utc;
pub use text::is_hidden;
pub use timeline::{Timeline, TimelineJob};
pub use words::{counted, iso_date, number, offset, time_of_day};

/// A picture that can be drawn as text, SVG or HTML.
pub trait Picture {
    /// Returns the heading: what the picture shows.
    fn title(&self) -> String;

    /// Returns a sentence that sums up the picture, for readers who cannot see it.
    fn description(&self) -> String;

    /// Draws the picture for a terminal with `columns` columns, at least 40, with ANSI escape sequences.
    fn to_text(&self, columns: usize) -> String;

    /// Draws the picture as an SVG document that is `width` pixels wide, at least 300.
    fn to_svg(&self, width: u32) -> String;

    /// Returns an HTML page that contains the [SVG](Self::to_svg) and shows the details of each mark.
    fn to_html(&self, width: u32) -> String {
        page::page(&self.title(), &self.to_svg(width))
    }
}
