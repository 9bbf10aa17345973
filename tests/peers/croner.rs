//! Schedules in time zones compared with `croner`, where both support them.
//!
//! Away from clock changes the two agree. Around them they agree under the same gap and fold rules.
//! Their defaults differ, and all differences are listed: in [`TABLE`] for changes of some hours,
//! in [`LOST`] for a change of a day, and others in their own tests.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::{LazyLock, Mutex};

use super::croner_pairs::{LOST, PAIRS, TABLE, Why};
use crate::support::{is_full, sample};
use chrono::{DateTime, NaiveDateTime, Offset as _, TimeDelta, TimeZone as _, Utc};
use chrono_tz::Tz;
use croner::errors::CronError;
use croner::{Cron, Direction, JobType};
use millicron::{ChronoZone, Fold, Gap, Resolution, Schedule, ZonedSchedule};

/// A clock change: its instant, and the offsets before and after it, in seconds.
#[derive(Clone, Copy, Debug)]
struct Change {
    at: i64,
    before: i32,
    after: i32,
}

impl Change {
    /// Returns the length of the gap; negative for a fold.
    fn length(self) -> i64 {
        i64::from(self.after - self.before)
    }

    /// Returns the local time up to the change, and from the change on.
    fn civil(self) -> (NaiveDateTime, NaiveDateTime) {
        let at = DateTime::from_timestamp(self.at, 0).expect("an instant").naive_utc();
        let shown = |offset: i32| at + TimeDelta::seconds(offset.into());
        (shown(self.before), shown(self.after))
    }

    /// Returns the range from 36 hours before to 36 hours after.
    fn window(self, zone: Tz) -> [DateTime<Tz>; 2] {
        [self.at - 36 * HOUR, self.at + 36 * HOUR].map(|at| instant(zone, at))
    }
}

const HOUR: i64 = 3600;

const ZONES: [Tz; 7] = [
    Tz::America__New_York,
    Tz::Europe__London,
    Tz::Australia__Lord_Howe,
    Tz::America__Sao_Paulo,
    Tz::Antarctica__Troll,
    Tz::Africa__Casablanca,
    Tz::Pacific__Apia,
];

/// Pacific/Apia skipped 2011-12-30.
const DATE_LINE: Change = Change { at: 1_325_239_200, before: -36_000, after: 50_400 };

fn instant(zone: Tz, seconds: i64) -> DateTime<Tz> {
    DateTime::from_timestamp(seconds, 0).expect("an instant").with_timezone(&zone)
}

fn offset(zone: Tz, seconds: i64) -> i32 {
    instant(zone, seconds).offset().fix().local_minus_utc()
}

/// Returns the clock changes of a zone in some years.
fn changes(zone: Tz, years: Range<i32>) -> Vec<Change> {
    type Found = HashMap<(Tz, Range<i32>), Vec<Change>>;
    static FOUND: LazyLock<Mutex<Found>> = LazyLock::new(Mutex::default);
    let mut found = FOUND.lock().expect("no test panics in here");
    found.entry((zone, years.clone())).or_insert_with(|| find_changes(zone, years)).clone()
}

fn find_changes(zone: Tz, years: Range<i32>) -> Vec<Change> {
    let [start, end] = [years.start, years.end]
        .map(|year| Utc.with_ymd_and_hms(year, 1, 1, 0, 0, 0).single().expect("a date"))
        .map(|midnight| midnight.timestamp());
    let mut changes = vec![];
    let (mut at, mut before) = (start, offset(zone, start));
    while at < end {
        at += 24 * HOUR;
        let after = offset(zone, at);
        if before != after {
            // These zones change at whole minutes.
            let change = (at - 24 * HOUR..=at).step_by(60).find(|at| offset(zone, *at) == after);
            changes.push(Change { at: change.expect("a change"), before, after });
        }
        before = after;
    }
    changes
}

/// The same schedule in both.
struct Both {
    text: &'static str,
    cron: Cron,
    schedule: Schedule,
}

