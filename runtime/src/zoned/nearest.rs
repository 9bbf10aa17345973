//! Finds the names nearest to an unknown one.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

/// The most names to suggest.
const MOST: usize = 3;

/// Longer names are not compared. The longest one of the IANA database has 32 bytes.
const LONGEST: usize = 48;

/// Returns the names with the fewest typing errors, at most three and in their original order.
/// Names with too many errors are left out.
///
/// Case, `_` and spaces are ignored. The last component is enough: `berlin` is near
/// `Europe/Berlin`. Few errors are allowed, since who takes the name of another city for his own
/// has events at the wrong hours: `Europe/Munich` is not near `Europe/Zurich`.
#[must_use]
pub fn nearest_names(unknown: &str, names: impl Iterator<Item: AsRef<str>>) -> Vec<String> {
    let mut nearest = Vec::new();
    let Some(query) = Letters::of(unknown) else { return nearest };
    let mut least = usize::MAX;
    for name in names {
        let name = name.as_ref();
        let Some(score) = Letters::of(name).and_then(|name| query.score(&name)) else { continue };
        if score < least {
            nearest.clear();
            least = score;
        }
        if score == least && nearest.len() < MOST {
            nearest.push(name.to_owned());
        }
    }
    nearest
}

/// The parts of a name that are compared: letters in lower case, digits, `/`, `+` and `-`.
struct Letters {
    all: Vec<u8>,
    is_abbreviation: bool,
}

impl Letters {
    /// Returns the letters of a name, or `None` if it has no letters or too many.
    fn of(name: &str) -> Option<Self> {
        let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || b"/+-".contains(byte);
        let all: Vec<u8> =
            name.to_ascii_lowercase().into_bytes().into_iter().filter(is_letter).collect();
        let is_abbreviation = name.bytes().all(|byte| byte.is_ascii_uppercase());
        Some(Self { all, is_abbreviation })
            .filter(|letters| !letters.last().is_empty() && letters.all.len() <= LONGEST)
    }

    /// Returns the last component.
    fn last(&self) -> &[u8] {
        self.all.rsplit(|byte| *byte == b'/').next().unwrap_or_default()
    }

    /// Returns how far a name is from this one; `None` if it is too far.
    fn score(&self, name: &Self) -> Option<usize> {
        // Abbreviations that differ in one letter can be hours apart.
        let most = match self.last().len() {
            _ if self.is_abbreviation => 0,
            0..4 => 0,
            4..8 => 1,
            _ => 2,
        };
        // Another region counts as one error.
        let another_region = usize::from(self.all.contains(&b'/'));
        let by_component = within(self.last(), name.last(), most - another_region.min(most));
        let by_component = by_component.map(|errors| errors + another_region);
        let whole = within(&self.all, &name.all, most.max(another_region));
        [whole, by_component].into_iter().flatten().min()
    }
}

/// Returns the distance between two texts, if it is at most a number.
fn within(from: &[u8], to: &[u8], most: usize) -> Option<usize> {
    if from.len().abs_diff(to.len()) > most {
        return None;
    }
    Some(distance(from, to)).filter(|errors| *errors <= most)
}

/// Returns how many letters must be inserted, deleted, replaced, or swapped with the next one to
/// turn one text into the other: the optimal string alignment distance. Neither is longer than
/// [`LONGEST`].
fn distance(from: &[u8], to: &[u8]) -> usize {
    // Each row has the distances from a prefix of `from` to all prefixes of `to`.
    let mut before = [0; LONGEST + 1];
    let mut last: [usize; LONGEST + 1] = core::array::from_fn(|len| len);
    for (i, a) in from.iter().enumerate() {
        let mut row = [i + 1; LONGEST + 1];
        for (j, b) in to.iter().enumerate() {
            let replaced = last[j] + usize::from(a != b);
            row[j + 1] = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            let is_swapped = i > 0 && j > 0 && *a == to[j - 1] && from[i - 1] == *b;
            if is_swapped {
                row[j + 1] = row[j + 1].min(before[j - 1] + 1);
            }
        }
        before = last;
        last = row;
    }
    last[to.len()]
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn distances() {
        for (from, to, expected) in [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("berlin", "berlin", 0),
            ("berlim", "berlin", 1),
            ("berln", "berlin", 1),
            ("berrlin", "berlin", 1),
            ("beriln", "berlin", 1),
            ("kitten", "sitting", 3),
            ("ca", "abc", 3),
            ("ab", "ba", 1),
        ] {
            assert_eq!(distance(from.as_bytes(), to.as_bytes()), expected, "{from} to {to}");
            assert_eq!(distance(to.as_bytes(), from.as_bytes()), expected, "{to} to {from}");
        }
    }
}
