//! Questions to calendars, compared with a scan of their days.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Bound;

use millicron::calendar::{MILLIS_PER_DAY, day_number};
use millicron::{Calendar, CalendarDigits, Calendars, schedule};

use super::{date, example};

/// Returns the midnight of a day, counted from 1970-01-01.
fn midnight(day: i64) -> CalendarDigits {
    CalendarDigits::from_millis(day * MILLIS_PER_DAY)
}

fn calendars() -> Vec<Calendar> {
    let parse = |text| Calendar::parse(text).expect("a calendar");
    vec![
        example("nyse"),
        example("japan"),
        parse("*.Easter"),
        parse("2000-01-01\n2000-01-02\n2100-12-31"),
        parse("2050-05-05"),
        parse("*.*.*"),
    ]
}

#[test]
fn queries_agree_with_a_scan() {
    let (first, last) = (day_number(2000, 1, 1), day_number(2100, 12, 31));
    for calendar in calendars() {
        let days: Vec<i64> =
            (first..=last).filter(|day| calendar.contains(midnight(*day))).collect();
        assert_eq!(calendar.len() as usize, days.len());
        let at = |place: Option<usize>| Some(midnight(*days.get(place?)?));
        let far = [i64::MIN / MILLIS_PER_DAY, first - 400, last + 400, i64::MAX / MILLIS_PER_DAY];
        let near =
            (first - 3..first + 40).chain((first..last).step_by(97)).chain(last - 40..last + 3);
        for day in near.chain(far) {
            let date = midnight(day);
            let before = days.partition_point(|it| *it < day);
            let after = days.partition_point(|it| *it <= day);
            assert_eq!(calendar.next(date), at(Some(after)));
            assert_eq!(calendar.nearest(date), at(Some(before)));
            assert_eq!(calendar.prev(date), at(before.checked_sub(1)));
            assert_eq!(calendar.nearest_prev(date), at(after.checked_sub(1)));
            assert_eq!(calendar.count(..date) as usize, before);
            assert_eq!(calendar.count(..=date) as usize, after);
            assert_eq!(calendar.count(date..) as usize, days.len() - before);
            let later = (Bound::Excluded(date), Bound::Unbounded);
            assert_eq!(calendar.count(later) as usize, days.len() - after);
            for n in [1_u32, 2, 3, 10, 250, 5000, i32::MAX.unsigned_abs()] {
                let signed = n.cast_signed();
                let later = after.checked_add(n as usize - 1);
                assert_eq!(calendar.add(date, signed), at(later), "{date} + {n}");
                assert_eq!(
                    calendar.add(date, -signed),
                    at(before.checked_sub(n as usize)),
                    "{date} - {n}"
                );
            }
            assert_eq!(calendar.add(date, 0), at(Some(before)));
            assert_eq!(calendar.add(date, i32::MIN), None);
        }
        assert_eq!(calendar.first(), at(Some(0)));
        assert_eq!(calendar.last(), at(Some(days.len() - 1)));
        for n in [0, 1, days.len() / 2, days.len() - 1, days.len()] {
            assert_eq!(calendar.nth(u32::try_from(n).expect("a small number")), at(Some(n)));
            assert_eq!(calendar.iter().nth(n), at(Some(n)));
            assert_eq!(calendar.iter().nth_back(n), at(days.len().checked_sub(n + 1)));
        }
        assert!(calendar.iter::<CalendarDigits>().eq(days.iter().map(|day| midnight(*day))));
        assert!(
            calendar.iter::<CalendarDigits>().rev().eq(days.iter().rev().map(|day| midnight(*day)))
        );
        assert_eq!(calendar.iter::<CalendarDigits>().count(), days.len());
        assert_eq!(calendar.iter().last(), at(days.len().checked_sub(1)));
        let mut both = calendar.iter::<CalendarDigits>();
        let front: Vec<_> = both.by_ref().take(2).collect();
        assert_eq!(front.len() + both.len(), days.len());
        assert_eq!(both.next_back().is_some(), days.len() > 2);
    }
}

#[test]
fn references_find_the_same_calendars() {
    fn find(calendars: impl Calendars) -> Option<Calendar> {
        calendars.find("japan")
    }
    let calendars = [("nyse", example("nyse")), ("japan", example("japan"))];
    assert_eq!(find(&calendars), Some(example("japan")));
    assert_eq!(Calendars::names(&&calendars), ["nyse", "japan"]);
}

