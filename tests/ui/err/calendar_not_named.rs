use millicron::{Calendar, Schedule, calendar, schedule};

const OFFICE: Calendar = calendar!("*.*.* Mon-Fri");
const OPENING: Schedule = schedule!("*.*.* 09:30:00", OFFICE);

fn main() {
    let _ = OPENING;
}
