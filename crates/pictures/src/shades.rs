//! [`Shades`]: maps event counts to shades.

use anstyle::{Ansi256Color, Style};

/// The number of shades for nonzero counts.
const LEVELS: u8 = 5;

/// The shades of counts, from 1 to the largest count of a picture.
///
/// Each level covers a fifth of the range; level 0 means no events. The largest count has the last level, and so
/// have all counts if they are equal.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shades {
    largest: u64,
    /// The smallest and the largest count of each level, if it has any.
    levels: [Option<(u64, u64)>; 6],
}

impl Shades {
    pub(crate) fn new(counts: impl Iterator<Item = u64>) -> Self {
        let counts = counts.collect::<Vec<_>>();
        let largest = counts.iter().copied().max().unwrap_or(0);
        let mut shades = Self { largest, ..Self::default() };
        for count in counts {
            let level = shades.level(count);
            let (least, most) = shades.levels[level].unwrap_or((count, count));
            shades.levels[level] = Some((least.min(count), most.max(count)));
        }
        shades
    }

    /// Returns the level of a count: 0 to 5.
    pub(crate) fn level(&self, count: u64) -> usize {
        let parts = u128::from(count) * u128::from(LEVELS);
        let level = parts.div_ceil(self.largest.max(1).into()).min(LEVELS.into());
        usize::try_from(level).unwrap_or(0)
    }

    /// Returns the levels in use, with the smallest and the largest count of each.
    pub(crate) fn legend(&self) -> impl Iterator<Item = (usize, (u64, u64))> {
        self.levels
            .iter()
            .copied()
            .enumerate()
            .skip(1)
            .filter_map(|(level, counts)| Some((level, counts?)))
    }
}

/// The characters of the levels in text, from sparse to dense.
pub(crate) const GLYPHS: [char; 6] = [' ', '·', '░', '▒', '▓', '█'];

/// Returns the style of a level in text.
///
/// The backgrounds follow the color map cividis, taken from the fixed part of the 256-color palette to look the same
/// in every theme. Lightness rises along with hue, so nobody needs to tell red from green.
pub(crate) fn style(level: usize) -> Style {
    const WHITE: u8 = 231;
    const BLACK: u8 = 16;
    let (background, ink) = match level {
        0 => return Style::new(),
        1 => (17, WHITE),
        2 => (60, WHITE),
        3 => (102, BLACK),
        4 => (143, BLACK),
        _ => (221, BLACK),
    };
    Style::new()
        .bg_color(Some(Ansi256Color(background).into()))
        .fg_color(Some(Ansi256Color(ink).into()))
}

/// The colors of a picture in a light or dark scheme.
pub(crate) struct Palette {
    pub(crate) paper: &'static str,
    pub(crate) ink: &'static str,
    /// Secondary text, and lines.
    pub(crate) faint: &'static str,
    /// Stands out even against the levels, if a line of the paper color is between.
    pub(crate) accent: &'static str,
    /// Runs of jobs, and the load.
    pub(crate) run: &'static str,
    pub(crate) load: &'static str,
    /// The colors of [`STATES`].
    pub(crate) states: [&'static str; 5],
    /// The colors of each level and the text on it.
    pub(crate) levels: [(&'static str, &'static str); 6],
}

/// The classes for the most notable outcome of a job's runs.
pub(crate) const STATES: [&str; 5] = ["failed", "incomplete", "skipped", "succeeded", "no-runs"];

/// On a light background, more is darker. The state colors are from the Okabe-Ito
/// palette, darkened where they would be too pale.
pub(crate) const LIGHT: Palette = Palette {
    paper: "#ffffff",
    ink: "#1b1f24",
    faint: "#59636e",
    accent: "#b3261e",
    run: "#2f8780",
    load: "#7b5ea7",
    states: ["#cc5500", "#0072b2", "#946200", "#007a59", "#6e747d"],
    levels: [
        ("#eceff2", "#59636e"),
        ("#b27d00", "#000000"),
        ("#846644", "#ffffff"),
        ("#5a5360", "#ffffff"),
        ("#333b6b", "#ffffff"),
        ("#001a45", "#ffffff"),
    ],
};

/// On a dark background, more is lighter.
pub(crate) const DARK: Palette = Palette {
    paper: "#15181d",
    ink: "#e6e9ec",
    faint: "#9aa4af",
    accent: "#ff8a80",
    run: "#3a8d86",
    load: "#9579c4",
    states: ["#e8681a", "#56b4e9", "#e69f00", "#1fae84", "#9aa4af"],
    levels: [
        ("#262b33", "#9aa4af"),
        ("#6b7697", "#000000"),
        ("#949083", "#000000"),
        ("#bba86c", "#000000"),
        ("#dcc552", "#000000"),
        ("#fee838", "#000000"),
    ],
};
