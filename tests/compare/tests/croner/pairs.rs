//! Schedules that both `croner` and this crate can express, and their known differences.

/// Equivalent expressions of this crate and of `croner`. The five fields of a `croner` pattern are
/// minute, hour, day, month and weekday; a second may precede them and a year may follow. With `+`,
/// `croner` requires both the day and the weekday to match, as this crate always does.
pub(crate) const PAIRS: [(&str, &str); 46] = [
    // One time of day.
    ("0:00:00", "0 0 * * *"),
    ("0:30:00", "30 0 * * *"),
    ("1:30:00", "30 1 * * *"),
    ("1:45:30", "30 45 1 * * *"),
    ("2:00:00", "0 2 * * *"),
    ("2:10:00", "10 2 * * *"),
    ("2:30:00", "30 2 * * *"),
    ("3:00:00", "0 3 * * *"),
    ("3:15:00", "15 3 * * *"),
    ("12:00:00", "0 12 * * *"),
    ("21:59:59", "59 59 21 * * *"),
    ("22:00:00", "0 22 * * *"),
    ("23:30:00", "30 23 * * *"),
    ("23:59:59", "59 59 23 * * *"),
    // One time of day, on some days.
    ("*.*.* Sun 0:00:00", "0 0 * * 0"),
    ("*.*.* Sun 2:30:00", "30 2 * * 7"),
    ("*.*.* Sat 23:30:00", "30 23 * * SAT"),
    ("*.*.* Mon-Fri 9:30:00", "30 9 * * MON-FRI"),
    ("*.*.*/2 0,6 2:30:00", "30 2 */2 * +0,6"),
    ("*.*.8-14 Sun 2:30:00", "30 2 8-14 * +SUN"),
    ("*.*.13 Fri 12:00:00", "0 12 13 * +FRI"),
    ("*.*.32 12:00:00", "0 12 L * *"),
    ("*.*.1,15,32 0:30:00", "30 0 1,15,L * *"),
    ("*.*.31 12:00:00", "0 12 31 * *"),
    ("*.*.30 23:00:00", "0 23 30 * *"),
    ("*.2.29 12:00:00", "0 12 29 2 *"),
    ("*.3,10,11.* 2:30:00", "30 2 * 3,10,11 *"),
    ("2024.*.* 1:30:00", "0 30 1 * * * 2024"),
    // Several times of day, without `*` or steps in the time.
    ("1,2,3:30:00", "30 1,2,3 * * *"),
    ("2:10,20:00", "10,20 2 * * *"),
    ("9-17:00:00", "0 9-17 * * *"),
    ("*.*.* Sun 0,2,5:45:00", "45 0,2,5 * * SUN"),
    // One time of day, written as a step.
    ("0-23/24:00:00", "0 */24 * * *"),
    ("2:30-59/40:00", "30-59/40 2 * * *"),
    // Repeating times.
    ("*:*:00", "* * * * *"),
    ("*:00:00", "0 * * * *"),
    ("0-23:30:00", "30 0-23 * * *"),
    ("*:*/15:00", "*/15 * * * *"),
    ("*:*/7:*/20", "*/20 */7 * * * *"),
    ("*.*.* Sun *:30:00", "30 * * * 0"),
    ("*.*.32 */6:00:00", "0 */6 L * *"),
    ("*/4:00:00", "0 */4 * * *"),
    ("*/2:30:00", "30 */2 * * *"),
    ("0,12:30:00", "30 0,12 * * *"),
    ("2:*/30:00", "*/30 2 * * *"),
    ("2:30:*", "* 30 2 * * *"),
];

