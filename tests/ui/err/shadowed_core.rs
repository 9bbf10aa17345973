//! An error is one message, whatever `core` and `std` are in scope.

mod core {}
mod std {}

const WRONG: millicron::Schedule = millicron::schedule!("24:00:00");

fn main() {
    let _ = WRONG.next_event(0);
}
