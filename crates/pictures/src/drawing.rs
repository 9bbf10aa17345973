//! [`Drawing`]: an SVG document that grows downwards.

use std::fmt::Write as _;

use svg::Document;
use svg::node::element::{Description, Group, Rectangle, Style, Text, Title};
use svg::node::{Node, Text as Characters};

use crate::shades::{DARK, LIGHT, Palette, STATES, Shades};
use crate::text::{clean, cut, wrap};
use crate::{Picture, text, words};

/// The space around a drawing.
pub(crate) const MARGIN: f64 = 16.0;

/// The size of text.
pub(crate) const FONT: f64 = 13.0;

/// The width of a character relative to its height: more than the average of common fonts, so that text fits in all of
/// them.
const CHARACTER: f64 = 0.61;

/// Which end of a text is at its coordinates.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// An SVG document.
pub(crate) struct Drawing {
    title: String,
    description: String,
    width: f64,
    /// Where the next part begins.
    y: f64,
    content: Group,
}

impl Drawing {
    /// Starts a document with the heading of a picture.
    pub(crate) fn new(width: u32, picture: &impl Picture) -> Self {
        let (title, description) = (clean(&picture.title()), clean(&picture.description()));
        let content = Group::new();
        let mut drawing =
            Self { title, description, width: f64::from(width.max(300)), y: MARGIN, content };
        drawing.lines(&drawing.title.clone(), 16.0, "strong", [18.0, 4.0]);
        drawing.note(&drawing.description.clone());
        drawing.y += 20.0;
        drawing
    }

    pub(crate) fn inner_width(&self) -> f64 {
        self.width - 2.0 * MARGIN
    }

    /// Returns where the next part begins.
    pub(crate) const fn y(&self) -> f64 {
        self.y
    }

    pub(crate) fn advance(&mut self, height: f64) {
        self.y += height;
    }

    pub(crate) fn add(&mut self, node: impl Into<Box<dyn Node>>) {
        self.content.append(node);
    }

    /// Adds a text of a class.
    pub(crate) fn label(
        &mut self,
        label: &str,
        x: f64,
        y: f64,
        font: f64,
        anchor: Anchor,
        class: &str,
    ) {
        self.add(text(label, x, y, font, anchor).set("class", class));
    }

    /// Adds a rectangle of a class, with a tooltip.
    pub(crate) fn cell(&mut self, tooltip: &str, cell: Rectangle, class: &str) {
        self.add(mark(tooltip).add(cell.set("class", class)));
    }

    /// Makes the document at least this wide.
    pub(crate) fn widen(&mut self, width: f64) {
        self.width = self.width.max(width.ceil());
    }

    /// Adds the heading of a part.
    pub(crate) fn heading(&mut self, heading: &str) {
        self.lines(heading, FONT + 1.0, "strong", [FONT * 1.5, 0.0]);
    }

    /// Adds a paragraph.
    pub(crate) fn note(&mut self, note: &str) {
        self.lines(note, FONT, "faint", [FONT * 1.4, 0.0]);
    }

    /// Adds a text in as many lines as it needs, each between two spaces.
    fn lines(&mut self, text: &str, font: f64, class: &str, [above, below]: [f64; 2]) {
        for line in wrap(&clean(text), fitting(self.inner_width(), font)) {
            self.y += above;
            self.label(&line, MARGIN, self.y, font, Anchor::Start, class);
            self.y += below;
        }
    }

    /// Adds a legend of the shades.
    pub(crate) fn legend(&mut self, name: &str, shades: &Shades) {
        let entry = |(level, counts)| (format!("l{level}"), words::range(counts));
        let entries = shades.legend().map(entry).collect::<Vec<_>>();
        let entries = entries.iter().map(|(class, counts)| (&**class, &**counts));
        self.entries(name, entries);
    }

    /// Adds a legend of the marks of some classes.
    pub(crate) fn keys(&mut self, keys: &[(&str, &str)]) {
        if !keys.is_empty() {
            self.entries("", keys.iter().copied());
        }
    }

    fn entries<'a>(&mut self, name: &str, entries: impl Iterator<Item = (&'a str, &'a str)>) {
        self.y += 6.0;
        let mut x = MARGIN;
        if !name.is_empty() {
            self.label(name, x, self.y + 12.0, FONT, Anchor::Start, "faint");
            x += length(name, FONT) + 8.0;
        }
        for (class, meaning) in entries {
            let entry = 20.0 + length(meaning, FONT) + 12.0;
            if x + entry > self.width - MARGIN {
                x = MARGIN;
                self.y += 22.0;
            }
            self.add(rectangle(x, self.y, 14.0, 14.0).set("rx", 3).set("class", class));
            self.label(meaning, x + 20.0, self.y + 12.0, FONT, Anchor::Start, "faint");
            x += entry;
        }
        self.y += 22.0;
    }

    /// Ends the document.
    pub(crate) fn finish(self) -> String {
        let bottom = (self.y + MARGIN).ceil();
        let [width, height] = [self.width, bottom].map(hundredths);
        let paper = rectangle(0.0, 0.0, self.width, bottom).set("class", "paper");
        let document = Document::new()
            .set("viewBox", format!("0 0 {width} {height}"))
            .set("width", width)
            .set("height", height)
            .set("role", "img")
            .set("class", "millicron")
            .add(Title::new(self.title))
            .add(Description::new().add(Characters::new(self.description)))
            .add(Style::new(style_sheet()))
            .add(paper)
            .add(self.content);
        document.to_string()
    }
}

