//! [`Lines`]: splits the output of a command into lines.

/// The longest line, in bytes. Longer ones are written in parts, as Docker does.
pub(crate) const LONGEST: usize = 16 * 1024;

/// Collects the unfinished line of a command.
#[derive(Debug)]
pub(crate) struct Lines {
    longest: usize,
    begun: Vec<u8>,
}

/// A line of a command, or a part of a long one, without the line break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part<'b> {
    pub(crate) bytes: &'b [u8],
    /// Whether the line continues.
    pub(crate) is_partial: bool,
}

impl Lines {
    pub(crate) const fn new(longest: usize) -> Self {
        Self { longest, begun: Vec::new() }
    }

    /// Adds bytes, and passes each completed line to a function.
    pub(crate) fn push(&mut self, bytes: &[u8], mut take: impl FnMut(Part<'_>)) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            match part.strip_suffix(b"\n") {
                // Most lines arrive whole, and need no copy.
                Some(line) if self.begun.is_empty() => self.whole(line, &mut take),
                Some(line) => {
                    self.begun.extend_from_slice(line);
                    self.whole(&self.begun, &mut take);
                    self.begun.clear();
                }
                None => {
                    self.begun.extend_from_slice(part);
                    let rest = self.parts(&self.begun, &mut take).len();
                    self.begun.drain(..self.begun.len() - rest);
                }
            }
        }
    }

    /// Passes the unfinished line to a function.
    pub(crate) fn finish(&mut self, mut take: impl FnMut(Part<'_>)) {
        if !self.begun.is_empty() {
            self.whole(&self.begun, &mut take);
            self.begun.clear();
        }
    }

    fn whole(&self, line: &[u8], take: &mut impl FnMut(Part<'_>)) {
        let bytes = self.parts(line, take);
        take(Part { bytes, is_partial: false });
    }

    /// Passes all parts of a line but the last to a function, and returns the last.
    fn parts<'l>(&self, mut line: &'l [u8], take: &mut impl FnMut(Part<'_>)) -> &'l [u8] {
        while line.len() > self.longest {
            let (bytes, rest) = line.split_at(boundary(line, self.longest));
            take(Part { bytes, is_partial: true });
            line = rest;
        }
        line
    }
}

/// Returns where to cut a line without splitting a UTF-8 character.
fn boundary(line: &[u8], most: usize) -> usize {
    let is_boundary = |at: &usize| line.get(*at).is_some_and(|byte| byte & 0xC0 != 0x80);
    // Bytes that are not UTF-8 are cut anywhere.
    (most.saturating_sub(3)..=most).rev().find(is_boundary).filter(|at| *at > 0).unwrap_or(most)
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, Lines, Part};

    /// Returns the lines of chunks, each as text.
    fn lines<'c>(chunks: impl IntoIterator<Item = &'c [u8]>) -> Vec<String> {
        let mut found = Vec::new();
        let mut take =
            |part: Part<'_>| found.push(String::from_utf8_lossy(part.bytes).into_owned());
        let mut lines = Lines::new(LONGEST);
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
            let expected = ["one", "", "two\r", "thr\ree", "", "last"];
            assert_eq!(lines(text.chunks(size)), expected, "in chunks of {size}");
        }
    }

    #[test]
    fn long_lines_are_cut_between_characters() {
        let text = "aé€𝄞".repeat(10) + "\n";
        for longest in 4..50 {
            for size in 1..=text.len() {
                let mut found = Vec::new();
                let mut take = |part: Part<'_>| found.push((part.bytes.to_vec(), part.is_partial));
                let mut lines = Lines::new(longest);
                text.as_bytes().chunks(size).for_each(|chunk| lines.push(chunk, &mut take));
                lines.finish(take);
                let (last, parts) = found.split_last().expect("a line");
                assert!(!last.1 && parts.iter().all(|part| part.1));
                let strings = found.iter().map(|part| std::str::from_utf8(&part.0).expect("UTF-8"));
                assert_eq!(strings.collect::<String>() + "\n", text);
                assert!(found.iter().all(|part| part.0.len() <= longest));
            }
        }
        // Bytes that are not UTF-8 are cut, too.
        assert_eq!(lines([vec![0x80; LONGEST * 2].as_slice()]).len(), 2);
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
            let mut lines = Lines::new(LONGEST);
            for chunk in text[..length].chunks(100) {
                lines.push(chunk, |_| {});
                assert!(lines.begun.len() <= LONGEST + 100);
            }
        }
    }
}
