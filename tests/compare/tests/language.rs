//! What each library's expressions can express, and what they mean.

use jiff::tz::TimeZone;
use millicron::{Dialect, Schedule, ZonedSchedule};
use millicron_compare::{
    Events, cron, croner, cronexpr, crontime, in_jiff, jiff_cron, millicron, saffron, zoned,
};

use crate::{SUNDAY, midnights};

/// Returns the first events of a schedule in a dialect.
fn dialect(dialect: Dialect, text: &str, after: &str, count: usize) -> Events {
    let schedule = dialect.parse(text).map_err(|error| error.to_string())?;
    Ok(schedule.upcoming(zoned(after)).take(count).map(|at| in_jiff(&at)).collect())
}

#[test]
fn only_millicron_has_milliseconds() {
    let schedule = Schedule::parse("*:*:*.*/250").expect("a schedule");
    let events = schedule.upcoming(zoned(SUNDAY)).take(2);
    let millis: Vec<_> = events.map(|at| at.timestamp().subsec_millisecond()).collect();
    assert_eq!(millis, [250, 500]);

    // One field more than the longest form of each.
    assert!(cron("* * * * * * * *", SUNDAY, 1).is_err());
    assert!(jiff_cron("* * * * * * * *", SUNDAY, 1).is_err());
    assert!(croner("* * * * * * * *", SUNDAY, 1).is_err());
    // crontime ignores everything after the sixth field.
    assert_eq!(crontime("0 0 0 * * * 250", SUNDAY, 1), crontime("0 0 0 * * *", SUNDAY, 1));
}

#[test]
fn saffron_and_cronexpr_have_no_seconds() {
    assert!(saffron("* * * * * *", SUNDAY, 1).is_err());
    assert!(cronexpr("* * * * * *", SUNDAY, 1).is_err());
    for seconds in [cron, croner, jiff_cron, crontime] {
        let second = "2026-11-22 00:00:01 +0000".to_owned();
        assert!(seconds("* * * * * *", SUNDAY, 2).expect("seconds").contains(&second));
    }
}

#[test]
fn years_are_limited() {
    for years in [cron, jiff_cron] {
        assert!(years("0 0 0 1 1 * 1970", SUNDAY, 1).is_ok());
        assert!(years("0 0 0 1 1 * 1969", SUNDAY, 1).is_err());
        assert!(years("0 0 0 1 1 * 2100", SUNDAY, 1).is_ok());
        assert!(years("0 0 0 1 1 * 2101", SUNDAY, 1).is_err());
    }
    assert!("0 0 0 1 1 * 1".parse::<croner::Cron>().is_ok());
    assert!("0 0 0 1 1 * 5000".parse::<croner::Cron>().is_ok());
    assert!("0 0 0 1 1 * 5001".parse::<croner::Cron>().is_err());
    assert!(millicron("2000.1.1 0:0:0", SUNDAY, 1).is_ok());
    assert!(millicron("1999.1.1 0:0:0", SUNDAY, 1).is_err());
    assert!(millicron("2100.1.1 0:0:0", SUNDAY, 1).is_ok());
    assert!(millicron("2101.1.1 0:0:0", SUNDAY, 1).is_err());
}

#[test]
fn day_and_weekday_are_joined_by_and_or_by_or() {
    let and = midnights(["2027-08-13"]);
    let or = midnights(["2026-11-27"]);
    assert_eq!(millicron("*.*.13 Fri 0:0:0", SUNDAY, 1), and);
    assert_eq!(millicron("*.*.13 | Fri 0:0:0", SUNDAY, 1), or);
    assert_eq!(cron("0 0 0 13 * FRI", SUNDAY, 1), and);
    assert_eq!(jiff_cron("0 0 0 13 * FRI", SUNDAY, 1), and);
    assert_eq!(croner("0 0 13 * FRI", SUNDAY, 1), or);
    assert_eq!(croner("0 0 13 * +FRI", SUNDAY, 1), and);
    assert_eq!(saffron("0 0 13 * FRI", SUNDAY, 1), or);
    assert_eq!(cronexpr("0 0 13 * FRI", SUNDAY, 1), or);
}

