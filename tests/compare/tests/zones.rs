//! Where the clocks change: in New York from 02:00 to 03:00 on 8 March 2026, and from 02:00 back to
//! 01:00 on 1 November 2026.

use millicron_compare::{
    Events, chrono_in_zone, cron, croner, cronexpr, in_chrono, in_jiff, jiff_cron, millicron, zoned,
};

const SPRING: &str = "2026-03-08T00:00:00-05:00[America/New_York]";
const AUTUMN: &str = "2026-11-01T00:45:00-04:00[America/New_York]";

/// The events of 8 March.
#[expect(clippy::unnecessary_wraps, reason = "compared with what a library returns")]
fn spring<const N: usize>(times: [&str; N]) -> Events {
    Ok(times.iter().map(|time| format!("2026-03-08 {time}")).collect())
}

/// The events of 1 November.
#[expect(clippy::unnecessary_wraps, reason = "compared with what a library returns")]
fn autumn<const N: usize>(times: [&str; N]) -> Events {
    Ok(times.iter().map(|time| format!("2026-11-01 {time}")).collect())
}

#[test]
fn a_daily_event_in_a_gap() {
    let at_its_end = spring(["03:00:00 -0400"]);
    assert_eq!(millicron("2:30:00", SPRING, 1), at_its_end);
    assert_eq!(croner("30 2 * * *", SPRING, 1), at_its_end);

    let next_day = Ok(vec!["2026-03-09 02:30:00 -0400".to_owned()]);
    assert_eq!(cron("0 30 2 * * *", SPRING, 1), next_day);
    assert_eq!(jiff_cron("0 30 2 * * *", SPRING, 1), next_day);
    assert_eq!(cronexpr("30 2 * * *", SPRING, 1), next_day);
}

#[test]
fn one_time_of_a_list_in_a_gap() {
    let three = spring(["01:30:00 -0500", "03:00:00 -0400", "03:30:00 -0400"]);
    assert_eq!(millicron("1,2,3:30:00", SPRING, 3), three);

    let two = spring(["01:30:00 -0500", "03:30:00 -0400"]);
    assert_eq!(cron("0 30 1,2,3 * * *", SPRING, 2), two);
    assert_eq!(jiff_cron("0 30 1,2,3 * * *", SPRING, 2), two);
    assert_eq!(croner("30 1,2,3 * * *", SPRING, 2), two);
    assert_eq!(cronexpr("30 1,2,3 * * *", SPRING, 2), two);
}

#[test]
fn hourly_events_around_a_gap() {
    let hours = spring(["00:30:00 -0500", "01:30:00 -0500", "03:30:00 -0400"]);
    assert_eq!(millicron("*:30:00", SPRING, 3), hours);
    assert_eq!(cron("0 30 * * * *", SPRING, 3), hours);
    assert_eq!(jiff_cron("0 30 * * * *", SPRING, 3), hours);
    assert_eq!(croner("30 * * * *", SPRING, 3), hours);
    assert_eq!(cronexpr("30 * * * *", SPRING, 3), hours);
}

#[test]
fn a_daily_event_in_a_fold() {
    let once = |events: Events| {
        assert_eq!(
            events.map(|events| events.concat()),
            Ok("2026-11-01 01:30:00 -0400\
            2026-11-02 01:30:00 -0500"
                .to_owned())
        );
    };
    once(millicron("1:30:00", AUTUMN, 2));
    once(croner("30 1 * * *", AUTUMN, 2));
    once(jiff_cron("0 30 1 * * *", AUTUMN, 2));

    let twice = autumn(["01:30:00 -0400", "01:30:00 -0500"]);
    assert_eq!(cron("0 30 1 * * *", AUTUMN, 2), twice);
    assert_eq!(cronexpr("30 1 * * *", AUTUMN, 2), twice);
}

#[test]
fn one_time_of_a_list_in_a_fold() {
    assert_eq!(millicron("1,2:30:00", AUTUMN, 2), autumn(["01:30:00 -0400", "02:30:00 -0500"]));

    let twice = autumn(["01:30:00 -0400", "01:30:00 -0500", "02:30:00 -0500"]);
    assert_eq!(cron("0 30 1,2 * * *", AUTUMN, 3), twice);
    assert_eq!(jiff_cron("0 30 1,2 * * *", AUTUMN, 3), twice);
    assert_eq!(croner("30 1,2 * * *", AUTUMN, 3), twice);
    assert_eq!(cronexpr("30 1,2 * * *", AUTUMN, 3), twice);
}

