//! [`BusinessDays`]: days that depend on which days are business days.

/// Days that depend on which days are business days: those of the schedule's calendar or, without
/// one, Monday to Friday.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BusinessDays {
    /// `B`: every business day.
    pub is_every: bool,
    /// `B#k`: bit k - 1 for the k-th business day of the month, 1-31.
    pub numbered: u32,
    /// `B#L-n`: bit n for the n-th business day before the last of the month, 0-30.
    pub before_last: u32,
    /// Days that are moved to a business day.
    pub moves: Moves,
}

/// The weekdays that are business days without a calendar, as bits from Sunday.
pub(crate) const MONDAY_TO_FRIDAY: u8 = 0b011_1110;

impl BusinessDays {
    /// No days.
    pub(crate) const NONE: Self =
        Self { is_every: false, numbered: 0, before_last: 0, moves: Moves::NONE };

    /// Whether there are no such days.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        !self.has_weekdays() && self.moves.is_empty()
    }

    /// Whether some business days are given in place of weekdays.
    #[must_use]
    pub const fn has_weekdays(&self) -> bool {
        self.is_every || self.has_numbers()
    }

    /// Whether some business days are given by their number in the month.
    #[must_use]
    pub const fn has_numbers(&self) -> bool {
        self.numbered | self.before_last != 0
    }
}

/// Days of the month that are moved to a business day in the same way: `15>B`, `L<B!-2`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move {
    /// Whether a day that is no business day is moved back: `<B`, ISDA's "preceding". Otherwise it
    /// is moved forward: `>B`, "following".
    pub is_back: bool,
    /// Whether a day that would leave its month is moved the other way: `!`, ISDA's "modified".
    pub is_modified: bool,
    /// By how many business days to move further: later if positive, -99 to 99.
    pub offset: i8,
    /// The days: bit a - 1 for day a, and bit 31 + n for `L-n`, 0-30.
    pub days: u64,
}

impl Move {
    /// The bit of the last day of the month.
    pub(crate) const LAST: u32 = 31;

    /// Returns the days that have a number, bit a - 1 for day a.
    #[must_use]
    pub const fn numbers(&self) -> u64 {
        self.days & 0x7fff_ffff
    }

    /// Returns the days that are counted from the end of the month, bit n for `L-n`.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "31 bits")]
    pub const fn before_last(&self) -> u32 {
        (self.days >> Self::LAST) as u32
    }

    /// Whether both move days in the same way.
    const fn is_like(&self, other: &Self) -> bool {
        self.is_back == other.is_back
            && self.is_modified == other.is_modified
            && self.offset == other.offset
    }
}

/// Up to eight ways to move days, in ascending order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Moves {
    moves: [Move; Self::MOST],
    len: u8,
}

impl Moves {
    /// The highest number of ways to move days within one schedule.
    pub(crate) const MOST: usize = 8;

    const NONE: Self = Self {
        moves: [Move { is_back: false, is_modified: false, offset: 0, days: 0 }; Self::MOST],
        len: 0,
    };

    /// Returns the moves, each of which moves days in another way.
    #[must_use]
    pub fn as_slice(&self) -> &[Move] {
        &self.moves[..usize::from(self.len)]
    }

    /// Whether no days are moved.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Adds a move. Returns whether there was room for it.
    pub(crate) fn insert(&mut self, added: Move) -> bool {
        let len = usize::from(self.len);
        if let Some(known) = self.moves[..len].iter_mut().find(|known| known.is_like(&added)) {
            known.days |= added.days;
            return true;
        }
        let Some(slot) = self.moves.get_mut(len) else { return false };
        *slot = added;
        self.len += 1;
        self.moves[..=len].sort_unstable();
        true
    }
}