#[test]
fn all_days_are_a_star_only_if_written_as_a_star() {
    let mondays = midnights(["2026-11-23", "2026-11-30"]);
    let days = midnights(["2026-11-23", "2026-11-24"]);
    for or in [croner, saffron, cronexpr] {
        assert_eq!(or("0 0 * * MON", SUNDAY, 2), mondays);
        assert_eq!(or("0 0 1-31 * MON", SUNDAY, 2), days);
    }
    assert_eq!(dialect(Dialect::Crontab, "0 0 * * MON", SUNDAY, 2), mondays);
    assert_eq!(dialect(Dialect::Crontab, "0 0 1-31 * MON", SUNDAY, 2), days);
    assert_eq!(millicron("*.*.1-31 Mon 0:0:0", SUNDAY, 2), mondays);
    assert_eq!(cron("0 0 0 1-31 * MON", SUNDAY, 2), mondays);
    assert_eq!(jiff_cron("0 0 0 1-31 * MON", SUNDAY, 2), mondays);
}

#[test]
fn cronexpr_and_crontab_join_a_stepped_star_by_and() {
    let odd_days_and_mondays = midnights(["2026-11-23", "2026-11-25"]);
    assert_eq!(croner("0 0 */2 * MON", SUNDAY, 2), odd_days_and_mondays);
    assert_eq!(saffron("0 0 */2 * MON", SUNDAY, 2), odd_days_and_mondays);
    let odd_mondays = midnights(["2026-11-23", "2026-12-07"]);
    assert_eq!(cronexpr("0 0 */2 * MON", SUNDAY, 2), odd_mondays);
    assert_eq!(dialect(Dialect::Crontab, "0 0 */2 * MON", SUNDAY, 2), odd_mondays);
}

#[test]
fn crontime_ignores_months_and_weekdays() {
    assert_eq!(crontime("0 0 0 1 3 *", SUNDAY, 1), midnights(["2026-12-01"]));
    assert_eq!(crontime("0 0 0 * * 1", SUNDAY, 2), midnights(["2026-11-22", "2026-11-23"]));
}

#[test]
fn crontime_has_no_steps_and_no_names() {
    assert!(crontime("*/5 * * * * *", SUNDAY, 1).is_err());
    assert!(crontime("0 0 0 * * MON", SUNDAY, 1).is_err());
}

#[test]
fn steps() {
    let fives = Ok(vec!["2026-11-22 00:05:00 +0000".to_owned()]);
    assert_eq!(millicron("*:*/5:00", SUNDAY, 1), fives);
    assert_eq!(cron("0 */5 * * * *", SUNDAY, 1), fives);
    assert_eq!(jiff_cron("0 */5 * * * *", SUNDAY, 1), fives);
    for five_fields in [croner, saffron, cronexpr] {
        assert_eq!(five_fields("*/5 * * * *", SUNDAY, 1), fives);
    }
}

#[test]
fn weekday_numbers() {
    let sundays = midnights(["2026-11-29"]);
    assert_eq!(cron("0 0 0 * * 1", SUNDAY, 1), sundays);
    assert_eq!(jiff_cron("0 0 0 * * 1", SUNDAY, 1), sundays);
    assert_eq!(saffron("0 0 * * 1", SUNDAY, 1), sundays);
    let mondays = midnights(["2026-11-23"]);
    assert_eq!(millicron("*.*.* 1 0:0:0", SUNDAY, 1), mondays);
    assert_eq!(croner("0 0 * * 1", SUNDAY, 1), mondays);
    assert_eq!(cronexpr("0 0 * * 1", SUNDAY, 1), mondays);
}

#[test]
fn last_day_of_the_month() {
    let last = midnights(["2026-11-30", "2026-12-31"]);
    assert_eq!(millicron("*.*.L 0:0:0", SUNDAY, 2), last);
    assert_eq!(millicron("*.*.32 0:0:0", SUNDAY, 2), last);
    assert_eq!(croner("0 0 L * *", SUNDAY, 2), last);
    assert_eq!(saffron("0 0 L * *", SUNDAY, 2), last);
    assert_eq!(cronexpr("0 0 L * *", SUNDAY, 1), midnights(["2026-11-30"]));
    for without in [cron, jiff_cron, crontime] {
        assert!(without("0 0 0 L * *", SUNDAY, 1).is_err());
    }
}

