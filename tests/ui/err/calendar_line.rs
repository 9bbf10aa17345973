use millicron::{Calendar, calendar, include_calendar};

const OFFICE: Calendar = calendar!(
    "*.*.* Mon-Fri
     - *.13.25"
);
const OTHER: Calendar = calendar!("*.*.* Mon-Fri\n- @holidays");
const EMPTY: Calendar = calendar!("# nothing");
const REMOVED: Calendar = calendar!("*.*.* Mon-Fri\n- *.*.*");
const NUMBER: Calendar = calendar!(5);
const MISSING: Calendar = include_calendar!(5);

fn main() {
    let _ = (OFFICE, OTHER, EMPTY, REMOVED, NUMBER, MISSING);
}