#[test]
fn cron_answers_out_of_order_in_a_fold() {
    let halves = autumn(["01:00:00 -0400", "01:30:00 -0400", "01:00:00 -0500", "01:30:00 -0500"]);
    assert_eq!(millicron("*:*/30:00", AUTUMN, 4), halves);
    assert_eq!(jiff_cron("0 */30 * * * *", AUTUMN, 4), halves);
    assert_eq!(croner("*/30 * * * *", AUTUMN, 4), halves);
    assert_eq!(cronexpr("*/30 * * * *", AUTUMN, 4), halves);

    // 01:00, an hour later, then half an hour back.
    let unordered = ["01:00:00 -0400", "01:00:00 -0500", "01:30:00 -0400", "01:30:00 -0500"];
    assert_eq!(cron("0 */30 * * * *", AUTUMN, 4), autumn(unordered));
}

#[test]
fn jiff_cron_loses_the_rest_of_a_day_with_a_clock_change() {
    let four = spring(["04:00:00 -0400", "08:00:00 -0400"]);
    assert_eq!(millicron("*/4:00:00", SPRING, 2), four);
    assert_eq!(cron("0 0 */4 * * *", SPRING, 2), four);
    assert_eq!(croner("0 */4 * * *", SPRING, 2), four);
    assert_eq!(cronexpr("0 */4 * * *", SPRING, 2), four);

    let next_day = Ok(vec!["2026-03-09 00:00:00 -0400".to_owned()]);
    assert_eq!(jiff_cron("0 0 */4 * * *", SPRING, 1), next_day);
}

#[test]
fn jiff_cron_answers_differently_backwards() {
    let schedule: jiff_cron::Schedule = "0 30 1 * * *".parse().expect("an expression");
    let midnight = zoned("2026-11-01T00:00:00-04:00[America/New_York]");
    let noon = zoned("2026-11-01T12:00:00-05:00[America/New_York]");
    let forward = schedule.after(midnight).next().map(|at| in_jiff(&at));
    let backward = schedule.after(noon).next_back().map(|at| in_jiff(&at));
    assert_eq!(forward.as_deref(), Some("2026-11-01 01:30:00 -0400"));
    assert_eq!(backward.as_deref(), Some("2026-11-01 01:30:00 -0500"));
}

#[test]
fn cron_and_croner_answer_alike_backwards() {
    let start = chrono_in_zone("2026-11-01T00:15:00-04:00[America/New_York]");
    let end = chrono_in_zone("2026-11-01T03:15:00-05:00[America/New_York]");
    for text in ["0 */30 * * * *", "0 30 1 * * *"] {
        let cron: cron::Schedule = text.parse().expect("an expression");
        let forward: Vec<_> = cron.after(&start).take_while(|at| *at < end).collect();
        let backward = cron.after(&end).rev().take_while(|at| *at > start);
        assert!(backward.eq(forward.into_iter().rev()), "cron: {text}");

        let croner: croner::Cron = text.parse().expect("a pattern");
        let forward: Vec<_> = croner.iter_after(start).take_while(|at| *at < end).collect();
        let backward = croner.iter_before(end).take_while(|at| *at > start);
        assert!(backward.eq(forward.into_iter().rev()), "croner: {text}");
    }
}

#[test]
fn millicron_answers_alike_backwards() {
    let schedule = millicron::Schedule::parse("*:*/30:00").expect("a schedule");
    let day = zoned(AUTUMN)..zoned("2026-11-02T00:00:00-05:00[America/New_York]");
    let forward: Vec<_> = schedule.events(&day).collect();
    let mut backward: Vec<_> = schedule.events(&day).rev().collect();
    backward.reverse();
    assert_eq!(forward, backward);
    assert!(forward.is_sorted());
}

#[test]
fn millicron_lets_you_choose() {
    use millicron::{Fold, Gap};

    let nightly = millicron::Schedule::parse("1,2:30:00").expect("a schedule");
    let zone = || jiff::tz::TimeZone::get("America/New_York").expect("a zone");
    let day = |start: &str| zoned(start)..zoned(start).tomorrow().expect("a day later");
    assert_eq!(nightly.in_zone(zone()).count(day(SPRING)), 2);
    assert_eq!(nightly.in_zone(zone()).with_gap(Gap::Skip).count(day(SPRING)), 1);
    assert_eq!(nightly.in_zone(zone()).count(day(AUTUMN)), 2);
    assert_eq!(nightly.in_zone(zone()).with_fold(Fold::Both).count(day(AUTUMN)), 3);
}

#[test]
fn cron_and_croner_accept_a_zone_of_chrono() {
    let berlin = chrono_in_zone("2026-11-22T00:00:00+01:00[Europe/Berlin]");
    let cron: cron::Schedule = "0 30 9 * * *".parse().expect("an expression");
    let croner: croner::Cron = "30 9 * * *".parse().expect("a pattern");
    let next = Some("2026-11-22 09:30:00 +0100".to_owned());
    assert_eq!(cron.after(&berlin).next().map(in_chrono), next);
    assert_eq!(croner.find_next_occurrence(&berlin, false).ok().map(in_chrono), next);
}