/// Returns the style sheet. All rules are scoped to the document's own class, as a page applies them everywhere.
fn style_sheet() -> String {
    format!(
        ".millicron text{{font-family:system-ui,sans-serif;font-variant-numeric:tabular-nums}}\
         .millicron .strong{{font-weight:600}}{}@media(prefers-color-scheme:dark){{{}}}",
        rules(&LIGHT),
        rules(&DARK),
    )
}

fn rules(palette: &Palette) -> String {
    let Palette { paper, ink, faint, accent, run, load, states, levels } = palette;
    let mut rules = format!(
        ".millicron .paper{{fill:{paper}}}.millicron text{{fill:{ink}}}.millicron .faint{{fill:{faint}}}\
         .millicron .line{{stroke:{faint};fill:none}}\
         .millicron .closed{{fill:{paper};stroke:{faint};stroke-dasharray:1 3}}.millicron .change{{stroke:{accent};stroke-width:2}}\
         .millicron .accent{{fill:{accent}}}.millicron .edge{{fill:{faint};opacity:.5}}\
         .millicron .box{{fill:{};stroke:{faint}}}.millicron .arrow{{fill:{faint}}}\
         .millicron .label{{stroke:{paper};stroke-width:5;paint-order:stroke}}",
        levels[0].0,
    );
    let _ = write!(
        rules,
        ".millicron .start{{fill:{ink}}}.millicron .run{{fill:{run}}}.millicron .load{{fill:{load}}}\
         .millicron .peak{{fill:{accent}}}.millicron .inset{{stroke:{paper};stroke-width:2;fill:none}}",
    );
    for (state, color) in STATES.iter().zip(states) {
        let _ = write!(rules, ".millicron .{state}{{fill:{color}}}");
    }
    for (level, (fill, ink)) in levels.iter().enumerate() {
        let _ =
            write!(rules, ".millicron .l{level}{{fill:{fill}}}.millicron .t{level}{{fill:{ink}}}");
    }
    rules
}

/// Returns a group with a tooltip of one or more lines, which a page shows as its details.
pub(crate) fn mark(tooltip: &str) -> Group {
    let lines = tooltip.split('\n').map(clean).collect::<Vec<_>>();
    Group::new().set("class", "mark").add(Title::new(lines.join("\n")))
}

pub(crate) fn rectangle(x: f64, y: f64, width: f64, height: f64) -> Rectangle {
    let rectangle = Rectangle::new().set("x", hundredths(x)).set("y", hundredths(y));
    rectangle.set("width", hundredths(width)).set("height", hundredths(height))
}

pub(crate) fn text(content: &str, x: f64, y: f64, font: f64, anchor: Anchor) -> Text {
    let text = Text::new(clean(content))
        .set("x", hundredths(x))
        .set("y", hundredths(y))
        .set("font-size", hundredths(font));
    match anchor {
        Anchor::Start => text,
        Anchor::Middle => text.set("text-anchor", "middle"),
        Anchor::End => text.set("text-anchor", "end"),
    }
}

/// Returns a text, truncated to a width.
pub(crate) fn fit(content: &str, width: f64, font: f64) -> String {
    cut(content, fitting(width, font))
}

/// Returns the approximate width of a text.
pub(crate) fn length(content: &str, font: f64) -> f64 {
    text::width(content) as f64 * font * CHARACTER
}

/// Returns the approximate width of the longest text.
pub(crate) fn longest(texts: impl Iterator<Item = String>) -> f64 {
    texts.map(|text| length(&text, FONT)).fold(0.0, f64::max)
}

/// Returns how many characters fit in a width.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
fn fitting(width: f64, font: f64) -> usize {
    (width / font / CHARACTER).max(1.0) as usize
}

/// Rounds to hundredths of a pixel, which keeps the document short.
pub(crate) fn round(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}

/// Writes a number rounded to hundredths. `Display` of `f64` handles any number and precision, in 16 KB of WebAssembly.
#[expect(clippy::cast_possible_truncation, reason = "saturates")]
fn hundredths(number: f64) -> String {
    let hundredths = (number * 100.0).round() as i64;
    let sign = if hundredths < 0 { "-" } else { "" };
    let (whole, rest) = (hundredths.unsigned_abs() / 100, hundredths.unsigned_abs() % 100);
    match (rest, rest % 10) {
        (0, _) => format!("{sign}{whole}"),
        (_, 0) => format!("{sign}{whole}.{}", rest / 10),
        _ => format!("{sign}{whole}.{rest:02}"),
    }
}