/// It looks for the next day in a month with a higher number.
#[test]
fn cronexpr_never_finds_a_last_day_in_december() {
    let january = midnights(["2027-01-31"]);
    assert_eq!(cronexpr("0 0 L * *", "2026-11-30T00:00:00+00:00[UTC]", 1), january);
    assert!(cronexpr("0 0 L 12 *", SUNDAY, 1).is_err());
    assert!(cronexpr("0 0 * 12 FRIL", SUNDAY, 1).is_err());
}

#[test]
fn last_day_in_a_list() {
    let days = midnights(["2026-11-30", "2026-12-15", "2026-12-31"]);
    assert_eq!(millicron("*.*.15,L 0:0:0", SUNDAY, 3), days);
    assert_eq!(croner("0 0 15,L * *", SUNDAY, 3), days);
    assert_eq!(cronexpr("0 0 15,L * *", SUNDAY, 2), midnights(["2026-11-30", "2026-12-15"]));
    assert!(saffron("0 0 15,L * *", SUNDAY, 1).is_err());
}

#[test]
fn last_day_as_the_end_of_a_range() {
    let days = midnights(["2026-11-29", "2026-11-30", "2026-12-29"]);
    assert_eq!(millicron("*.*.29-L 0:0:0", SUNDAY, 3), days);
    for without in [croner, saffron, cronexpr] {
        assert!(without("0 0 29-L * *", SUNDAY, 1).is_err());
    }
}

#[test]
fn days_before_the_last() {
    assert_eq!(saffron("0 0 L-3 * *", SUNDAY, 1), midnights(["2026-11-27"]));
    assert_eq!(millicron("*.*.L-3 0:0:0", SUNDAY, 1), midnights(["2026-11-27"]));
    for without in [croner, cronexpr] {
        assert!(without("0 0 L-3 * *", SUNDAY, 1).is_err());
    }
}

#[test]
fn last_weekday_of_the_month() {
    let fridays = midnights(["2026-11-27", "2026-12-25"]);
    for last_weekday in [croner, saffron] {
        assert_eq!(last_weekday("0 0 * * FRIL", SUNDAY, 2), fridays);
    }
    assert_eq!(millicron("*.*.* Fri#L 0:0:0", SUNDAY, 2), fridays);
    assert_eq!(cronexpr("0 0 * * FRIL", SUNDAY, 1), midnights(["2026-11-27"]));
    // With numbers, saffron's weekdays start at 1 with Sunday.
    assert_eq!(croner("0 0 * * 5L", SUNDAY, 2), fridays);
    assert_eq!(saffron("0 0 * * 6L", SUNDAY, 2), fridays);
    for without in [cron, jiff_cron, crontime] {
        assert!(without("0 0 0 * * FRIL", SUNDAY, 1).is_err());
    }
}

#[test]
fn nth_weekday_of_the_month() {
    let fridays = midnights(["2026-12-11", "2027-01-08", "2027-02-12"]);
    for nth in [croner, saffron, cronexpr] {
        assert_eq!(nth("0 0 * * FRI#2", SUNDAY, 3), fridays);
    }
    assert_eq!(millicron("*.*.* Fri#2 0:0:0", SUNDAY, 3), fridays);
    // The n-th weekday lies in the n-th seven days, so AND means the same.
    assert_eq!(millicron("*.*.8-14 Fri 0:0:0", SUNDAY, 3), fridays);
    assert_eq!(cron("0 0 0 8-14 * FRI", SUNDAY, 3), fridays);
    assert_eq!(jiff_cron("0 0 0 8-14 * FRI", SUNDAY, 3), fridays);
    for without in [cron, jiff_cron, crontime] {
        assert!(without("0 0 0 * * FRI#2", SUNDAY, 1).is_err());
    }
}