/// The differences around clock changes from 2010 to 2025. The columns are: number of days, first
/// day, zone, kind of change, expression, events on the first day that only `croner` has, events
/// that only this crate has, and the [`Reason`].
pub(crate) const TABLE: [&str; 52] = [
    "16 2010-03-14 America/New_York    gap  1,2,3:30:00           -           03:00-04:00 List",
    "16 2010-11-07 America/New_York    fold 1,2,3:30:00           01:30-05:00 -           List",
    "16 2010-03-28 Europe/London       gap  1,2,3:30:00           -           02:00+01:00 List",
    "16 2010-10-31 Europe/London       fold 1,2,3:30:00           01:30+00:00 -           List",
    "16 2010-04-04 Australia/Lord_Howe fold 1,2,3:30:00           01:30+10:30 -           List",
    "16 2010-03-28 Antarctica/Troll    gap  1,2,3:30:00           -           03:00+02:00 List",
    "16 2010-10-31 Antarctica/Troll    fold 1,2,3:30:00           01:30+00:00 02:30+00:00 -           List",
    "21 2012-04-29 Africa/Casablanca   gap  1,2,3:30:00           -           03:00+01:00 List",
    "20 2012-07-20 Africa/Casablanca   fold 1,2,3:30:00           02:30+00:00 -           List",
    "11 2011-09-24 Pacific/Apia        gap  1,2,3:30:00           -           04:00-10:00 List",
    "11 2011-04-02 Pacific/Apia        fold 1,2,3:30:00           03:30-11:00 -           List",
    "16 2010-03-14 America/New_York    gap  2:10,20:00            -           03:00-04:00 List",
    "16 2010-10-03 Australia/Lord_Howe gap  2:10,20:00            -           02:30+11:00 List",
    "16 2010-03-28 Antarctica/Troll    gap  2:10,20:00            -           03:00+02:00 List",
    "16 2010-10-31 Antarctica/Troll    fold 2:10,20:00            02:10+00:00 02:20+00:00 -           List",
    "21 2012-04-29 Africa/Casablanca   gap  2:10,20:00            -           03:00+01:00 List",
    "20 2012-07-20 Africa/Casablanca   fold 2:10,20:00            02:10+00:00 02:20+00:00 -           List",
    " 1 2011-12-31 Pacific/Apia        gap  2:10,20:00            -           00:00+14:00 List",
    " 1 2011-12-31 Pacific/Apia        gap  9-17:00:00            -           00:00+14:00 List",
    "16 2010-03-14 America/New_York    gap  *.*.* Sun 0,2,5:45:00 -           03:00-04:00 List",
    " 9 2010-10-17 America/Sao_Paulo   gap  *.*.* Sun 0,2,5:45:00 -           01:00-02:00 List",
    "16 2010-03-28 Antarctica/Troll    gap  *.*.* Sun 0,2,5:45:00 -           03:00+02:00 List",
    "16 2010-10-31 Antarctica/Troll    fold *.*.* Sun 0,2,5:45:00 02:45+00:00 -           List",
    "20 2010-05-02 Africa/Casablanca   gap  *.*.* Sun 0,2,5:45:00 -           01:00+01:00 List",
    "18 2012-09-30 Africa/Casablanca   fold *.*.* Sun 0,2,5:45:00 02:45+00:00 -           List",
    " 1 2010-09-26 Pacific/Apia        gap  *.*.* Sun 0,2,5:45:00 -           01:00-10:00 List",
    " 9 2010-10-17 America/Sao_Paulo   gap  0-23/24:00:00         -           01:00-02:00 Step",
    " 2 2010-05-02 Africa/Casablanca   gap  0-23/24:00:00         -           01:00+01:00 Step",
    " 1 2010-09-26 Pacific/Apia        gap  0-23/24:00:00         -           01:00-10:00 Step",
    "16 2010-03-14 America/New_York    gap  2:30-59/40:00         -           03:00-04:00 Step",
    "16 2010-03-28 Antarctica/Troll    gap  2:30-59/40:00         -           03:00+02:00 Step",
    "16 2010-10-31 Antarctica/Troll    fold 2:30-59/40:00         02:30+00:00 -           Step",
    "21 2012-04-29 Africa/Casablanca   gap  2:30-59/40:00         -           03:00+01:00 Step",
    "20 2012-07-20 Africa/Casablanca   fold 2:30-59/40:00         02:30+00:00 -           Step",
    " 1 2011-12-31 Pacific/Apia        gap  2:30-59/40:00         -           00:00+14:00 Step",
    "16 2010-10-03 Australia/Lord_Howe gap  *:00:00               -           02:30+11:00 Bridge",
    " 9 2010-10-17 America/Sao_Paulo   gap  */4:00:00             -           01:00-02:00 Bridge",
    " 2 2010-05-02 Africa/Casablanca   gap  */4:00:00             -           01:00+01:00 Bridge",
    " 1 2010-09-26 Pacific/Apia        gap  */4:00:00             -           01:00-10:00 Bridge",
    "16 2010-03-14 America/New_York    gap  */2:30:00             -           03:00-04:00 Bridge",
    " 9 2010-10-17 America/Sao_Paulo   gap  */2:30:00             -           01:00-02:00 Bridge",
    "23 2010-05-02 Africa/Casablanca   gap  */2:30:00             -           01:00+01:00 Bridge",
    " 1 2010-09-26 Pacific/Apia        gap  */2:30:00             -           01:00-10:00 Bridge",
    " 9 2010-10-17 America/Sao_Paulo   gap  0,12:30:00            -           01:00-02:00 Bridge",
    " 2 2010-05-02 Africa/Casablanca   gap  0,12:30:00            -           01:00+01:00 Bridge",
    " 1 2010-09-26 Pacific/Apia        gap  0,12:30:00            -           01:00-10:00 Bridge",
    "16 2010-03-14 America/New_York    gap  2:*/30:00             -           03:00-04:00 Bridge",
    "16 2010-03-28 Antarctica/Troll    gap  2:*/30:00             -           03:00+02:00 Bridge",
    "21 2012-04-29 Africa/Casablanca   gap  2:*/30:00             -           03:00+01:00 Bridge",
    "16 2010-03-14 America/New_York    gap  2:30:*                -           03:00-04:00 Bridge",
    "16 2010-03-28 Antarctica/Troll    gap  2:30:*                -           03:00+02:00 Bridge",
    "21 2012-04-29 Africa/Casablanca   gap  2:30:*                -           03:00+01:00 Bridge",
];

