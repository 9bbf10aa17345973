//! How often the events of unions recur, their values, and what dialects make of them.

use std::time::Duration;

use millicron::{CalendarDigits, Dialect, Field, ParseErrorKind, Period, Schedule, Unit};

use super::on_target;

const DAY: i64 = 86_400_000;

#[test]
fn gaps_of_unions_are_those_of_their_events() {
    for text in [
        "*.*.* Mon 09:00:00; *.*.* Tue 10:00:00",
        "2020-2022.*.* *:*/2:00; 2021-2023.*.* *:*/3:00",
        "2020.*.* 9:00:00..17:00:00/7m; 2020.*.* 22:00:00..=22:00:00/11m; 2020.*.1 *:*:30",
        "2020.6.1-3 12:00:00..13:00:00/70ms; 2020.6.2-5 12:30:00..=14:00:00/110ms",
        "2020.6.1 *:*:*.*/40; 2020.6.1 *:*:*.*/25",
        "*.*.* B#L 12:00:00 @target; *.*.L 12:00:00",
        "*.12.31 22:00:00..4:00:00/1h; 2100.12.31 23:30:00",
        "2020.1.1 00:00:00; 2021.1.1 00:00:00",
        "2020.1.1 00:00:00; 2020.1.1 00:00:00.000..00:00:01/1s",
        // In one minute, a window of the day before ends and that of the day begins.
        "2020.6.1-2 12:00:30..12:00:10/500ms; 2020.6.1-2 12:00:30..12:00:10/1s",
    ] {
        let union = on_target(text);
        let events: Vec<i64> = union.events(..).collect();
        let distances = || events.windows(2).map(|pair| pair[1].abs_diff(pair[0]));
        let gaps = union.gaps();
        assert_eq!(gaps.is_some(), events.len() > 1, "{text}");
        let Some(gaps) = gaps else { continue };
        let [shortest, longest] = [distances().min(), distances().max()]
            .map(|it| Duration::from_millis(it.expect("a distance")));
        assert_eq!((gaps.shortest(), gaps.longest()), (shortest, longest), "{text}");
        assert_eq!(gaps.count(), events.len() as u64 - 1, "{text}");
    }
}

#[test]
fn periods_of_unions_have_the_longest_unit_of_their_members() {
    for (text, unit, count) in [
        ("*.*.* Mon 09:00:00; *.*.* Tue 10:00:00", Unit::Week, 2),
        ("*:*/2:00; *:*/3:00", Unit::Hour, 40),
        ("*.*.* Mon-Fri *:*/2:00; *.*.* Wed-Sat,Sun *:*/3:00", Unit::Hour, 40),
        ("*.*.* Mon-Fri *:*:0; *.*.* Sat,Sun *:*:0,30", Unit::Week, 12_960),
        ("9:00:00; *:30:00", Unit::Day, 25),
        ("*.*.* B#L 12:00:00 @target; *.*.L 12:00:00", Unit::Month, 2),
        ("*.*.* B 12:00:00 @target; 13:00:00", Unit::Day, 2),
        ("*:*:*.*; *:*:*.1", Unit::Second, 1000),
        ("*.12.24 12:00:00; *.*.1 12:00:00", Unit::Year, 13),
    ] {
        assert_eq!(on_target(text).period(), Period { unit, count }, "{text}");
    }
    // Counting the events of a day takes a thousand steps.
    let without = |value: u32| format!("*:*:*.0-{},{}-999", value - 1, value + 1);
    let intertwined = (1..=10).map(without).collect::<Vec<_>>().join("; ");
    let Period { unit, count } = on_target(&intertwined).period();
    assert_eq!((unit, count), (Unit::Second, 1000));
}

#[test]
fn values_of_unions_are_those_of_their_members() {
    let union = on_target("*.*.* Mon 09:00:00; *.3.* Tue 10:30:00..11:00:00/10m");
    let values = |field| union.values(field).collect::<Vec<_>>();
    assert_eq!(values(Field::Weekday), [1, 2]);
    assert_eq!(values(Field::Hour), [9, 10]);
    assert_eq!(values(Field::Minute), [0, 30, 40, 50]);
    assert_eq!(values(Field::Month).len(), 12);
}

