//! Any text, at any instants, has the answers of the oracle. Calendars and unions are included.

use arbitrary::Unstructured;
use millicron::{ParseErrorKind, Schedule};
use millicron_test_oracle::Oracle;

use crate::{LIBRARY, ORACLE, instant, numbers_and_text};

pub(crate) fn run(data: &[u8]) {
    let Some((numbers, text)) = numbers_and_text(data) else { return };
    let parsed = Schedule::parse_with(text, &*LIBRARY);
    let oracle = Oracle::read(text, &ORACLE);
    let (schedule, oracle) = match (parsed, oracle) {
        (Ok(schedule), Some(oracle)) => (schedule, oracle),
        (Err(_), None) => return,
        (Ok(_), None) => panic!("the oracle does not read {text:?}"),
        (Err(error), Some(oracle)) => {
            // The oracle counts the events of every union.
            let is_expected = match error.kind() {
                ParseErrorKind::Never { .. } | ParseErrorKind::NeverOnCalendar => {
                    oracle.members().iter().any(Oracle::never_fires)
                }
                kind => kind == ParseErrorKind::Intertwined,
            };
            assert!(is_expected, "{text:?}: {error}");
            return;
        }
    };
    let mut input = Unstructured::new(numbers);
    let mut near = None;
    for _ in 0..4 {
        let Ok(at) = instant(&mut input, near) else { return };
        let Ok(to) = instant(&mut input, Some(at)) else { return };
        let next = oracle.next(at);
        assert_eq!(schedule.next_event(at), next, "next after {at}");
        assert_eq!(schedule.nearest_event(at), oracle.nearest(at), "nearest to {at}");
        assert_eq!(schedule.prev_event(at), oracle.prev(at), "previous before {at}");
        assert_eq!(schedule.nearest_prev_event(at), oracle.nearest_prev(at), "nearest before {at}");
        assert_eq!(schedule.matches(at), oracle.matches(at), "matches {at}");
        let count = oracle.count(&(at..to));
        assert_eq!(schedule.count(at..to), count, "count of {at}..{to}");
        assert_eq!(schedule.count(at..=to), oracle.count(&(at..=to)), "count of {at}..={to}");
        let n = at.unsigned_abs() % count.saturating_add(1);
        if let Ok(index) = usize::try_from(n) {
            assert_eq!(
                schedule.events(at..to).nth(index),
                oracle.nth(&(at..to), n),
                "{n} of {at}..{to}"
            );
            let back = (n < count).then(|| oracle.nth(&(at..to), count - 1 - n)).flatten();
            assert_eq!(schedule.events(at..to).nth_back(index), back, "{n} back of {at}..{to}");
        }
        near = next.or(near);
    }
}
