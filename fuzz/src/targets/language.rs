//! Any text parses or is an error; what is printed parses to an equal schedule.

use millicron::{Language, Phrase, Schedule};

use crate::LIBRARY;

pub(crate) fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match Schedule::parse_with(text, &*LIBRARY) {
        Ok(schedule) => {
            let printed = schedule.to_string();
            let again = Schedule::parse_with(&printed, &*LIBRARY);
            assert_eq!(again.as_ref(), Ok(&schedule), "{printed:?}");
        }
        Err(error) => drop(format!("{error} {error:#}")),
    }
    if let Err(error) = Language::recognize(text) {
        drop(error.to_string());
    }
    if let Some(phrase) = Phrase::recognize(text) {
        drop(phrase.to_string());
        assert!(phrase.schedules().count() <= 4);
    }
}