#[test]
fn nearest_working_day() {
    // 15 August 2026 is a Saturday.
    let summer = "2026-08-01T00:00:00+00:00[UTC]";
    for nearest in [croner, saffron, cronexpr] {
        assert_eq!(nearest("0 0 15W * *", summer, 1), midnights(["2026-08-14"]));
    }
    assert_eq!(millicron("*.*.15W 0:0:0", summer, 1), midnights(["2026-08-14"]));
    // The last working day.
    assert_eq!(
        millicron("*.*.LW 0:0:0", "2026-10-01T00:00:00+00:00[UTC]", 1),
        midnights(["2026-10-30"])
    );
    assert_eq!(
        croner("0 0 LW * *", "2026-10-01T00:00:00+00:00[UTC]", 1),
        midnights(["2026-10-30"])
    );
    assert_eq!(
        saffron("0 0 LW * *", "2026-10-01T00:00:00+00:00[UTC]", 1),
        midnights(["2026-10-30"])
    );
    assert!(cronexpr("0 0 LW * *", SUNDAY, 1).is_err());
    for without in [cron, jiff_cron, crontime] {
        assert!(without("0 0 0 15W * *", SUNDAY, 1).is_err());
    }
}

/// In other libraries, hours and minutes are independent: an expression with 09:30 and 16:00 also has 09:00.
#[test]
fn only_millicron_has_windows() {
    let window = "*.*.* 1-5 09:30:00..=16:00:00/15m";
    let day = millicron(window, SUNDAY, 27).expect("a window");
    assert_eq!(day[0], "2026-11-23 09:30:00 +0000");
    assert_eq!(day[26], "2026-11-23 16:00:00 +0000");

    let early = Ok(vec!["2026-11-23 09:00:00 +0000".to_owned()]);
    for fields in [croner, saffron, cronexpr] {
        assert_eq!(fields("*/15 9-16 * * MON-FRI", SUNDAY, 1), early);
    }
    for fields in [cron, jiff_cron] {
        assert_eq!(fields("0 */15 9-16 * * MON-FRI", SUNDAY, 1), early);
    }
}

/// In other libraries, steps of days restart in each month.
#[test]
fn only_millicron_has_every_second_week() {
    let fortnights = midnights(["2026-11-23", "2026-12-07", "2026-12-21", "2027-01-04"]);
    assert_eq!(millicron("2026.01.05/2w Mon 0:0:0", SUNDAY, 4), fortnights);

    let restarted = midnights(["2026-11-29", "2026-12-01", "2026-12-15", "2026-12-29"]);
    for fields in [croner, saffron, cronexpr] {
        assert_eq!(fields("0 0 */14 * *", SUNDAY, 4), restarted);
    }
    for fields in [cron, jiff_cron] {
        assert_eq!(fields("0 0 0 */14 * *", SUNDAY, 4), restarted);
    }
}

/// In Quartz, weekdays are numbered from 1 for Sunday.
#[test]
fn only_millicron_reads_quartz() {
    let fridays = Ok(vec!["2026-12-18 10:15:00 +0000".to_owned()]);
    assert_eq!(dialect(Dialect::Quartz, "0 15 10 ? * 6#3", SUNDAY, 1), fridays);
    // A Saturday.
    let saturday = Ok(vec!["2026-12-19 10:15:00 +0000".to_owned()]);
    assert_eq!(croner("0 15 10 ? * 6#3", SUNDAY, 1), saturday);
    for without in [cron, jiff_cron, saffron, cronexpr, crontime] {
        assert!(without("0 15 10 ? * 6#3", SUNDAY, 1).is_err());
    }
}

#[test]
fn only_millicron_reads_calendar_events_of_systemd() {
    let monday = Ok(vec!["2026-11-23 09:30:00 +0000".to_owned()]);
    assert_eq!(dialect(Dialect::Systemd, "Mon..Fri 09:30", SUNDAY, 1), monday);
    for without in [cron, croner, jiff_cron, saffron, cronexpr, crontime] {
        assert!(without("Mon..Fri 09:30", SUNDAY, 1).is_err());
    }
}

