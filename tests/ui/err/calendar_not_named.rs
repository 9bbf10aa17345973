use millicron::{Calendar, Schedule, calendar, schedule};

const OFFICE: Calendar = calendar!("*.*.* Mon-Fri");
const OPENING: Schedule = schedule!("*.*.* 09:30:00", OFFICE);
const RENAMED: Schedule = schedule!("09:30:00 @office; 10:30:00 @office", self::OFFICE);
const TWO: Schedule = schedule!("09:30:00 @one; 10:30:00 @two", OFFICE);
const HYPHEN: Schedule = schedule!("09:30:00 @to-x", to-x = OFFICE);
const TWICE: Schedule = schedule!("09:30:00 @office", office = OFFICE, office = OFFICE);
const OTHER: Calendar = calendar!("@OFFICE", OFFICE, OFFICE);
const QUOTED: Calendar = calendar!("@to-x", OFFICE);
const BARE: Schedule = schedule!("*.*.* B#1 09:30:00 OFFICE", OFFICE);
const BARE_IN_ZONE: Schedule = schedule!("09:30:00 OFFICE Europe/Berlin", OFFICE);

fn main() {
    let _ = (BARE, BARE_IN_ZONE, OPENING, RENAMED, TWO, HYPHEN, TWICE, OTHER, QUOTED);
}
