//! Schedules in time zones, compared with `croner` for expressions that both crates support.
//!
//! The two crates agree away from clock changes, and around them if both use the same policies for
//! gaps and folds. Their defaults differ. [`TABLE`] lists the differences around changes of some
//! hours, [`SKIPPED_DAY`] lists the differences around a change of a day, and each other difference has
//! its own test.

mod pairs;

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::{LazyLock, Mutex};

use chrono::{DateTime, NaiveDateTime, Offset as _, TimeDelta, TimeZone as _, Utc};
use chrono_tz::Tz;
use croner::errors::CronError;
use croner::{Cron, Direction, JobType};
use millicron::{ChronoZone, Fold, Gap, Resolution, Schedule, ZonedSchedule};
use millicron_test_support::{is_full, sample};

use crate::pairs::{PAIRS, Reason, SKIPPED_DAY, TABLE};

/// A clock change: its instant and the offsets before and after, in seconds.
#[derive(Clone, Copy, Debug)]
struct Change {
    at: i64,
    before: i32,
    after: i32,
}

impl Change {
    /// Returns the length of the gap in seconds; negative for a fold.
    fn length(self) -> i64 {
        i64::from(self.after - self.before)
    }

    /// Returns the local times at the change, by the old and by the new offset.
    fn civil(self) -> (NaiveDateTime, NaiveDateTime) {
        let at = DateTime::from_timestamp(self.at, 0).expect("an instant").naive_utc();
        let shown = |offset: i32| at + TimeDelta::seconds(offset.into());
        (shown(self.before), shown(self.after))
    }

    /// Returns the instants a day and a half before and after the change.
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

/// Pacific/Apia skipped 2011-12-30: its clocks went forward by a day.
const APIA_CHANGE: Change = Change { at: 1_325_239_200, before: -36_000, after: 50_400 };

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
    let mut found = FOUND.lock().expect("the lock should not be poisoned");
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
            // The offsets of these zones change at whole minutes.
            let change = (at - 24 * HOUR..=at).step_by(60).find(|at| offset(zone, *at) == after);
            changes.push(Change { at: change.expect("a change"), before, after });
        }
        before = after;
    }
    changes
}

/// The same schedule in both crates.
struct Pair {
    text: &'static str,
    cron: Cron,
    schedule: Schedule,
}

fn pairs() -> impl Iterator<Item = Pair> {
    PAIRS.into_iter().map(|(text, pattern)| pair(text, pattern))
}

fn pair(text: &'static str, pattern: &str) -> Pair {
    let cron = pattern.parse().unwrap_or_else(|error| panic!("{pattern}: {error}"));
    Pair { text, cron, schedule: text.parse().expect(text) }
}

type Zoned = ZonedSchedule<ChronoZone<Tz>>;

impl Pair {
    fn is_fixed_time(&self) -> bool {
        self.cron.determine_job_type() == JobType::FixedTime
    }

    /// Returns why the two crates differ.
    fn reason(&self) -> Reason {
        let schedule = self.in_zone(Tz::UTC);
        assert!(!self.is_fixed_time(), "{}: croner shifts as well", self.text);
        match (schedule.gap(), schedule.count(0_i64..=i64::MAX)) {
            (Gap::Bridge, _) => Reason::Bridge,
            // One event each day of the range.
            (_, 36_890) => Reason::Step,
            _ => Reason::List,
        }
    }

    fn in_zone(&self, zone: Tz) -> Zoned {
        self.schedule.in_zone(ChronoZone(zone))
    }

    /// Returns the schedule in a zone, with the gap and fold policies of `croner`.
    fn with_croner_policies(&self, zone: Tz) -> Zoned {
        let (gap, fold) =
            if self.is_fixed_time() { (Gap::Shift, Fold::First) } else { (Gap::Skip, Fold::Both) };
        self.in_zone(zone).with_gap(gap).with_fold(fold)
    }