#[test]
fn steps_that_leave_one_value() {
    let error = millicron("*:*/90:00", SUNDAY, 1).expect_err("one value");
    assert!(error.contains("`00:00:00../90m`"), "{error}");
    for refuses in [cron, jiff_cron] {
        assert!(refuses("0 */90 * * * *", SUNDAY, 1).is_err());
    }
    for refuses in [saffron, cronexpr] {
        assert!(refuses("*/90 * * * *", SUNDAY, 1).is_err());
    }
    // Every hour, as in cronie.
    let hour = Ok(vec!["2026-11-22 01:00:00 +0000".to_owned()]);
    assert_eq!(croner("*/90 * * * *", SUNDAY, 1), hour);
    assert_eq!(dialect(Dialect::Crontab, "*/90 * * * *", SUNDAY, 1), hour);
}

#[test]
fn lines_of_five_fields() {
    let half_past = Ok(vec!["2026-11-22 09:30:00 +0000".to_owned()]);
    for five in [croner, saffron, cronexpr] {
        assert_eq!(five("30 9 * * *", SUNDAY, 1), half_past);
    }
    for six in [cron, jiff_cron, crontime] {
        assert!(six("30 9 * * *", SUNDAY, 1).is_err());
        assert_eq!(six("0 30 9 * * *", SUNDAY, 1), half_past);
    }
    assert_eq!(dialect(Dialect::Crontab, "30 9 * * *", SUNDAY, 1), half_past);
    let error = millicron("30 9 * * *", SUNDAY, 1).expect_err("a line of crontab");
    assert!(error.contains("write `09:30:00`"), "{error}");
}

#[test]
fn nicknames() {
    for with in [cron, jiff_cron, croner] {
        assert_eq!(with("@daily", SUNDAY, 1), midnights(["2026-11-23"]));
    }
    assert_eq!(dialect(Dialect::Crontab, "@daily", SUNDAY, 1), midnights(["2026-11-23"]));
    for without in [saffron, cronexpr, crontime] {
        assert!(without("@daily", SUNDAY, 1).is_err());
    }
}

#[test]
fn millicron_and_cronexpr_read_a_zone_from_the_text() {
    assert!(cronexpr::parse_crontab("30 9 * * * America/New_York").is_ok());
    assert!(cronexpr::parse_crontab("30 9 * * *").is_err());
    for without in [cron, jiff_cron, croner] {
        assert!(without("0 30 9 * * * America/New_York", SUNDAY, 1).is_err());
    }
    // The zone is ignored.
    let utc = crontime("0 30 9 * * *", SUNDAY, 1);
    assert_eq!(crontime("0 30 9 * * * America/New_York", SUNDAY, 1), utc);
    assert!(saffron("30 9 * * * America/New_York", SUNDAY, 1).is_err());
    let new_york = ZonedSchedule::<TimeZone>::parse("9:30:00 America/New_York").expect("a zone");
    let event = new_york.next_event(&zoned(SUNDAY)).expect("an event");
    assert_eq!(in_jiff(&event), "2026-11-22 14:30:00 +0000");
    assert!(millicron("9:30:00 America/New_York", SUNDAY, 1).is_err());
}

#[test]
fn only_saffron_reads_a_descending_range() {
    assert_eq!(
        saffron("0 22-6 * * *", SUNDAY, 1),
        Ok(vec!["2026-11-22 01:00:00 +0000".to_owned()])
    );
    for refuses in [cron, croner, jiff_cron] {
        assert!(refuses("0 0 22-6 * * *", SUNDAY, 1).is_err());
    }
    assert!(cronexpr("0 22-6 * * *", SUNDAY, 1).is_err());
    assert!(millicron("22-6:0:0", SUNDAY, 1).is_err());
    assert!(std::panic::catch_unwind(|| crontime("0 0 22-6 * * *", SUNDAY, 1)).is_err());
}

