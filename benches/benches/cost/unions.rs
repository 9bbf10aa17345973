//! The constant data of unions whose members may have events in common.

use std::io;

use millicron_benches::table::{Bound, Table};

use crate::crates::Crates;
use crate::footprint::{ONE_OBJECT, bytes, size_of, source};

/// The bound on bytes per member, including its share of the counts.
const MOST_OF_MEMBER: f64 = 8192.0;

/// A calendar that each crate exports, so that its days are not counted as those of a union.
const CALENDAR: &str = "pub static OFFICE: millicron::Calendar = OFFICE_DAYS;\n\
    const OFFICE_DAYS: millicron::Calendar = millicron::calendar!(\"*.*.* Mon-Fri\\n- *.12.25\");\n";

const UNIONS: [&str; 13] = [
    "*.*.* 09:30:00..=16:00:00/15m @office; *.*.* 10:00:00 @office",
    "*.*.* B#L 12:00:00 @office; 12:00:00 @office",
    "*.*.1>B 09:00:00 @office; *.*.L<B 09:00:00 @office",
    "22:00:00..06:00:00/15m @office; *.*.* B#L 02:00:00 @office",
    "*.*.* B#1 22:00:00..06:00:00/7m @office; *.*.* B#L 21:00:00..07:00:00/11m @office",
    "*.*.* B#1 09:00:00..=09:00:00/1h @office; *.*.* B#L 10:00:00..=10:00:00/30m @office",
    "00:00:00../7ms @office; *.*.* B#L *:*:* @office",
    "*.*.* Mon-Fri 9-17:*/10:00; *.*.1,15 *:*/15:00; *.*.* B#L 12:00:00 @office",
    "*.*.* Mon-Thu 22:00:00..06:00:00/30m @office; *.*.* Tue-Fri 21:00:00..07:00:00/20m @office",
    "*.*.* Mon-Thu 09:00:00..=09:00:00/30m @office; *.*.* Tue-Fri 09:00:00..=09:00:00/20m @office",
    "*.*.* Mon-Thu 09:00:00..=09:00:00/7s @office; *.*.* Tue-Fri 9-17:*:*.7,13 @office",
    "*.*.* Mon-Thu 09:00:00..=09:00:00/30s @office; *.*.* Tue-Fri 9-17:*:*.7,13 @office",
    "*.*.* Mon-Thu 9-17:*:*.7,13 @office; *.*.* Tue-Fri 9-17:*:*.7,15-200 @office",
];

/// Measures the constants that the compiler emits for each union, apart from its calendar.
pub(crate) fn table() -> io::Result<Table> {
    let names = (1..).zip(UNIONS).map(|(number, text)| (text, format!("union-{number}")));
    let names: Vec<_> = names.collect();
    let mut sources = vec![source("calendar", CALENDAR.to_owned())];
    for (text, name) in &names {
        let schedule = format!(
            "pub static SCHEDULE: millicron::Schedule = \
             millicron::schedule!({text:?}, office = OFFICE_DAYS);\n"
        );
        sources.push(source(name, CALENDAR.to_owned() + &schedule));
    }
    let crates = Crates::new("unions", &sources)?;
    crates.cargo(&["build", "--release", "--workspace", "--config", ONE_OBJECT])?;
    let calendar = size_of(&crates, "calendar")?.data;
    let headers = ["union", "data", "data per member (≤ 8192)"];
    let mut table =
        Table::new("Memory: bytes of constants for a union, besides its calendar", &headers);
    for (text, name) in &names {
        let data = bytes(size_of(&crates, name)?.data - calendar);
        let of_each = data / bytes(text.split(';').count() as u64);
        let label = format!("`{text}`");
        table.row(&label).figure(data, Bound::None).figure(of_each, Bound::AtMost(MOST_OF_MEMBER));
    }
    Ok(table)
}
