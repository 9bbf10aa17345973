//! The tests of moments and time zones, with the types of jiff 0.2.

#[path = "../../moments/mod.rs"]
mod moments;
#[path = "../../oracle/zoned.rs"]
mod zoned_oracle;
#[path = "../../zones/mod.rs"]
mod zones;

use millicron_test_support::oracle::*;

/// The shared code of tests, with an oracle in time zones of jiff 0.2.
mod support {
    pub(crate) use millicron_test_support::*;

    pub(crate) mod oracle {
        pub(crate) use millicron_test_support::oracle::*;

        pub(crate) use crate::zoned_oracle as zoned;
    }
}