#[test]
fn parse_errors() {
    let error = Schedule::parse("*.*.* 25:00:00").unwrap_err();
    assert_eq!(error.kind().field(), millicron::Field::Hour);
    assert_eq!(error.span(), 6..8);
    assert!(error.to_string().contains("0-23"), "{error}");
    let position = "0 0 25 * * *\n    ^\nHours must be less than 23. ('25' specified.)";
    assert_eq!(cron("0 0 25 * * *", SUNDAY, 1), Err(position.to_owned()));
    assert_eq!(jiff_cron("0 0 25 * * *", SUNDAY, 1), Err(position.to_owned()));
    let kind = "Component error: Number out of bounds.";
    assert_eq!(croner("0 0 25 * * *", SUNDAY, 1), Err(kind.to_owned()));
    assert_eq!(saffron("0 25 * * *", SUNDAY, 1), Err("CronParseError(())".to_owned()));
    assert_eq!(
        cronexpr("0 25 * * *", SUNDAY, 1),
        Err("failed to parse crontab expression:\n0 25 * * * UTC\n  ^ value must be in range \
             0..=23; found 25"
            .to_owned()),
    );
    assert!(crontime("0 0 25 * * *", SUNDAY, 1).is_err());
}

#[test]
fn descriptions() {
    let schedule = Schedule::parse("*.*.* Mon-Fri 09:30:00").expect("a schedule");
    assert_eq!(schedule.describe().to_string(), "At 09:30 on Monday to Friday");
    let twelve = schedule.describe().with_twelve_hour_clock().to_string();
    assert_eq!(twelve, "At 9:30 AM on Monday to Friday");
    let pattern: croner::Cron = "30 9 * * MON-FRI".parse().expect("a pattern");
    assert_eq!(
        pattern.describe(),
        "At 09:30, on Monday, Tuesday, Wednesday, Thursday, and Friday."
    );
    assert_eq!(
        pattern.describe_lang(croner::describe::lang::swedish::Swedish),
        "Klockan 09:30, på måndag, tisdag, onsdag, torsdag, och fredag."
    );
    let expression: saffron::parse::CronExpr = "30 9 * * MON-FRI".parse().expect("an expression");
    let english = expression.describe(saffron::parse::English::default()).to_string();
    assert_eq!(english, "At 9:30 AM on Monday through Friday");
}

#[test]
fn equality() {
    let millicron = |text: &str| Schedule::parse(text).expect(text);
    assert_eq!(millicron("*:0-59:0"), millicron("*:*:0"));
    assert_eq!(millicron("*.*.8-14 Fri 0:0:0"), millicron("*.*.* Fri#2 0:0:0"));

    // By text, or by sets with `timeunitspec_eq`.
    let cron = |text: &str| text.parse::<cron::Schedule>().expect(text);
    let [all, star] = [cron("0 0-59 0 * * *"), cron("0 * 0 * * *")];
    assert!(all != star && all.timeunitspec_eq(&star));

    let jiff_cron = |text: &str| text.parse::<jiff_cron::Schedule>().expect(text);
    assert_eq!(jiff_cron("0 0-59 0 * * *"), jiff_cron("0 * 0 * * *"));

    // By sets, and by whether a field is written as a star.
    let croner = |text: &str| text.parse::<croner::Cron>().expect(text);
    assert_eq!(croner("1,2 0 * * *"), croner("1-2 0 * * *"));
    assert_ne!(croner("0-59 0 * * *"), croner("* 0 * * *"));

    let saffron = |text: &str| text.parse::<saffron::Cron>().expect(text);
    assert_eq!(saffron("0-59 0 * * *"), saffron("* 0 * * *"));
    assert_ne!(saffron("0 0 1-31 * *"), saffron("0 0 * * *"));
}

#[test]
fn serde_as_text() {
    let text = |value: serde_json::Result<String>| value.expect("a schedule has a text");
    let millicron = Schedule::parse("9:30:00").expect("a schedule");
    assert_eq!(text(serde_json::to_string(&millicron)), r#""9:30:00""#);
    let cron: cron::Schedule = "0 30 9 * * *".parse().expect("an expression");
    assert_eq!(text(serde_json::to_string(&cron)), r#""0 30 9 * * *""#);
    let croner: croner::Cron = "30 9 * * *".parse().expect("a pattern");
    assert_eq!(text(serde_json::to_string(&croner)), r#""30 9 * * *""#);
    let jiff_cron: jiff_cron::Schedule = "0 30 9 * * *".parse().expect("an expression");
    assert_eq!(text(serde_json::to_string(&jiff_cron)), r#""0 30 9 * * *""#);
}
