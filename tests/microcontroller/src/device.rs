//! The microcontroller.

use core::panic::PanicInfo;

use cortex_m as _;
use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hio};

use crate::report::report;

#[entry]
fn main() -> ! {
    let is_printed = hio::hstdout().is_ok_and(|mut out| report(&mut out).is_ok());
    end(if is_printed { debug::EXIT_SUCCESS } else { debug::EXIT_FAILURE })
}

/// Ends the emulator without a message, whose formatting would be part of each program that is measured.
#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    end(debug::EXIT_FAILURE)
}

fn end(status: debug::ExitStatus) -> ! {
    loop {
        debug::exit(status);
    }
}
