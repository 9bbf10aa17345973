//! [`Lines`]: splits what a command writes into lines.

/// The longest line, in bytes. Longer ones are written in parts, as Docker does.
pub(super) const LONGEST: usize = 16 * 1024;

/// What a command has written since its last whole line.
#[derive(Debug, Default)]
pub(super) struct Lines {
    begun: Vec<u8>,
}

impl Lines {
    /// Adds bytes, and passes each line that they complete to a function, without its end.
    pub(super) fn push(&mut self, bytes: &[u8], mut take: impl FnMut(&[u8])) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            match part.strip_suffix(b"\n") {
                // Most lines come at once, and need no copy.
                Some(line) if self.begun.is_empty() => in_parts(line, &mut take),
                Some(line) => {
                    self.begun.extend_from_slice(line);
                    in_parts(&self.begun, &mut take);
                    self.begun.clear();
                }
                None => {
                    self.begun.extend_from_slice(part);
                    let whole = self.begun.len() / LONGEST * LONGEST;
                    // A whole part is written once more follows it.
                    if self.begun.len() > LONGEST {
                        let rest = if whole == self.begun.len() { whole - LONGEST } else { whole };
                        self.begun[..rest].chunks(LONGEST).for_each(&mut take);
                        self.begun.drain(..rest);
                    }
                }
            }
        }
    }

    /// Passes the line that was begun to a function.
    pub(super) fn finish(&mut self, take: impl FnMut(&[u8])) {
        if !self.begun.is_empty() {
            in_parts(&std::mem::take(&mut self.begun), take);
        }
    }
}

/// Passes the parts of a line to a function, without the end of a line from Windows.
fn in_parts(line: &[u8], mut take: impl FnMut(&[u8])) {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.is_empty() {
        take(line);
    }
    line.chunks(LONGEST).for_each(take);
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, Lines};

    /// Returns the lines of chunks, each as text.
    fn lines<'c>(chunks: impl IntoIterator<Item = &'c [u8]>) -> Vec<String> {
        let mut found = Vec::new();
        let mut take = |line: &[u8]| found.push(String::from_utf8_lossy(line).into_owned());
        let mut lines = Lines::default();
        for chunk in chunks {
            lines.push(chunk, &mut take);
        }
        lines.finish(take);
        found
    }

    #[test]
    fn lines_are_the_same_however_they_are_cut() {
        let text = "one\n\ntwo\r\nthr\ree\n\nlast".as_bytes();
        for size in 1..=text.len() {
            let expected = ["one", "", "two", "thr\ree", "", "last"];
            assert_eq!(lines(text.chunks(size)), expected, "in chunks of {size}");
        }
    }

    #[test]
    fn a_last_line_end_begins_no_line() {
        assert_eq!(lines([b"one\n".as_slice()]), ["one"]);
        assert_eq!(lines([b"".as_slice()]), [""; 0]);
    }

    #[test]
    fn long_lines_are_written_in_parts_of_bounded_memory() {
        for (length, parts) in
            [(1, 1), (LONGEST, 1), (LONGEST + 1, 2), (3 * LONGEST, 3), (3 * LONGEST + 5, 4)]
        {
            let mut text = vec![b'x'; length];
            text.push(b'\n');
            for size in [1000, LONGEST - 1, LONGEST, LONGEST + 1, 100_000] {
                let found = lines(text.chunks(size));
                assert_eq!(found.len(), parts, "{length} bytes in chunks of {size}");
                assert_eq!(found.concat().len(), length);
                assert!(found.iter().all(|part| part.len() <= LONGEST));
            }
            let mut lines = Lines::default();
            for chunk in text[..length].chunks(100) {
                lines.push(chunk, |_| {});
                assert!(lines.begun.len() <= LONGEST + 100);
            }
        }
    }
}
