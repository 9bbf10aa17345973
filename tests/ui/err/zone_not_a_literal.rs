//! A zone is named by a literal.

use millicron::{StaticZone, zone};

const NAME: &str = "UTC";
const ZONE: StaticZone = zone!(NAME);

fn main() {}
