use millicron::{Calendar, Schedule, calendar, schedule};

const OFFICE: Calendar = calendar!("*.*.* Mon-Fri");
const SUNDAYS: Schedule = schedule!("*.*.* Sun 12:00:00 @office", office = OFFICE);
const THIRTIETH: Schedule = schedule!("*.*.* B#30 12:00:00 @office; 13:00:00", office = OFFICE);

fn main() {
    let _ = (SUNDAYS, THIRTIETH);
}
