//! Calendars and schedules on them in literals.

use millicron::{Calendar, Schedule, calendar, include_calendar, schedule};

use super::{example, generated};

const TARGET: Calendar = include_calendar!("examples/calendars/target2.days");
const HOLIDAYS: Calendar = calendar!("*.1.1\n*.12.25,26");
pub(crate) const OFFICE: Calendar = calendar!("*.*.* Mon-Fri\n- @HOLIDAYS\n+ 2026-12-25", HOLIDAYS);
static NAMED: Calendar = calendar!("- @free\n- *.*.* Sat,Sun", free = HOLIDAYS);
static REPLACED: Calendar = calendar!("@HOLIDAYS\n- *.*.*\n+ 2026-12-25", HOLIDAYS);

const SCHEDULES: [Schedule; 12] = [
    schedule!("*.*.* 09:30:00..=16:00:00/15m @TARGET", TARGET),
    schedule!("*.*.* B#L,B#2 12:00:00 @office", office = OFFICE),
    schedule!("*.*.25<B-2,15>B!,3 12:00:00 @office", office = OFFICE),
    schedule!("2026.01.05/3b 09:00:00 @office-days", "office-days" = OFFICE),
    schedule!("*.6.13 | B#L,Sun 00:00:00 @office", office = OFFICE),
    schedule!("*.*.* Fri 22:00:00..=22:00:00/30m @TARGET", TARGET),
    schedule!("2026.01.05/2w Mon,Thu *:00:00 @TARGET", TARGET),
    schedule!(
        "*.*.* 09:00:00 @TARGET; *.*.* B#L 09:00:00 @office; *:*/7:00",
        TARGET,
        office = OFFICE
    ),
    schedule!("12:00:00 @TARGET;", TARGET),
    schedule!("*.*.L>B 12:00:00; *.*.* Mon 12:00:00..14:00:00/7m;"),
    // The end of the last window is after the range.
    schedule!(
        "22:00:00..06:00:00/15m @office; *.*.* B#1 21:00:00..02:00:00/30m @office; *.*.1,15 23:00:00..01:00:00/5m",
        office = OFFICE
    ),
    schedule!("*.*.* Mon-Fri 00:00:00../7ms; *.*.* B#L *:*:* @office", office = OFFICE),
];

#[test]
fn constant_calendars_have_the_days_of_their_texts() {
    assert_eq!(TARGET, example("target2"));
    let holidays = Calendar::parse("*.1.1\n*.12.25,26").expect("a calendar");
    assert_eq!(HOLIDAYS, holidays);
    let weekdays = Calendar::parse("*.*.* Mon-Fri").expect("a calendar");
    let christmas = Calendar::parse("2026-12-25").expect("a calendar");
    assert_eq!(REPLACED, christmas);
    assert_eq!(OFFICE, (&weekdays - &holidays) | christmas);
    assert_eq!(NAMED, weekdays - holidays);
    assert_eq!(size_of::<Calendar>(), 2 * size_of::<usize>());
    assert_eq!(size_of::<Schedule>(), 2 * size_of::<usize>());
}

#[test]
fn constant_schedules_answer_as_parsed_ones() {
    let offices = ["office", "office-days", "open", "nyse-2", "_X"].map(|name| (name, OFFICE));
    let calendars = [&[("TARGET", TARGET)], &offices[..]].concat();
    for schedule in SCHEDULES.iter().chain(&generated::SCHEDULES) {
        let text = schedule.expression();
        let parsed = Schedule::parse_with(text, &calendars).expect(text);
        assert_eq!(*schedule, parsed, "{text}");
        assert_eq!(schedule.count(..), parsed.count(..), "{text}");
        let [mut front, mut others] = [schedule, &parsed].map(|it| it.events(..));
        for step in [0, 1, 5, 1000, 33_333].into_iter().cycle().take(200) {
            assert_eq!(front.nth(step), others.nth(step), "{text}");
            assert_eq!(front.nth_back(step), others.nth_back(step), "{text}");
        }
        for instant in (0..345).map(|step| 900_000_000_000 + step * 9_876_543_211_i64) {
            assert_eq!(schedule.count(instant..), parsed.count(instant..), "{text}");
            assert_eq!(schedule.next_event(instant), parsed.next_event(instant), "{text}");
            assert_eq!(schedule.prev_event(instant), parsed.prev_event(instant), "{text}");
            assert_eq!(schedule.matches(instant), parsed.matches(instant), "{text}");
        }
    }
}

/// The second step of such a window is the first one of the next day.
#[test]
fn a_compiled_window_of_a_day_is_a_member_like_any_other() {
    const DAYS: Calendar =
        calendar!("2026-03-02\n2026-03-10..=2026-03-11\n2026-03-13\n2100-12-30..=2100-12-31");
    let window = schedule!("12:00:00..=12:00:00/24h @DAYS", DAYS);
    let union =
        Schedule::any_of([window, schedule!("2026.3.2,9,12,13 12:00:00")]).expect("a union");
    let events: Vec<i64> = union.events(..).collect();
    assert_eq!(events.len(), 10);
    assert_eq!(union.count(..), 10);
    for (place, event) in events.iter().enumerate() {
        assert_eq!(union.events(..).nth(place), Some(*event));
    }
}

#[test]
fn calendars_of_schedules_in_a_union_have_different_names() {
    let schedules = [&TARGET, &OFFICE].map(|it| schedule!("12:00:00").on(it).expect("it has days"));
    let names = schedules.each_ref().map(|it| it.calendar().expect("a calendar").to_owned());
    assert_ne!(names[0], names[1]);
    let [target, office] = names;
    let union = Schedule::any_of(schedules).expect("a union");
    let again = Schedule::parse_with(&union.to_string(), &[(target, TARGET), (office, OFFICE)]);
    assert_eq!(again, Ok(union));
}

#[test]
fn a_calendar_has_the_same_name_on_every_machine() {
    let target = Calendar::parse("*.*.* Mon-Fri\n- *.12.25,26").expect("a calendar");
    let noon = schedule!("12:00:00").on(&target).expect("it has days");
    assert_eq!(noon.expression(), "12:00:00 @calendar-ee35328b");
}

#[test]
fn a_schedule_is_put_on_a_calendar() {
    let opening = schedule!("*.*.* 09:30:00").on(&TARGET).expect("it has days");
    assert_eq!(opening, schedule!("09:30:00 @TARGET", TARGET));
    let third = schedule!("*.*.* B#3 09:30:00").on(&OFFICE).expect("it has days");
    assert_eq!(third, schedule!("*.*.* B#3 09:30:00 @OFFICE", OFFICE));
    let union = schedule!("12:00:00; *.*.* B#3 13:00:00").on(&OFFICE).expect("it has days");
    assert_eq!(union, schedule!("12:00:00 @OFFICE; *.*.* B#3 13:00:00 @OFFICE", OFFICE));
    for (text, name) in [("*.*.* B#3 09:30:00 @B", "B"), ("12:00:00; 13:00:00 @office ;", "office")]
    {
        let schedule = Schedule::parse_with(text, &[(name, OFFICE)]).expect(text);
        let error = schedule.on(&TARGET).unwrap_err();
        assert_eq!(error.to_string(), format!("the schedule has the calendar `{name}` already"));
        let members = schedule.members().last();
        assert_eq!(&members.as_ref().unwrap_or(&schedule).expression()[error.span()], name);
    }
}
