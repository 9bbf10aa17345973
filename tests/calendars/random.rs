//! Random calendars, schedules on them, and unions, compared with the oracle.

use std::collections::BTreeMap;

use crate::support::compare::compare_queries;
use crate::support::generate::business_days::expression_with_calendar;
use crate::support::generate::calendars::calendars;
use crate::support::generate::unions::union;
use crate::support::generate::{instant, range, slow_cases};
use crate::support::oracle::calendar_days::Calendars;
use crate::support::oracle::{END, Oracle, START, midnight};
use millicron::calendar::MILLIS_PER_DAY;
use millicron::{Calendar, CalendarDigits, ParseErrorKind, Schedule, Unit};
use proptest::collection::vec;
use proptest::prelude::*;

/// The calendars of the library, by name.
type Read = BTreeMap<String, Calendar>;

/// Returns the schedule and the oracle of a well-formed text, or `None` if it, or a member of it, never
/// fires.
fn both(
    text: &str,
    calendars: &Read,
    days: &Calendars,
) -> Result<Option<(Schedule, Oracle)>, TestCaseError> {
    let oracle = Oracle::with_calendars(text, days);
    let parsed = Schedule::parse_with(text, calendars);
    if oracle.members().iter().any(Oracle::never_fires) {
        let kind = parsed.map_err(|error| error.kind());
        let is_never =
            matches!(kind, Err(ParseErrorKind::Never { .. } | ParseErrorKind::NeverOnCalendar));
        prop_assert!(is_never, "{text:?} never fires");
        return Ok(None);
    }
    match parsed {
        Ok(schedule) => Ok(Some((schedule, oracle))),
        Err(error) => Err(TestCaseError::fail(format!("{text:?}: {error:#}"))),
    }
}

fn read(texts: &[(&'static str, String)]) -> Result<Read, TestCaseError> {
    Calendar::parse_all(texts.iter().map(|(name, text)| (*name, text)))
        .map_err(|error| TestCaseError::fail(format!("{error:#}")))
}

proptest! {
    #![proptest_config(slow_cases(20_000))]

    #[test]
    fn calendars_have_the_days_of_the_oracle(
        (texts, days) in calendars(),
        dates in vec(10_900..47_900_i64, 20),
        steps in vec(-300..300_i32, 20),
    ) {
        let calendars = read(&texts)?;
        let date = |day: i64| CalendarDigits::from_millis(day * MILLIS_PER_DAY);
        for (name, calendar) in &calendars {
            let own = &days[name];
            prop_assert!(calendar.iter::<CalendarDigits>().eq(own.days().map(date)), "{}", name);
            for (day, step) in dates.iter().zip(&steps) {
                prop_assert_eq!(calendar.add(date(*day), *step), own.add(*day, (*step).into()).map(date));
            }
            let again = Calendar::parse(&calendar.to_string());
            prop_assert_eq!(again.as_ref(), Ok(calendar));
        }
    }
}

proptest! {
    #![proptest_config(slow_cases(60_000))]

    #[test]
    fn schedules_on_calendars_answer_like_the_oracle(
        (texts, days) in calendars(),
        text in expression_with_calendar(),
        instants in vec(instant(), 4),
        ranges in vec(range(), 2),
    ) {
        let calendars = read(&texts)?;
        let Some((schedule, oracle)) = both(&text, &calendars, &days)? else {
            return Ok(());
        };
        compare_queries(&schedule, &oracle, &instants, &ranges)?;
        let canonical = schedule.to_string();
        let again = Schedule::parse_with(&canonical, &calendars);
        prop_assert_eq!(again.as_ref(), Ok(&schedule), "{}", &canonical);
        prop_assert_eq!(again.map(|it| it.to_string()), Ok(canonical));
    }
}

proptest! {
    #![proptest_config(slow_cases(20_000))]

    #[test]
    fn unions_answer_like_the_oracle(
        (texts, days) in calendars(),
        text in union(),
        instants in vec(instant(), 4),
        ranges in vec(range(), 2),
    ) {
        let calendars = read(&texts)?;
        let Some((schedule, oracle)) = both(&text, &calendars, &days)? else {
            return Ok(());
        };
        compare_queries(&schedule, &oracle, &instants, &ranges)?;
        let again = Schedule::parse_with(&schedule.to_string(), &calendars);
        prop_assert_eq!(again.as_ref(), Ok(&schedule));
        let members: Vec<Schedule> = schedule.members().rev().collect();
        if !members.is_empty() {
            let reversed = Schedule::any_of(members).expect("as many members as before");
            prop_assert_eq!(&reversed, &schedule);
            prop_assert_eq!(reversed.count(..), schedule.count(..));
        }
    }
}

/// Returns the starts of all units from day to year, and an instant after the last one.
fn starts(unit: Unit) -> Option<Vec<i64>> {
    let steps = |first: i64, days: i64| {
        (first..).step_by(usize::try_from(days * MILLIS_PER_DAY).expect("positive"))
    };
    let until_end =
        |starts: &mut dyn Iterator<Item = i64>| starts.take_while(|at| *at <= END).collect();
    let mut starts: Vec<i64> = match unit {
        Unit::Day => until_end(&mut steps(START, 1)),
        // 2000-01-01 was a Saturday.
        Unit::Week => until_end(&mut steps(START - 5 * MILLIS_PER_DAY, 7)),
        Unit::Month => {
            (0..1212).map(|month| midnight(2000 + month / 12, month % 12 + 1, 1)).collect()
        }
        Unit::Year => (2000..=2100).map(|year| midnight(year, 1, 1)).collect(),
        _ => return None,
    };
    starts.push(END + 1);
    Some(starts)
}

proptest! {
    #![proptest_config(slow_cases(2000))]

    #[test]
    fn periods_count_the_most_events_in_a_unit(
        (texts, days) in calendars(),
        text in prop_oneof![expression_with_calendar(), union()],
    ) {
        let calendars = read(&texts)?;
        let Some((schedule, oracle)) = both(&text, &calendars, &days)? else {
            return Ok(());
        };
        let period = schedule.period();
        let Some(starts) = starts(period.unit) else { return Ok(()) };
        let most = starts.windows(2).map(|ends| oracle.count(&(ends[0]..ends[1]))).max();
        prop_assert_eq!(Some(period.count), most, "{}", text);
    }
}
