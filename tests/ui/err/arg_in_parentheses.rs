use millicron::{Schedule, schedule};

const PARENTHESES: Schedule = schedule!(("*:00:00"));

fn main() {
    let _ = PARENTHESES;
}
