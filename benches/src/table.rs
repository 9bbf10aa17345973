//! Markdown tables of measurements and their bounds.

use std::fmt;

/// The bound of a value.
#[derive(Clone, Copy, Debug)]
pub enum Bound {
    /// No bound.
    None,
    /// An upper bound.
    AtMost(f64),
    /// A lower bound.
    AtLeast(f64),
}

impl Bound {
    fn is_met_by(self, value: f64) -> bool {
        match self {
            Self::None => true,
            Self::AtMost(bound) => value <= bound,
            Self::AtLeast(bound) => value >= bound,
        }
    }
}

/// A table, row by row.
#[derive(Debug)]
pub struct Table {
    title: String,
    columns: usize,
    lines: Vec<String>,
    bounded: usize,
    missed: usize,
}

impl Table {
    /// Returns an empty table.
    #[must_use]
    pub fn new(title: &str, headers: &[&str]) -> Self {
        Self {
            title: title.to_owned(),
            columns: headers.len(),
            lines: vec![
                format!("| {} |", headers.join(" | ")),
                format!("| --- {}|", "| ---: ".repeat(headers.len() - 1)),
            ],
            bounded: 0,
            missed: 0,
        }
    }

    /// Adds a row, and returns it to add cells.
    pub fn row(&mut self, label: &str) -> Cells<'_> {
        Cells { line: format!("| {label} |"), left: self.columns - 1, table: self }
    }

    /// Returns how many values have a bound, and how many of them miss it.
    #[must_use]
    pub const fn missed(&self) -> (usize, usize) {
        (self.bounded, self.missed)
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "### {}\n\n{}", self.title, self.lines.join("\n"))?;
        if self.bounded > 0 {
            writeln!(f, "\n{} of {} miss.", self.missed, self.bounded)?;
        }
        Ok(())
    }
}

/// The cells of one row. Missing cells are blank.
#[derive(Debug)]
pub struct Cells<'a> {
    table: &'a mut Table,
    line: String,
    left: usize,
}

impl Cells<'_> {
    /// Adds a cell of text.
    pub fn text(&mut self, text: &str) -> &mut Self {
        self.line.extend([" ", text, " |"]);
        self.left -= 1;
        self
    }

    /// Adds a cell with a value, blank if it is missing, and in bold if it misses its bound.
    pub fn figure(&mut self, value: impl Into<Option<f64>>, bound: Bound) -> &mut Self {
        let Some(value) = value.into() else {
            return self.text("");
        };
        if !matches!(bound, Bound::None) {
            self.table.bounded += 1;
        }
        if bound.is_met_by(value) {
            return self.text(&digits(value));
        }
        self.table.missed += 1;
        self.text(&format!("**{}**", digits(value)))
    }
}

impl Drop for Cells<'_> {
    fn drop(&mut self) {
        self.line.push_str(&" |".repeat(self.left));
        self.table.lines.push(std::mem::take(&mut self.line));
    }
}

/// Formats a value with its significant digits.
fn digits(value: f64) -> String {
    match value {
        _ if value.fract() == 0.0 => format!("{value:.0}"),
        ..10.0 => format!("{value:.2}"),
        ..100.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Bound, Table};

    #[test]
    fn misses_stand_out() {
        let mut table = Table::new("Speed", &["case", "a", "b", "c"]);
        table.row("1").figure(0.5, Bound::AtMost(0.5)).figure(12.345, Bound::AtLeast(40.0));
        table.row("2").text("no").figure(None, Bound::AtMost(1.0));
        let expected = "### Speed\n\n| case | a | b | c |\n| --- | ---: | ---: | ---: |\n\
                        | 1 | 0.50 | **12.3** | |\n| 2 | no |  | |\n\n1 of 2 miss.\n";
        assert_eq!(table.to_string(), expected);
    }
}