fn pairs() -> impl Iterator<Item = Both> {
    PAIRS.into_iter().map(|(text, pattern)| both(text, pattern))
}

fn both(text: &'static str, pattern: &str) -> Both {
    let cron = pattern.parse().unwrap_or_else(|error| panic!("{pattern}: {error}"));
    Both { text, cron, schedule: text.parse().expect(text) }
}

type Zoned = ZonedSchedule<ChronoZone<Tz>>;

impl Both {
    fn is_fixed_time(&self) -> bool {
        self.cron.determine_job_type() == JobType::FixedTime
    }

    /// Returns why the two differ.
    fn why(&self) -> Why {
        let schedule = self.in_zone(Tz::UTC);
        assert!(!self.is_fixed_time(), "{}: croner shifts, too", self.text);
        match (schedule.gap(), schedule.count(0_i64..=i64::MAX)) {
            (Gap::Bridge, _) => Why::Bridge,
            // One a day.
            (_, 36_890) => Why::Step,
            _ => Why::List,
        }
    }

    fn in_zone(&self, zone: Tz) -> Zoned {
        self.schedule.in_zone(ChronoZone(zone))
    }

    /// Returns the schedule with the gap and fold rules of `croner`.
    fn as_croner(&self, zone: Tz) -> Zoned {
        let (gap, fold) =
            if self.is_fixed_time() { (Gap::Shift, Fold::First) } else { (Gap::Skip, Fold::Both) };
        self.in_zone(zone).with_gap(gap).with_fold(fold)
    }

    /// Returns whether a gap is too long for `croner` to find its end, see
    /// [`croner_finds_nothing_across_gaps_of_more_than_two_hours`].
    fn is_lost_in(&self, gap: Change) -> bool {
        let (start, end) = gap.civil();
        self.is_fixed_time() && gap.length() > 2 * HOUR && self.schedule.count(start..end) > 0
    }

    /// Returns the next event of `croner`, if it finds one.
    fn next(&self, from: &DateTime<Tz>, inclusive: bool) -> Option<DateTime<Tz>> {
        found(self.cron.find_next_occurrence(from, inclusive))
    }

    /// Returns the previous event of `croner`, if it finds one.
    fn prev(&self, from: &DateTime<Tz>, inclusive: bool) -> Option<DateTime<Tz>> {
        found(self.cron.find_previous_occurrence(from, inclusive))
    }

    /// Returns the events of `croner` in a range.
    fn forward(&self, [from, to]: &[DateTime<Tz>; 2]) -> Vec<DateTime<Tz>> {
        self.cron.iter_from(*from, Direction::Forward).take_while(|event| event <= to).collect()
    }

    /// Returns the same, searched from the end.
    fn backward(&self, [from, to]: &[DateTime<Tz>; 2]) -> Vec<DateTime<Tz>> {
        let back = self.cron.iter_from(*to, Direction::Backward);
        let mut events: Vec<_> = back.take_while(|event| event >= from).collect();
        events.reverse();
        events
    }
}

/// Returns an answer of `croner`. The only expected error is that of a search that takes too long.
fn found(answer: Result<DateTime<Tz>, CronError>) -> Option<DateTime<Tz>> {
    match answer {
        Ok(event) => Some(event),
        Err(CronError::TimeSearchLimitExceeded) => None,
        Err(error) => panic!("{error}"),
    }
}

fn events(schedule: &Zoned, [from, to]: [DateTime<Tz>; 2]) -> Vec<DateTime<Tz>> {
    schedule.events(from..=to).collect()
}

#[test]
fn both_agree_away_from_clock_changes() {
    // The week of a leap day, and the other weeks of a year.
    let weeks = || (0..53).map(|week| 1_708_819_200 + week * 7 * 24 * HOUR);
    for both in pairs() {
        for (at, zone) in sample(weeks().zip(ZONES.into_iter().cycle())) {
            let week = [at, at + 5 * 24 * HOUR].map(|at| instant(zone, at));
            if offset(zone, at) == offset(zone, week[1].timestamp()) {
                let expected = events(&both.in_zone(zone), week);
                assert_eq!(both.forward(&week), expected, "{} from {}", both.text, week[0]);
                assert_eq!(both.backward(&week), expected, "{} from {}", both.text, week[0]);
            }
        }
    }
}