    /// Returns whether the gap exceeds the search limit of `croner`, see
    /// [`croner_fails_to_search_past_a_gap_of_more_than_two_hours`].
    fn exceeds_gap_search(&self, gap: Change) -> bool {
        let (start, end) = gap.civil();
        self.is_fixed_time() && gap.length() > 2 * HOUR && self.schedule.count(start..end) > 0
    }

    /// Returns the next event of `croner`, or `None` if its search limit is exceeded.
    fn next(&self, from: &DateTime<Tz>, inclusive: bool) -> Option<DateTime<Tz>> {
        found(self.cron.find_next_occurrence(from, inclusive))
    }

    /// Returns the previous event of `croner`, or `None` if its search limit is exceeded.
    fn prev(&self, from: &DateTime<Tz>, inclusive: bool) -> Option<DateTime<Tz>> {
        found(self.cron.find_previous_occurrence(from, inclusive))
    }

    /// Returns the events of `croner` between two instants, searched forward.
    fn forward(&self, [from, to]: &[DateTime<Tz>; 2]) -> Vec<DateTime<Tz>> {
        self.cron.iter_from(*from, Direction::Forward).take_while(|event| event <= to).collect()
    }

    /// Returns the same events, searched backward.
    fn backward(&self, [from, to]: &[DateTime<Tz>; 2]) -> Vec<DateTime<Tz>> {
        let back = self.cron.iter_from(*to, Direction::Backward);
        let mut events: Vec<_> = back.take_while(|event| event >= from).collect();
        events.reverse();
        events
    }
}

/// Converts a result of `croner`. The only error that these tests expect is an exceeded search
/// limit.
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
fn crates_agree_away_from_clock_changes() {
    // A year of weeks, starting in the week of a leap day.
    let weeks = || (0..53).map(|week| 1_708_819_200 + week * 7 * 24 * HOUR);
    for pair in pairs() {
        for (at, zone) in sample(weeks().zip(ZONES.into_iter().cycle())) {
            let week = [at, at + 5 * 24 * HOUR].map(|at| instant(zone, at));
            if offset(zone, at) == offset(zone, week[1].timestamp()) {
                let expected = events(&pair.in_zone(zone), week);
                assert_eq!(pair.forward(&week), expected, "{} from {}", pair.text, week[0]);
                assert_eq!(pair.backward(&week), expected, "{} from {}", pair.text, week[0]);
            }
        }
    }
}

#[test]
fn dates_agree_from_2001_to_2099() {
    let end = if is_full() { 4_102_444_800 } else { 1_293_840_000 };
    // The century, or its first ten years by default.
    let century = [978_307_200, end].map(|at| instant(Tz::UTC, at));
    for pair in pairs().filter(|pair| pair.text.contains('.')) {
        let expected = events(&pair.in_zone(Tz::UTC), century);
        assert_eq!(pair.forward(&century), expected, "{}", pair.text);
        assert_eq!(pair.backward(&century), expected, "{}", pair.text);
    }
}

#[test]
fn events_agree_around_changes_with_the_same_policies() {
    for pair in pairs() {
        for zone in ZONES {
            for change in sample(changes(zone, 2010..2031)) {
                if !pair.exceeds_gap_search(change) {
                    let window = change.window(zone);
                    let expected = events(&pair.with_croner_policies(zone), window);
                    let message = || format!("{} around {change:?} of {zone}", pair.text);
                    assert_eq!(pair.forward(&window), expected, "{}", message());
                    assert_eq!(pair.backward(&window), expected, "{}", message());
                }
            }
        }
    }
}

