//! Looks for damage in the log (`-wal`).
//!
//! `SQLite` reads the log up to the first frame with a wrong checksum, and drops the rest: it takes
//! that frame for a part of the last transaction, which the power failed to write. But a transaction
//! follows another one only after that has reached the disk. So if transactions follow the frame, it
//! is damaged, and they must not be dropped.
//!
//! See <https://www.sqlite.org/fileformat2.html#the_write_ahead_log>.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read};
use std::path::Path;
use std::vec;

/// Returns whether frames that reached the disk follow a damaged one. If another process is writing,
/// an intact log may seem to be damaged.
pub(super) fn is_damaged(log: &Path, page_size: usize) -> io::Result<bool> {
    let mut log = BufReader::new(File::open(log)?);
    let mut header = [0; 32];
    let mut frame = vec![0; 24 + page_size];
    if !read(&mut log, &mut header)? || !read(&mut log, &mut frame)? {
        return Ok(false);
    }
    let mut sum = Sum { is_big_endian: header[3] & 1 == 1, values: [0; 2] };
    sum.add(&header[..24]);
    let mut is_intact = sum.bytes() == header[24..];
    // Frames with another salt are left from earlier.
    let mut salt = [0; 8];
    salt.copy_from_slice(if is_intact { &header[16..24] } else { &frame[8..16] });
    let mut has_committed = false;
    loop {
        sum.add(&frame[..8]);
        sum.add(&frame[24..]);
        is_intact &= frame[8..16] == salt && frame[16..24] == sum.bytes();
        if !is_intact && frame[8..16] == salt {
            if has_committed {
                return Ok(true);
            }
            has_committed = frame[4..8] != [0; 4];
        }
        if !read(&mut log, &mut frame)? {
            return Ok(false);
        }
    }
}

/// Fills a buffer; returns whether there were enough bytes.
fn read(log: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match log.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// The checksum of a log, which goes on from frame to frame.
struct Sum {
    is_big_endian: bool,
    values: [u32; 2],
}

impl Sum {
    fn add(&mut self, bytes: &[u8]) {
        let [mut a, mut b] = self.values;
        for pair in bytes.as_chunks::<8>().0 {
            let [first, second] =
                [[pair[0], pair[1], pair[2], pair[3]], [pair[4], pair[5], pair[6], pair[7]]];
            let from = if self.is_big_endian { u32::from_be_bytes } else { u32::from_le_bytes };
            a = a.wrapping_add(from(first)).wrapping_add(b);
            b = b.wrapping_add(from(second)).wrapping_add(a);
        }
        self.values = [a, b];
    }

    fn bytes(&self) -> [u8; 8] {
        let [a, b] = self.values.map(u32::to_be_bytes);
        [a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]]
    }
}