#[test]
fn dialects_refuse_what_they_lack() {
    for (text, message) in [
        ("12:00:00 @target", "crontab has no calendars"),
        ("*.*.* B#2 12:00:00", "crontab has no business days by their number in the month"),
        ("*.*.15>B 12:00:00", "crontab has no days that are moved to a business day"),
        (
            "*.*.* Mon 09:00:00; *.*.* Tue 10:00:00",
            "crontab has no unions: write one schedule for each member, `0 9 * * MON` and \
             `0 10 * * TUE`",
        ),
        ("*.*.* Mon 09:00:00; *:*:*.500", "crontab has no milliseconds"),
    ] {
        let error = on_target(text).to_dialect(Dialect::Crontab).expect_err(text);
        assert_eq!(error.to_string(), message, "{text}");
    }
    let weekdays = on_target("*.*.* B 12:00:00").to_dialect(Dialect::Crontab);
    assert_eq!(weekdays.as_deref(), Ok("0 12 * * MON-FRI"));
}

/// All of sixteen members have times in common, at one second of the minute or at any.
#[test]
fn unions_that_would_take_long_to_count_are_refused() {
    let all_but = |values: std::ops::Range<u32>, one: u32| {
        let values = values.filter(|value| *value != one).map(|value| value.to_string());
        values.collect::<Vec<_>>().join(",")
    };
    let union = |member: &dyn Fn(u32) -> String| (0..16).map(member).collect::<Vec<_>>().join(";");
    let minutes = union(&|one| format!("*:{}:30", all_but(0..60, one)));
    assert_eq!(on_target(&minutes).count(..), 36_890 * 1440);
    // The same second is not enough.
    let millis = union(&|one| format!("*:*:30.{}", all_but(0..60, one)));
    let error = millis.parse::<Schedule>().unwrap_err();
    assert_eq!(error.kind(), ParseErrorKind::Intertwined);
    let seconds = union(&|one| format!("*:*:{}", all_but(0..60, one)));
    let error = seconds.parse::<Schedule>().unwrap_err();
    assert_eq!(error.kind(), ParseErrorKind::Intertwined);
    assert_eq!(
        error.to_string(),
        "the members of this union have times in common in too many ways to be counted: give more of \
         them the same second and millisecond, or leave some out"
    );
    let members = seconds.split(';').map(|member| member.parse().expect("a schedule"));
    let of_members = Schedule::any_of(members).unwrap_err();
    assert_eq!(of_members.kind(), ParseErrorKind::Intertwined);
}

/// Each combination of ten members has times in common, and thus a term. The time of another member is only its own.
#[test]
fn unions_with_1024_terms_a_day_are_counted() {
    let with_bit = |bit: u32| {
        let values = (0..32_u32).filter(|value| value >> bit & 1 == 1);
        values.map(|value| value.to_string()).collect::<Vec<_>>().join(",")
    };
    let minutes = (0..5).map(|bit| format!("*:{}:*; ", with_bit(bit)));
    let seconds = (0..5).map(|bit| format!("*:*:{}; ", with_bit(bit)));
    let most = minutes.chain(seconds).collect::<String>() + "0:32:32";
    let union = on_target(&most);
    // In each hour, 31 whole minutes, and 31 seconds of each of the others.
    assert_eq!(union.count(..), 36_890 * (24 * (31 * 60 + 29 * 31) + 1));
    let start = CalendarDigits::new(2026, 1, 1, 0, 0, 0, 0).expect("a date").to_millis();
    for length in [1, 20 * 60_000 + 7_000, 5 * 3_600_000 - 1] {
        let range = start..start + length;
        let events = range.clone().step_by(1_000).filter(|at| union.matches(*at)).count();
        assert_eq!(union.count(range), events as u64, "{length} ms");
    }
    let error = format!("{most}; 0:33:33").parse::<Schedule>().expect_err("another term");
    assert_eq!(error.kind(), ParseErrorKind::Intertwined);
}

