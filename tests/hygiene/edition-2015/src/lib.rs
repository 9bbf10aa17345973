//! A crate in the 2015 edition, where paths in `use` items start at the crate root.

extern crate millicron;

pub mod jobs {
    //! A module below the crate root.

    use millicron::Schedule;

    /// A schedule in a constant.
    pub const HOURLY: Schedule = schedule!("*:00:00");

    /// Uses a schedule in an expression, with tables.
    #[must_use]
    pub fn next(now: i64) -> Option<i64> {
        ::millicron::schedule!("*.*.13 Fri 8-17:*/20,59:00").next_event(now)
    }

    use millicron::schedule;
}

#[cfg(test)]
mod tests {
    #[test]
    fn schedules_in_edition_2015_answer() {
        assert_eq!(::jobs::HOURLY.next_event(0), Some(946_684_800_000));
        assert_eq!(::jobs::next(0), Some(971_424_000_000));
    }
}
