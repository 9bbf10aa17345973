use millicron::{Schedule, schedule};

const BOTH: Schedule = schedule!("*.*.* Mon 09:00:00; *.*.* Tu 10:00:00");
const GAP: Schedule = schedule!("*.*.* Mon 09:00:00;; *.*.* Tue 10:00:00");
const ALONE: Schedule = schedule!(";");

fn main() {
    let _ = (BOTH, GAP, ALONE);
}