#[test]
fn operators_are_those_of_sets() {
    let all = calendars();
    let scan = |calendar: &Calendar| calendar.iter().collect::<Vec<CalendarDigits>>();
    for (one, other) in all.iter().zip(all.iter().skip(1)) {
        let [a, b] = [one, other].map(scan);
        let keep = |is_in: &dyn Fn(&CalendarDigits) -> bool| {
            let every = Calendar::parse("*.*.*").expect("a calendar");
            scan(&every).into_iter().filter(|day| is_in(day)).collect::<Vec<_>>()
        };
        let [in_a, in_b] =
            [&a, &b].map(|days| |day: &CalendarDigits| days.binary_search(day).is_ok());
        assert_eq!(scan(&(one | other)), keep(&|day| in_a(day) || in_b(day)));
        assert_eq!(scan(&(one & other)), keep(&|day| in_a(day) && in_b(day)));
        assert_eq!(scan(&(one - other)), keep(&|day| in_a(day) && !in_b(day)));
        assert_eq!(scan(&!one), keep(&|day| !in_a(day)));
    }
}

#[test]
fn calendars_with_other_days_are_not_equal() {
    let parse = |text| Calendar::parse(text).expect("a calendar");
    let hash = |calendar: &Calendar| {
        let mut hasher = DefaultHasher::new();
        calendar.hash(&mut hasher);
        hasher.finish()
    };
    let (one, same, other) =
        (parse("*.*.* Mon-Fri"), parse("- *.*.* Sat,Sun"), parse("*.*.* Mon-Thu"));
    assert_eq!(one, same);
    assert_eq!(hash(&one), hash(&same));
    assert_ne!(one, other);
    assert_ne!(hash(&one), hash(&other));
}

#[test]
fn debug_output_of_a_calendar_has_its_ends() {
    let easter = Calendar::parse("*.Easter").expect("a calendar");
    assert_eq!(
        format!("{easter:?}"),
        "Calendar { len: 101, first: Some(2000-04-23 00:00:00.000), \
         last: Some(2100-03-28 00:00:00.000), .. }"
    );
    let mut days = easter.iter::<CalendarDigits>();
    assert!(days.next().is_some());
    assert_eq!(format!("{days:?}"), "CalendarDays { remaining: 100, .. }");
}

#[test]
fn dates_outside_the_range_are_refused() {
    for outside in ["1999-12-31", "2101-01-01"] {
        let error = Calendar::from_dates([date(outside)]).unwrap_err();
        let range = "expected a date from 2000-01-01 to 2100-12-31";
        let message = format!("{outside} is outside the range of calendars: {range}");
        assert_eq!(error.to_string(), message);
    }
    let both = Calendar::from_dates([date("2100-12-31"), date("2000-01-01")]).expect("in range");
    assert_eq!(both.first(), Some(date("2000-01-01")));
    assert_eq!(both.len(), 2);
    assert!(Calendar::from_dates::<CalendarDigits>([]).expect("nothing is wrong").is_empty());
}

#[test]
fn a_calendar_has_the_days_of_a_schedule() {
    let of = |schedule| Calendar::from_schedule(&schedule);
    let parse = |text| Calendar::parse(text).expect("a calendar");
    assert_eq!(of(schedule!("*.*.* Fri 09:30:00..16:00:00/15m")), parse("*.*.* Fri"));
    // A night has events on two days.
    assert_eq!(
        of(schedule!("*.*.* Fri 22:00:00..06:00:00/30m")),
        parse("*.*.* Fri,Sat\n- 2000-01-01")
    );
    assert_eq!(of(schedule!("*:*:*.*/500")), parse("*.*.*"));
}

#[cfg(all(feature = "jiff", feature = "chrono", feature = "time"))]
#[test]
fn dates_of_all_crates_answer_alike() {
    let nyse = example("nyse");
    let year = nyse.iter::<CalendarDigits>().skip(6600).take(300);
    for digits in year {
        let next = nyse.next(digits).expect("a later day");
        let [from, to] = [digits, next].map(|it| {
            let (year, month, day) = (it.year(), it.month(), it.day());
            let jiff = jiff::civil::date(
                i16::try_from(year).expect("a year"),
                month.cast_signed(),
                day.cast_signed(),
            );
            let chrono = chrono::NaiveDate::from_ymd_opt(year, month.into(), day.into());
            let month = time::Month::try_from(month).expect("a month");
            let time = time::Date::from_calendar_date(year, month, day).expect("a date");
            (jiff, chrono.expect("a date"), time)
        });
        assert_eq!(nyse.next(from.0), Some(to.0));
        assert_eq!(nyse.next(from.1), Some(to.1));
        assert_eq!(nyse.next(from.2), Some(to.2));
        assert_eq!(nyse.add(to.0, -1), Some(from.0));
    }
}