/// Why the two crates differ around a change of some hours. They always differ because they handle
/// a gap or a fold differently.
///
/// `croner` treats a pattern as a fixed time if second, minute and hour are single values without
/// `*` or `/` (`Cron::determine_job_type`). A fixed time in a gap fires at the first instant after
/// it, and one in a fold fires in the first pass. All other patterns are skipped in a gap and fire
/// in both passes of a fold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reason {
    /// Several fixed times, such as `1,2,3:30:00`. This crate treats each as a fixed time; `croner`
    /// treats a list as an interval.
    List,
    /// A single value written as a step, such as `0-23/24:00:00`. This crate considers only the set of
    /// values; `croner` considers the notation.
    Step,
    /// An interval with an event in the gap, and none within the length of the gap after it. This
    /// crate fires at the end of the gap; `croner` skips the event.
    Bridge,
}

/// The schedules with a fixed time on 2011-12-30, the day that Pacific/Apia skipped, and the next
/// event that `croner` finds from the last second before it.
pub(crate) const SKIPPED_DAY: [(&str, Option<&str>); 16] = [
    ("0:00:00", None),
    ("0:30:00", None),
    ("1:30:00", None),
    ("1:45:30", None),
    ("2:00:00", None),
    ("2:10:00", None),
    ("2:30:00", None),
    ("3:00:00", None),
    ("3:15:00", None),
    ("12:00:00", None),
    ("21:59:59", None),
    ("22:00:00", Some("2011-12-31 00:00:00 +14")),
    ("23:30:00", Some("2011-12-31 00:00:00 +14")),
    ("23:59:59", Some("2011-12-31 00:00:00 +14")),
    ("*.*.* Mon-Fri 9:30:00", None),
    // See `croner_skips_a_time_if_the_day_after_the_gap_does_not_match`.
    ("*.*.30 23:00:00", Some("2012-01-30 23:00:00 +14")),
];
