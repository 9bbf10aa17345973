//! A thousand different schedules that cover all strategies.

/// Returns the texts, the same in every run.
pub(crate) fn texts() -> Vec<String> {
    (0..1_000).map(text).collect()
}

/// Returns the schedule with a number. Each number gives different sets: its digits become the hour and
/// the minute, or the second and the millisecond.
fn text(number: u32) -> String {
    let (hour, minute) = (number / 60, number % 60);
    let day = 1 + number % 28;
    let month = 1 + number % 12;
    match number % 10 {
        // A stride.
        0 => format!("*:*:{minute}.{number}"),
        // All days, and one field whose values are not equal steps.
        1 => format!("*:*:*.{number},7-9"),
        2 => format!("*:*/7:{minute}.{number}"),
        // All days, and several such fields.
        3 => format!("{hour}-22:{minute}-59/7:0,30"),
        4 => format!("{hour},20:{minute}:*.0-{number}/3"),
        // Some weekdays.
        5 => format!("*.*.* Mon-Fri {hour}:{minute}:00"),
        // Some dates.
        6 => format!("*.*.{day},32 {hour}:{minute}:00"),
        7 => format!("*.{month}-12.* {hour}:{minute}-59:00"),
        // Dates on some weekdays.
        8 => format!("*.*.{day}-32/2 Tue,Thu {hour}:{minute}:00"),
        // A few days.
        _ => format!("20{:02}.{month}.{day} {hour}:{minute}:00", number % 100),
    }
}