#[test]
fn queries_agree_around_changes_with_the_same_policies() {
    for pair in pairs() {
        for zone in ZONES {
            let schedule = pair.with_croner_policies(zone);
            for change in changes(zone, 2018..2020) {
                // Each quarter of an hour, and the seconds before and after it.
                let quarters = (-5 * HOUR..=5 * HOUR).step_by(900);
                for by in sample(quarters.flat_map(|by| by - 1..=by + 1)) {
                    let at = instant(zone, change.at + by);
                    let message = || format!("{} at {at}", pair.text);
                    let nearest = if is_shifted(&schedule, at) {
                        // See `croner_misses_a_shifted_event_if_the_search_starts_there`.
                        schedule.next_event(at)
                    } else {
                        schedule.nearest_event(at)
                    };
                    assert_eq!(pair.next(&at, false), schedule.next_event(at), "{}", message());
                    assert_eq!(pair.next(&at, true), nearest, "{}", message());
                    assert_eq!(pair.prev(&at, false), schedule.prev_event(at), "{}", message());
                    assert_eq!(
                        pair.prev(&at, true),
                        schedule.nearest_prev_event(at),
                        "{}",
                        message()
                    );
                }
            }
        }
    }
}

fn is_shifted(schedule: &Zoned, at: DateTime<Tz>) -> bool {
    schedule.occurrence(at).is_some_and(|event| event.resolution == Resolution::Shifted)
}

/// Returns the times of the events in `of` that are missing in `not_of`.
fn missing_times(of: &[DateTime<Tz>], not_of: &[DateTime<Tz>]) -> String {
    let missing = of.iter().filter(|event| !not_of.contains(event));
    let times: Vec<_> = missing.map(|event| event.format("%H:%M%:z").to_string()).collect();
    if times.is_empty() { "-".to_owned() } else { times.join(" ") }
}

/// Returns how the crates differ around the changes of a zone in some years: the number of days,
/// and the rest of the row in [`TABLE`].
fn differences(pair: &Pair, zone: Tz, years: Range<i32>) -> BTreeMap<bool, (usize, String)> {
    let mut rows = BTreeMap::new();
    for change in
        changes(zone, years).into_iter().filter(|change| !pair.exceeds_gap_search(*change))
    {
        let window = change.window(zone);
        let (croner, millicron) = (pair.forward(&window), events(&pair.in_zone(zone), window));
        if croner == millicron {
            continue;
        }
        let is_gap = change.length() > 0;
        let row = || {
            let (kind, day) = (if is_gap { "gap" } else { "fold" }, change.civil().1.date());
            let [croner, millicron] =
                [missing_times(&croner, &millicron), missing_times(&millicron, &croner)];
            let start = format!("{day} {:19} {kind:4} {:21}", zone.name(), pair.text);
            format!("{start} {croner:11} {millicron:11} {:?}", pair.reason())
        };
        // Gaps first.
        rows.entry(!is_gap).or_insert_with(|| (0, row())).0 += 1;
    }
    rows
}

#[test]
fn table_lists_all_differences_around_changes_of_some_hours() {
    let pairs: Vec<Pair> = pairs().collect();
    let all = pairs.iter().flat_map(|pair| ZONES.map(|zone| (pair, zone)));
    let (mut table, mut expected) = (vec![], vec![]);
    for (pair, zone) in sample(all) {
        let rows = differences(pair, zone, 2010..2026);
        // Later changes differ in the same way. Governments still change their number, so it is not
        // compared.
        let later = differences(pair, zone, 2026..2031);
        assert!(later.keys().all(|kind| rows.contains_key(kind)), "{later:?}");
        table.extend(rows.into_values().map(|(days, row)| format!("{days:2} {row}")));
        // The columns of the zone and of the expression.
        let is_of_pair = |row: &&&str| {
            row[14..33].trim_end() == zone.name() && row[39..60].trim_end() == pair.text
        };
        expected.extend(TABLE.iter().filter(is_of_pair).copied());
    }
    assert!(!is_full() || expected.len() == TABLE.len());
    assert_eq!(table.join("\n"), expected.join("\n"));
}

