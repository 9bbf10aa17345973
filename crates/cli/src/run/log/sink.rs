//! [`Sink`]: standard output or standard error, to which lines are written.

use std::fs::File;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::Duration;

/// The most bytes to write at once, apart from longer lines. A reader that is slow, but does not pause, should soon have
/// read that much.
const MOST_AT_ONCE: usize = 16 * 1024;

/// Standard output or standard error.
pub(super) struct Sink {
    file: File,
    /// Whether it is a file on a disk, which may fail, rather than a pipe or a terminal, which may be closed.
    is_on_disk: bool,
    progress: WriteProgress,
    /// Whether the last lines were lost.
    is_losing: AtomicBool,
}

/// How a write has failed.
pub(super) enum Failure {
    /// The disk is full or fails. It may work again.
    Lost { error: io::Error, is_first: bool },
    /// It is a pipe without a reader, or a closed terminal.
    Closed(io::Error),
}

impl Sink {
    pub(super) fn new(file: File) -> Self {
        let is_on_disk = file.metadata().is_ok_and(|metadata| metadata.is_file());
        Self {
            file,
            is_on_disk,
            progress: WriteProgress::default(),
            is_losing: AtomicBool::new(false),
        }
    }

    /// Returns whether lines are lost because the disk is full or fails.
    pub(super) fn is_losing(&self) -> bool {
        self.is_losing.load(Ordering::Relaxed)
    }

    /// Writes lines. Blocks until they are read, and calls a function whenever some were.
    pub(super) fn write(&self, lines: &[u8], progressed: impl Fn()) -> Result<(), Failure> {
        if lines.is_empty() {
            return Ok(());
        }
        match self.progress.write(&self.file, lines, progressed) {
            Ok(()) => {
                self.is_losing.store(false, Ordering::Relaxed);
                Ok(())
            }
            Err(error) if self.is_on_disk || error.kind() == io::ErrorKind::StorageFull => {
                let is_first = !self.is_losing.swap(true, Ordering::Relaxed);
                Err(Failure::Lost { error, is_first })
            }
            Err(error) => Err(Failure::Closed(error)),
        }
    }
}

/// How far lines were written.
#[derive(Default)]
struct WriteProgress {
    /// Whether a write has failed within a line.
    is_torn: AtomicBool,
}

impl WriteProgress {
    /// Writes lines. If an earlier write has failed within a line, that line is ended first.
    fn write(&self, mut file: impl Write, lines: &[u8], progressed: impl Fn()) -> io::Result<()> {
        if self.is_torn.load(Ordering::Relaxed) {
            self.write_all(&mut file, b"\n", &progressed)?;
        }
        self.write_all(&mut file, lines, &progressed)
    }

    fn write_all(
        &self,
        file: &mut impl Write,
        mut bytes: &[u8],
        progressed: &impl Fn(),
    ) -> io::Result<()> {
        while !bytes.is_empty() {
            match file.write(first_lines(bytes)) {
                Ok(0) => return Ok(()),
                Ok(written) => {
                    let (done, left) = bytes.split_at(written.min(bytes.len()));
                    self.is_torn
                        .store(!left.is_empty() && !done.ends_with(b"\n"), Ordering::Relaxed);
                    bytes = left;
                    progressed();
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // Another process that shares the file has made it non-blocking.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    sleep(Duration::from_millis(1));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Returns the first of the lines to write. They are whole, since another process may append to the same file.
fn first_lines(bytes: &[u8]) -> &[u8] {
    let is_end = |byte: &u8| *byte == b'\n';
    let Some((head, rest)) = bytes.split_at_checked(MOST_AT_ONCE) else { return bytes };
    let end = head.iter().rposition(is_end);
    let end = end.or_else(|| Some(MOST_AT_ONCE + rest.iter().position(is_end)?));
    end.and_then(|end| bytes.get(..=end)).unwrap_or(bytes)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::io::{self, Write};

    use super::{MOST_AT_ONCE, WriteProgress};

    /// A disk with some room.
    struct Disk {
        content: Vec<u8>,
        room: usize,
    }

    impl Write for &mut Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let written = bytes.len().min(self.room);
            if written == 0 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.content.extend_from_slice(&bytes[..written]);
            self.room -= written;
            Ok(written)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_line_after_a_torn_one_begins_on_its_own() {
        // All room for the first two lines, then for a line break, then for everything.
        for (room, expected) in [
            (0, "third\n"),
            (3, "fir\nthird\n"),
            (5, "first\nthird\n"),
            (6, "first\nthird\n"),
            (7, "first\ns\nthird\n"),
            (13, "first\nsecond\nthird\n"),
        ] {
            for between in [0, 1] {
                let mut disk = Disk { content: Vec::new(), room };
                let progress = WriteProgress::default();
                let _ = progress.write(&mut disk, b"first\nsecond\n", || ());
                let _ = progress.write(&mut disk, b"lost\n", || ());
                disk.room = between;
                let _ = progress.write(&mut disk, b"", || ());
                disk.room = usize::MAX;
                progress.write(&mut disk, b"third\n", || ()).expect("the disk has room");
                assert_eq!(String::from_utf8_lossy(&disk.content), expected, "{room} {between}");
            }
        }
    }

    /// Remembers each write.
    #[derive(Default)]
    struct Writes(Vec<Vec<u8>>);

    impl Write for &mut Writes {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.push(bytes.to_vec());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn progress_is_reported_after_a_few_whole_lines() {
        let most = MOST_AT_ONCE;
        for lengths in [
            vec![],
            vec![1],
            vec![most],
            vec![most + 1],
            vec![most + 1, 10],
            vec![10, most - 10, 10],
            vec![10, most - 9, 10],
            vec![3 * most, 10, 2 * most, most, 1],
            vec![100; 2000],
        ] {
            let line = |length: &usize| "x".repeat(length - 1) + "\n";
            let text = lengths.iter().map(line).collect::<String>();
            let (mut writes, reports) = (Writes::default(), Cell::new(0));
            let written = WriteProgress::default()
                .write(&mut writes, text.as_bytes(), || reports.set(reports.get() + 1));
            written.expect("it does not fail");
            assert_eq!(writes.0.concat(), text.as_bytes());
            assert_eq!(writes.0.len(), reports.get());
            for write in &writes.0 {
                assert!(write.ends_with(b"\n"));
                let lines = write.split_inclusive(|byte| *byte == b'\n').count();
                assert!(write.len() <= most || lines == 1);
            }
        }
    }
}
