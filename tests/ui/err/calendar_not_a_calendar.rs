use millicron::{Schedule, schedule};

const OPENING: Schedule = schedule!("*.*.* 09:30:00 @nyse", nyse = 5);

fn main() {
    let _ = OPENING;
}
