//! An invalid text causes one error even if `core` and `std` are shadowed.

mod core {}
mod std {}

const WRONG: millicron::Schedule = millicron::schedule!("24:00:00");

fn main() {
    let _ = WRONG.next_event(0);
}
