//! The macro works wherever an expression is allowed.

use millicron::{Schedule, schedule};

#[test]
fn compiles_and_runs() {
    assert_eq!(schedule!("*:00:00").next_event(0), Some(946_684_800_000));
    assert!(matches!(&schedule!["*:00:00"], Schedule { .. }));
    let next = [0, 1].map(|t| schedule! { "*:00:00" }.next_event(t));
    assert_eq!(next[0], next[1]);
    let every = match next {
        [Some(_), _] if schedule!("*:30:00") == schedule!("*.*.* *:30:0") => schedule!("*:30:00"),
        _ => schedule!("*:00:00"),
    };
    assert_eq!(every.to_string(), "*:30:00");
}
