//! [`Checksum`]: CRC-32C, which detects every error burst of up to 32 bits, and misses one in 2³²
//! others.

use crc::{CRC_32_ISCSI, Crc, Digest};

static CRC_32C: Crc<u32> = Crc::<u32>::new(&CRC_32_ISCSI);

#[derive(Clone)]
pub(super) struct Checksum(Digest<'static, u32>);

impl Checksum {
    /// Starts the checksum of a row of a table.
    pub(super) fn of_table(name: &str) -> Self {
        Self(CRC_32C.digest()).text(name)
    }

    /// Adds a string, preceded by its length, so that it cannot be confused with what follows.
    pub(super) fn text(self, text: &str) -> Self {
        // The same number of bytes on every platform, since a file can be moved to another one.
        let length = u64::try_from(text.len()).unwrap_or(u64::MAX);
        self.bytes(&length.to_le_bytes()).bytes(text.as_bytes())
    }

    pub(super) fn integer(self, integer: i64) -> Self {
        self.bytes(&integer.to_le_bytes())
    }

    pub(super) fn byte(self, byte: u8) -> Self {
        self.bytes(&[byte])
    }

    /// Adds a nullable column. Null adds nothing, so that a record has the same checksum as before
    /// the column existed.
    pub(super) fn column(self, column: u8, value: Option<i64>) -> Self {
        match value {
            Some(value) => self.byte(column).integer(value),
            None => self,
        }
    }

    fn bytes(mut self, bytes: &[u8]) -> Self {
        self.0.update(bytes);
        self
    }

    /// Returns the checksum as it is stored: as a signed integer, which takes four bytes.
    pub(super) fn finish(self) -> i64 {
        self.0.finalize().cast_signed().into()
    }
}

#[cfg(test)]
mod tests {
    use super::Checksum;

    /// The checksums are part of the file format.
    #[test]
    fn checksum_is_crc_32c_of_texts_that_follow_their_lengths() {
        let checksum = Checksum::of_table("run").finish();
        let bytes = Checksum(super::CRC_32C.digest()).bytes(b"\x03\0\0\0\0\0\0\0run");
        assert_eq!(checksum, bytes.finish());
        let checksum = Checksum(super::CRC_32C.digest()).bytes(b"123456789").finish();
        assert_eq!(checksum, 0xe306_9283_u32.cast_signed().into());
    }
}
