use millicron::{Schedule, schedule};

const OPENING: Schedule = schedule!("*.*.* 09:30:00 @nyse");

fn main() {
    let _ = OPENING;
}