#[test]
fn dates_agree_from_2001_to_2099() {
    let end = if is_full() { 4_102_444_800 } else { 1_293_840_000 };
    // The century, or its first ten years.
    let century = [978_307_200, end].map(|at| instant(Tz::UTC, at));
    for both in pairs().filter(|both| both.text.contains('.')) {
        let expected = events(&both.in_zone(Tz::UTC), century);
        assert_eq!(both.forward(&century), expected, "{}", both.text);
        assert_eq!(both.backward(&century), expected, "{}", both.text);
    }
}

#[test]
fn both_agree_around_clock_changes_with_the_same_gap_and_fold_rules() {
    for both in pairs() {
        for zone in ZONES {
            for change in sample(changes(zone, 2010..2031)) {
                if !both.is_lost_in(change) {
                    let window = change.window(zone);
                    let expected = events(&both.as_croner(zone), window);
                    let why = || format!("{} around {change:?} of {zone}", both.text);
                    assert_eq!(both.forward(&window), expected, "{}", why());
                    assert_eq!(both.backward(&window), expected, "{}", why());
                }
            }
        }
    }
}

#[test]
fn every_query_agrees_around_clock_changes_with_the_same_rules() {
    for both in pairs() {
        for zone in ZONES {
            let schedule = both.as_croner(zone);
            for change in changes(zone, 2018..2020) {
                // Every quarter of an hour, and the seconds next to it.
                let quarters = (-5 * HOUR..=5 * HOUR).step_by(900);
                for by in sample(quarters.flat_map(|by| by - 1..=by + 1)) {
                    let at = instant(zone, change.at + by);
                    let why = || format!("{} at {at}", both.text);
                    let nearest = if is_shifted(&schedule, at) {
                        // See `croner_does_not_find_shifted_events_from_themselves`.
                        schedule.next_event(at)
                    } else {
                        schedule.nearest_event(at)
                    };
                    assert_eq!(both.next(&at, false), schedule.next_event(at), "{}", why());
                    assert_eq!(both.next(&at, true), nearest, "{}", why());
                    assert_eq!(both.prev(&at, false), schedule.prev_event(at), "{}", why());
                    assert_eq!(both.prev(&at, true), schedule.nearest_prev_event(at), "{}", why());
                }
            }
        }
    }
}

fn is_shifted(schedule: &Zoned, at: DateTime<Tz>) -> bool {
    schedule.occurrence(at).is_some_and(|event| event.resolution == Resolution::Shifted)
}

/// Returns the times that only the first list contains.
fn only(of: &[DateTime<Tz>], not_of: &[DateTime<Tz>]) -> String {
    let only = of.iter().filter(|event| !not_of.contains(event));
    let times: Vec<_> = only.map(|event| event.format("%H:%M%:z").to_string()).collect();
    if times.is_empty() { "-".to_owned() } else { times.join(" ") }
}

/// Returns how the two differ around the changes of a zone: on how many days, and the rest of the
/// row in [`TABLE`].
fn differences(both: &Both, zone: Tz, years: Range<i32>) -> BTreeMap<bool, (usize, String)> {
    let mut rows = BTreeMap::new();
    for change in changes(zone, years).into_iter().filter(|change| !both.is_lost_in(*change)) {
        let window = change.window(zone);
        let (croner, millicron) = (both.forward(&window), events(&both.in_zone(zone), window));
        if croner == millicron {
            continue;
        }
        let is_gap = change.length() > 0;
        let row = || {
            let (kind, day) = (if is_gap { "gap" } else { "fold" }, change.civil().1.date());
            let [croner, millicron] = [only(&croner, &millicron), only(&millicron, &croner)];
            let start = format!("{day} {:19} {kind:4} {:21}", zone.name(), both.text);
            format!("{start} {croner:11} {millicron:11} {:?}", both.why())
        };
        // Gaps first.
        rows.entry(!is_gap).or_insert_with(|| (0, row())).0 += 1;
    }
    rows
}

