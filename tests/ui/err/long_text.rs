//! The message shows the part of a long text around the error.

use millicron::{Schedule, schedule};

const WRONG: Schedule = schedule!(
    "*.*.* * *:*:*.0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,x,22,23,24,25,26,27,28,29,30,31"
);

fn main() {
    let _ = WRONG.next_event(0);
}
