//! Other macros may pass on the literal in any fragment that accepts it.

use millicron::{Schedule, schedule};

macro_rules! literal {
    ($text:literal) => {
        schedule!($text)
    };
}

macro_rules! expr {
    ($text:expr) => {
        schedule!($text)
    };
}

macro_rules! tt {
    ($text:tt) => {
        schedule!($text)
    };
}

macro_rules! tokens {
    ($($text:tt)*) => {
        schedule!($($text)*)
    };
}

macro_rules! nested {
    ($text:expr) => {
        expr!($text)
    };
}

macro_rules! named {
    ($($name:ident = $text:literal;)*) => {
        $(const $name: Schedule = schedule!($text);)*
    };
}

named! {
    HOURLY = "*:00:00";
    HALF_PAST = "*:30:00";
}

const ALL: [Schedule; 6] = [
    literal!("*:00:00"),
    expr!("*:00:00"),
    tt!("*:00:00"),
    tokens!("*:00:00"),
    nested!("*:00:00"),
    nested!(r"*:00:00"),
];

#[test]
fn compiles_and_runs() {
    assert!(ALL.iter().all(|schedule| *schedule == HOURLY && *schedule != HALF_PAST));
}