#[test]
fn the_table_lists_all_differences_around_changes_of_some_hours() {
    let pairs: Vec<Both> = pairs().collect();
    let all = pairs.iter().flat_map(|both| ZONES.map(|zone| (both, zone)));
    let (mut table, mut expected) = (vec![], vec![]);
    for (both, zone) in sample(all) {
        let rows = differences(both, zone, 2010..2026);
        // Later changes are of the same kinds; their number changes with the database.
        let later = differences(both, zone, 2026..2031);
        assert!(later.keys().all(|kind| rows.contains_key(kind)), "{later:?}");
        table.extend(rows.into_values().map(|(days, row)| format!("{days:2} {row}")));
        // The columns after the days and the date.
        let is_of_both = |row: &&&str| {
            row[14..33].trim_end() == zone.name() && row[39..60].trim_end() == both.text
        };
        expected.extend(TABLE.iter().filter(is_of_both).copied());
    }
    assert!(!is_full() || expected.len() == TABLE.len());
    assert_eq!(table.join("\n"), expected.join("\n"));
}

#[test]
fn croner_finds_nothing_across_gaps_of_more_than_two_hours() {
    // For a fixed time in a gap `croner` steps by seconds to the end of the gap, 7200 at
    // the most (`MAX_GAP_SEARCH_SECONDS`); if that is not enough it is an error, and
    // nothing beyond is found. Backwards it is one wherever it has to step over the
    // gap. Here the time fires at the end of the gap, however long that is.
    let before = instant(Tz::Pacific__Apia, DATE_LINE.at - 1);
    let after = instant(Tz::Pacific__Apia, DATE_LINE.at);
    assert_eq!(shown(Some(before)), "2011-12-29 23:59:59 -10");
    assert_eq!(shown(Some(after)), "2011-12-31 00:00:00 +14");
    let mut found = vec![];
    for both in pairs().filter(|both| both.is_lost_in(DATE_LINE)) {
        found.push((both.text, both.next(&before, false).map(|event| event.to_string())));
        assert_eq!(both.prev(&after, false), None, "{}", both.text);

        let schedule = both.in_zone(Tz::Pacific__Apia);
        assert_eq!(schedule.next_event(before), Some(after), "{}", both.text);
        let prev = schedule.prev_event(after).expect("there is one in 2011");
        assert!(prev <= before && both.schedule.matches(prev.naive_local()), "{}", both.text);
    }
    assert_eq!(found, LOST.map(|(text, next)| (text, next.map(str::to_owned))));
}

#[test]
fn croner_skips_times_whose_day_ends_in_the_gap() {
    // `croner` shifts a time only where the day after the gap is one of the pattern.
    // Here it fires: its day would have come.
    let late = both("*.*.30 23:00:00", "0 23 30 * *");
    let before = instant(Tz::Pacific__Apia, DATE_LINE.at - 1);
    let [croner, millicron] =
        [late.next(&before, false), late.in_zone(Tz::Pacific__Apia).next_event(before)];
    assert_eq!(shown(croner), "2012-01-30 23:00:00 +14");
    assert_eq!(shown(millicron), "2011-12-31 00:00:00 +14");
}

