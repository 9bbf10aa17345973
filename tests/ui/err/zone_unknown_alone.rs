//! A zone that no database knows.

use millicron::{StaticZone, zone};

const NEW_YORK: StaticZone = zone!("America/NewYork");

fn main() {}
