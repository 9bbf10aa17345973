//! [`Checksum`]: CRC-32C, which detects every error burst of up to 32 bits, and misses one in 2³²
//! others.

/// The remainders of all bytes for the reversed Castagnoli polynomial.
const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0_u32;
    while byte < 256 {
        let mut remainder = byte;
        let mut bit = 0;
        while bit < 8 {
            let polynomial = if remainder & 1 == 1 { 0x82f6_3b78 } else { 0 };
            remainder = remainder >> 1 ^ polynomial;
            bit += 1;
        }
        table[byte as usize] = remainder;
        byte += 1;
    }
    table
};

#[derive(Clone, Copy)]
pub(super) struct Checksum(u32);

impl Checksum {
    /// Starts the checksum of a row of a table.
    pub(super) fn of_table(name: &str) -> Self {
        Self(u32::MAX).text(name)
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
        value.map_or(self, |value| self.byte(column).integer(value))
    }

    fn bytes(self, bytes: &[u8]) -> Self {
        Self(bytes.iter().fold(self.0, |sum, byte| {
            let [low, ..] = sum.to_le_bytes();
            sum >> 8 ^ TABLE[usize::from(low ^ byte)]
        }))
    }

    /// Returns the checksum as it is stored: as a signed integer, which takes four bytes.
    pub(super) fn finish(self) -> i64 {
        (!self.0).cast_signed().into()
    }
}

#[cfg(test)]
mod tests {
    use super::Checksum;

    /// The check value that catalogues of checksums list for CRC-32C.
    #[test]
    fn checksum_is_crc_32c() {
        let checksum = Checksum(u32::MAX).bytes(b"123456789").finish();
        assert_eq!(checksum, 0xe306_9283_u32.cast_signed().into());
    }

    #[test]
    fn text_follows_its_length_in_eight_bytes() {
        let expected = Checksum(u32::MAX).bytes(b"\x04\0\0\0\0\0\0\0load");
        assert_eq!(Checksum(u32::MAX).text("load").finish(), expected.finish());
    }
}
