//! [`Summary`]: what is known of the events of a stretch of time.

use millicron_runtime::Window;

use super::DAY;

/// The first and the last event of a stretch of time, in milliseconds from its start, and the
/// shortest and the longest distance between its events.
#[derive(Clone, Copy)]
pub(super) struct Summary {
    pub(super) ends: Option<(u64, u64)>,
    pub(super) gaps: Option<(u64, u64)>,
}

impl Summary {
    /// No events.
    pub(super) const NONE: Self = Self { ends: None, gaps: None };

    /// An event at the start.
    pub(super) const EVENT: Self = Self { ends: Some((0, 0)), gaps: None };

    /// Returns the summary of a day with a window.
    pub(super) fn of(window: Window) -> Self {
        let step = u64::from(window.step);
        // A step of a whole day leads to the first time of the next day.
        let last = if step == DAY { window.from } else { window.last() };
        let gaps = (step < DAY).then_some((step, step));
        Self { ends: Some((window.from.into(), last.into())), gaps }
    }

    /// Adds a later stretch that begins at a distance from the start.
    pub(super) fn append(&mut self, other: Self, distance: u64) {
        let Some((first, last)) = other.ends else { return };
        let (first, last) = (distance + first, distance + last);
        // A window that lasts a whole day ends where the next one begins.
        let between = self.ends.map(|(_, before)| first - before).filter(|gap| *gap > 0);
        for (short, long) in between.map(|gap| (gap, gap)).into_iter().chain(other.gaps) {
            let (shortest, longest) = self.gaps.unwrap_or((short, long));
            self.gaps = Some((shortest.min(short), longest.max(long)));
        }
        self.ends = Some((self.ends.map_or(first, |(earliest, _)| earliest), last));
    }

    /// Returns the summary of copies of this stretch that begin at ascending distances from the
    /// start. `unit` is the length of a distance of 1 in milliseconds.
    pub(super) fn repeated(self, unit: u64, distances: impl Iterator<Item = u64>) -> Self {
        let mut all = Self::NONE;
        distances.for_each(|distance| all.append(self, distance * unit));
        all
    }
}
