//! A description can be written for every schedule, and a phrase that is recognized offers only schedules.

use millicron::{Phrase, Schedule};

use crate::{DIALECTS, LIBRARY};

pub(crate) fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let parsed = Schedule::parse_with(text, &*LIBRARY).ok();
    let dialects = DIALECTS.into_iter().filter_map(|dialect| dialect.parse(text).ok());
    for schedule in parsed.into_iter().chain(dialects) {
        let description = schedule.describe();
        let texts = [description.to_string(), description.with_twelve_hour_clock().to_string()];
        for text in texts {
            assert!(!text.is_empty());
            for offered in Phrase::recognize(&text).iter().flat_map(Phrase::schedules) {
                assert_eq!(Schedule::parse(&offered.to_string()).as_ref(), Ok(&offered));
            }
        }
    }
}
