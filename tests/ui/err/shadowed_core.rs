//! A mistake is one message, whatever is called `core` and `std` around it.

mod core {}
mod std {}

const WRONG: millicron::Schedule = millicron::schedule!("24:00:00");

fn main() {
    let _ = WRONG.next_event(0);
}
