//! Random windows of the day.

use proptest::prelude::*;
use proptest::sample::select;

const SECOND: i64 = 1000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// A window with any step, which starts on its day and ends on the same day or the next.
pub fn window() -> impl Strategy<Value = String> {
    (time_of_day(), length(), ending(), any::<u8>(), any::<u8>()).prop_flat_map(
        |(from, length, ending, spelling, other)| {
            let to = match (from + length) % DAY {
                0 if spelling < 128 => DAY,
                to => to,
            };
            let length = match ending {
                Ending::Open => DAY - from,
                _ => length,
            };
            let (start, end) = (spell_time(from, spelling), spell_time(to, other));
            let between = match ending {
                Ending::Before => format!("{start}..{end}"),
                Ending::At => format!("{start}..={end}"),
                Ending::Open => format!("{start}.."),
            };
            (step(length), any::<u8>()).prop_map(move |(step, spelling)| {
                format!("{between}/{}", spell_step(step, spelling))
            })
        },
    )
}

#[derive(Clone, Copy, Debug)]
enum Ending {
    Before,
    At,
    /// The end of the day.
    Open,
}

fn ending() -> impl Strategy<Value = Ending> {
    prop_oneof![4 => Just(Ending::Before), 3 => Just(Ending::At), 2 => Just(Ending::Open)]
}

fn time_of_day() -> impl Strategy<Value = i64> {
    prop_oneof![
        2 => Just(0),
        4 => (0..96_i64).prop_map(|quarter| quarter * 15 * MINUTE),
        3 => (0..DAY / MINUTE).prop_map(|minute| minute * MINUTE),
        1 => (0..DAY / SECOND).prop_map(|second| second * SECOND),
        2 => 0..DAY,
        1 => select(vec![1, 999, DAY - HOUR, DAY - MINUTE, DAY - SECOND, DAY - 1]),
    ]
}

/// The length of a window, more than nothing and at most a day.
fn length() -> impl Strategy<Value = i64> {
    prop_oneof![
        3 => (1..=24_i64).prop_map(|hours| hours * HOUR),
        3 => (1..=96_i64).prop_map(|quarters| quarters * 15 * MINUTE),
        2 => (1..=DAY / MINUTE).prop_map(|minutes| minutes * MINUTE),
        2 => 1..=DAY,
        1 => 1..=2 * SECOND,
        2 => Just(DAY),
        1 => select(vec![1, 2, DAY - 1, DAY - SECOND]),
    ]
}

/// A step for a window of some length.
fn step(length: i64) -> impl Strategy<Value = i64> {
    let whole = vec![
        MINUTE,
        5 * MINUTE,
        7 * MINUTE,
        15 * MINUTE,
        20 * MINUTE,
        30 * MINUTE,
        90 * MINUTE,
        HOUR,
        2 * HOUR,
        6 * HOUR,
        12 * HOUR,
        DAY,
    ];
    prop_oneof![
        5 => select(whole),
        2 => (1..=24 * 60_i64).prop_map(|minutes| minutes * MINUTE),
        1 => (1..=2 * HOUR / SECOND).prop_map(|seconds| seconds * SECOND),
        2 => 1..=DAY,
        // A part of the length, so that the last event may be at its end.
        3 => (1..=12_i64, -1..=1_i64).prop_map(move |(parts, by)| (length / parts + by).clamp(1, DAY)),
        // As long as the window or longer, which leaves one event a day.
        1 => length..=DAY,
        // Dense.
        1 => 1..=SECOND,
        1 => select(vec![1, 2, 3, 10, 250, 500, SECOND]),
    ]
}

fn spell_time(time: i64, spelling: u8) -> String {
    let (hour, minute) = (time / HOUR, time / MINUTE % 60);
    let (second, milli) = (time / SECOND % 60, time % SECOND);
    let seconds = match spelling % 8 {
        0 => format!("{hour}:{minute}:{second}"),
        1 => format!("{hour:03}:{minute:03}:{second:03}"),
        _ => format!("{hour:02}:{minute:02}:{second:02}"),
    };
    match milli {
        // 24:00:00 has no milliseconds.
        0 if time == DAY || spelling >= 85 => seconds,
        _ if spelling % 16 < 4 => format!("{seconds}.{milli}"),
        _ => format!("{seconds}.{milli:03}"),
    }
}

/// Writes a length of time in all units, or only in some of them, such as `90m`.
fn spell_step(step: i64, spelling: u8) -> String {
    let (mut rest, mut text) = (step, String::new());
    for (unit, millis, bit) in [("h", HOUR, 1), ("m", MINUTE, 2), ("s", SECOND, 4), ("ms", 1, 0)] {
        let is_used = bit == 0 || spelling >= 64 || spelling & bit != 0;
        if is_used && rest >= millis {
            text += &(rest / millis).to_string();
            text += unit;
            rest %= millis;
        }
    }
    text
}