#[test]
fn croner_fails_to_search_past_a_gap_of_more_than_two_hours() {
    // For a fixed time in a gap, `croner` steps by seconds to the end of the gap. It returns an
    // error after 7200 steps (`MAX_GAP_SEARCH_SECONDS`), and finds no event beyond the gap.
    // Backward, it returns an error whenever it has to step over the gap. This crate fires the
    // event at the end of the gap, however long the gap is.
    let before = instant(Tz::Pacific__Apia, APIA_CHANGE.at - 1);
    let after = instant(Tz::Pacific__Apia, APIA_CHANGE.at);
    assert_eq!(shown(Some(before)), "2011-12-29 23:59:59 -10");
    assert_eq!(shown(Some(after)), "2011-12-31 00:00:00 +14");
    let mut found = vec![];
    for pair in pairs().filter(|pair| pair.exceeds_gap_search(APIA_CHANGE)) {
        found.push((pair.text, pair.next(&before, false).map(|event| event.to_string())));
        assert_eq!(pair.prev(&after, false), None, "{}", pair.text);

        let schedule = pair.in_zone(Tz::Pacific__Apia);
        assert_eq!(schedule.next_event(before), Some(after), "{}", pair.text);
        let prev = schedule.prev_event(after).expect("an event before the gap");
        assert!(prev <= before && pair.schedule.matches(prev.naive_local()), "{}", pair.text);
    }
    assert_eq!(found, SKIPPED_DAY.map(|(text, next)| (text, next.map(str::to_owned))));
}

#[test]
fn croner_skips_a_time_if_the_day_after_the_gap_does_not_match() {
    // `croner` shifts a time only if the pattern matches the day after the gap. This crate fires
    // the event, because its date matches the pattern.
    let late = pair("*.*.30 23:00:00", "0 23 30 * *");
    let before = instant(Tz::Pacific__Apia, APIA_CHANGE.at - 1);
    let [croner, millicron] =
        [late.next(&before, false), late.in_zone(Tz::Pacific__Apia).next_event(before)];
    assert_eq!(shown(croner), "2012-01-30 23:00:00 +14");
    assert_eq!(shown(millicron), "2011-12-31 00:00:00 +14");
}

#[test]
fn croner_misses_a_shifted_event_if_the_search_starts_there() {
    // `croner` searches in local time from the local time of the start, and a time that was shifted
    // to the start has an earlier local time. `croner` does find it backward, but does not match
    // it. This crate treats an event alike in all queries.
    let midnight = pair("0:00:00", "0 0 * * *");
    let schedule = midnight.in_zone(Tz::America__Sao_Paulo);
    let before = instant(Tz::America__Sao_Paulo, 1_541_300_399);
    assert_eq!(shown(Some(before)), "2018-11-03 23:59:59 -03");

    let event = midnight.next(&before, false).expect("the shifted event");
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
fn croner_matches_a_fixed_time_in_the_second_pass() {
    // `Cron::is_time_matching` considers only the local time, but a search finds a fixed time only
    // in the first pass. In this crate, `matches` agrees with the search.
    let fixed = pair("1:30:00", "30 1 * * *");
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
fn croner_truncates_fractions_of_a_second() {
    // `croner` truncates the start to a whole second. It may return that second, which is before
    // the start; a search that excludes the start skips the whole second.
    let noon = pair("12:00:00", "0 12 * * *");
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
fn weekdays_and_year_steps_have_other_meanings_in_croner() {
    let start = instant(Tz::UTC, 1_704_067_200);
    for (text, pattern, croner, millicron) in [
        // Without `+`, `croner` matches days on which the day of month or the weekday matches.
        ("*.*.13 Fri 0:00:00", "0 0 13 * FRI", "2024-01-05", "2024-09-13"),
        // `croner` counts years from 1, so its every fourth year is not a leap year.
        ("*/4.2.28 0:00:00", "0 0 0 28 2 * */4", "2025-02-28", "2024-02-28"),
    ] {
        let pair = pair(text, pattern);
        let next = [pair.next(&start, false), pair.in_zone(Tz::UTC).next_event(start)];
        let dates = next.map(|event| event.map(|event| event.date_naive().to_string()));
        assert_eq!(dates.each_ref().map(Option::as_deref), [Some(croner), Some(millicron)]);
    }
}

/// Formats a moment, or returns an empty string for `None`.
fn shown(moment: Option<DateTime<Tz>>) -> String {
    moment.map(|moment| moment.to_string()).unwrap_or_default()
}