/// Each of sixteen members has other days, so there are thousands of kinds of days.
#[test]
fn unions_with_many_kinds_of_days_are_refused() {
    let chosen = |values: std::ops::Range<u32>, is_in: &dyn Fn(u32) -> bool| {
        let values = values.filter(|value| is_in(*value)).map(|value| value.to_string());
        values.collect::<Vec<_>>().join(",")
    };
    let member = |i: u32| {
        let months = chosen(1..13, &|x| (x * (i % 4 + 1) + i) % 5 < 3);
        let days = chosen(1..32, &|x| (x * (i % 6 + 1) + i + x / 7) % 7 < 4);
        let weekdays = chosen(0..7, &|x| (x * (i % 6 + 1) + i) % 7 < 2);
        let (first, last) = (60 * i, 60 * i + 59);
        format!("; *.{months}.{days} | {weekdays} *:*:*.{first}-{last}")
    };
    let union = "00:00:00../7ms".to_owned() + &(0..15).map(member).collect::<String>();
    let error = union.parse::<Schedule>().expect_err("it would take long to count");
    assert_eq!(error.kind(), ParseErrorKind::Intertwined);
    let of_four = union.split_inclusive(';').take(4).collect::<String>();
    assert!(on_target(&of_four).count(..) > 36_890 * (86_400_000 / 7));
}

/// The steps of one member are visited for each kind of days, and there are thousands of such kinds in 500 bytes.
#[test]
fn unions_with_many_steps_to_visit_are_refused() {
    let periods = [2, 3, 4, 5, 7, 9, 11, 13, 3, 5, 2, 7, 11];
    let member = |(i, period)| {
        let from = 20 * i + 1;
        format!("; 2000.1.{}/{period}d *:*:*.{from}-{}/4", i + 1, from + 8)
    };
    let union = "00:00:00../7ms".to_owned() + &(0..).zip(periods).map(member).collect::<String>();
    let error = union.parse::<Schedule>().expect_err("it would take long to count");
    assert_eq!(error.kind(), ParseErrorKind::Intertwined);
}

/// The days of this union are of more than a hundred kinds, and their events are counted in hundreds of steps.
#[test]
fn unions_with_many_kinds_of_days_have_a_period_and_gaps() {
    let days = [
        "*.*.*/2",
        "*.*.1-16",
        "*.*.1-4,9-12,17-20,25-28",
        "*.*.1,2,5,6,9,10,13,14,17,18,21,22,25,26,29,30",
        "*.*.* Mon-Thu",
        "*.*.* Sun,Tue,Thu,Sat",
        "*.*.* Mon,Tue,Fri,Sat",
    ];
    let midnights = days.map(|dates| format!("{dates} 00:00:00; "));
    let without = |second| format!("12:00:0-{},{}-59", second - 1, second + 1);
    let union = midnights.concat() + &(1..10).map(without).collect::<Vec<_>>().join("; ");
    let union = on_target(&union);
    let start = CalendarDigits::new(2001, 1, 1, 0, 0, 0, 0).expect("a date").to_millis();
    let events: Vec<i64> = union.events(start..start + 2 * 365 * DAY).collect();
    let of_days = events.chunk_by(|one, other| one.div_euclid(DAY) == other.div_euclid(DAY));
    let most = of_days.map(|events| events.len() as u64).max();
    let Period { unit, count } = union.period();
    assert_eq!((unit, Some(count)), (Unit::Day, most));
    let distances = || events.windows(2).map(|pair| pair[1].abs_diff(pair[0]));
    let [shortest, longest] = [distances().min(), distances().max()]
        .map(|it| Duration::from_millis(it.expect("a distance")));
    let gaps = union.gaps().expect("some events");
    assert_eq!((gaps.shortest(), gaps.longest()), (shortest, longest));
}

/// This would visit the events of a century of days that are all different.
#[test]
fn gaps_that_take_long_to_find_are_none() {
    let union =
        on_target("*.*.*/2 00:00:00../7ms; *.*.*/3 00:00:00../11ms; *.*.5-25/7 00:00:00../19ms");
    assert_eq!(union.gaps(), None);
    assert!(union.count(..) > 1);
}

#[test]
fn unions_are_made_of_schedules() {
    let members = ["*.*.* Mon 09:00:00", "*.*.* B#L 12:00:00 @target", "*:*/7:00"].map(on_target);
    let union = Schedule::any_of(members.clone()).expect("a union");
    assert!(union.members().eq(members));
    let more = Schedule::any_of([union.clone(), on_target("12:00:00")]).expect("a union");
    assert_eq!(more.members().len(), 4);
    assert_eq!(Schedule::any_of([on_target("12:00:00")]), Ok(on_target("12:00:00")));
    let error = Schedule::any_of([]).expect_err("no schedules");
    assert_eq!(error.kind(), ParseErrorKind::Empty);
    assert_eq!(error.to_string(), "a union needs at least one schedule");
    assert!(Schedule::any_of(vec![union; 6]).is_err());
}