#[test]
fn croner_does_not_find_shifted_events_from_themselves() {
    // `croner` searches in local time, from the local time of the start, and a time that was
    // shifted to the start is earlier. It finds the event backwards, but the event does not match.
    // Here an event is one for every query.
    let midnight = both("0:00:00", "0 0 * * *");
    let schedule = midnight.in_zone(Tz::America__Sao_Paulo);
    let before = instant(Tz::America__Sao_Paulo, 1_541_300_399);
    assert_eq!(shown(Some(before)), "2018-11-03 23:59:59 -03");

    let event = midnight.next(&before, false).expect("it is shifted");
    assert_eq!(shown(Some(event)), "2018-11-04 01:00:00 -02");
    assert_eq!(shown(midnight.next(&event, true)), "2018-11-05 00:00:00 -02");
    assert_eq!(midnight.prev(&event, true), Some(event));
    assert_eq!(midnight.cron.is_time_matching(&event).ok(), Some(false));

    assert_eq!(schedule.next_event(before), Some(event));
    assert_eq!(schedule.nearest_event(event), Some(event));
    assert_eq!(schedule.nearest_prev_event(event), Some(event));
    assert!(schedule.matches(event));
}

#[test]
fn croner_matches_in_the_second_pass_without_an_event() {
    // `Cron::is_time_matching` only compares the local time, but searches find a fixed time in the
    // first pass only. Here an instant matches if and only if searches find it.
    let fixed = both("1:30:00", "30 1 * * *");
    let schedule = fixed.in_zone(Tz::America__New_York);
    let [first, second] =
        [1_730_611_800, 1_730_615_400].map(|at| instant(Tz::America__New_York, at));
    assert_eq!(shown(Some(first)), "2024-11-03 01:30:00 EDT");
    assert_eq!(shown(Some(second)), "2024-11-03 01:30:00 EST");
    for (pass, is_event) in [(first, true), (second, false)] {
        assert_eq!(fixed.cron.is_time_matching(&pass).ok(), Some(true));
        assert_eq!(fixed.next(&pass, true) == Some(pass), is_event);
        assert_eq!(schedule.matches(pass), is_event);
        assert_eq!(schedule.nearest_event(pass) == Some(pass), is_event);
    }
}

#[test]
fn croner_ignores_fractions_of_a_second() {
    // `croner` rounds the start down to a second, may return that second although it is before the
    // start, and continues from it.
    let noon = both("12:00:00", "0 12 * * *");
    let schedule = noon.in_zone(Tz::UTC);
    let at = instant(Tz::UTC, 1_718_020_800) + TimeDelta::milliseconds(500);
    assert_eq!(shown(Some(at)), "2024-06-10 12:00:00.500 UTC");
    assert_eq!(shown(noon.next(&at, true)), "2024-06-10 12:00:00 UTC");
    assert_eq!(shown(schedule.nearest_event(at)), "2024-06-11 12:00:00 UTC");
    assert_eq!(shown(noon.prev(&at, false)), "2024-06-09 12:00:00 UTC");
    assert_eq!(shown(schedule.prev_event(at)), "2024-06-10 12:00:00 UTC");
    // The other two queries agree.
    assert_eq!(noon.next(&at, false), schedule.next_event(at));
    assert_eq!(noon.prev(&at, true), schedule.nearest_prev_event(at));
}

#[test]
fn croner_reads_some_fields_differently() {
    let start = instant(Tz::UTC, 1_704_067_200);
    for (text, pattern, croner, millicron) in [
        // A day of the month and a weekday are joined by OR, unless written with `+`.
        ("*.*.13 Fri 0:00:00", "0 0 13 * FRI", "2024-01-05", "2024-09-13"),
        // Years count from 1, so `*/4` does not select leap years.
        ("*/4.2.28 0:00:00", "0 0 0 28 2 * */4", "2025-02-28", "2024-02-28"),
    ] {
        let both = both(text, pattern);
        let next = [both.next(&start, false), both.in_zone(Tz::UTC).next_event(start)];
        let dates = next.map(|event| event.map(|event| event.date_naive().to_string()));
        assert_eq!(dates.each_ref().map(Option::as_deref), [Some(croner), Some(millicron)]);
    }
}

/// Formats a moment.
fn shown(moment: Option<DateTime<Tz>>) -> String {
    moment.map(|moment| moment.to_string()).unwrap_or_default()
}
