//! The microcontroller.

use core::fmt::{self, Write};
use core::panic::PanicInfo;

use cortex_m as _;
use cortex_m_rt::{STACK_PAINT_VALUE, entry, exception};
use cortex_m_semihosting::{debug, hio};

use crate::report::report;

#[entry]
fn main() -> ! {
    let is_printed = print().is_ok();
    end(if is_printed { debug::EXIT_SUCCESS } else { debug::EXIT_FAILURE })
}

fn print() -> fmt::Result {
    report(&mut hio::hstdout().map_err(|()| fmt::Error)?)?;
    // Not on standard output, which must be the same on the host.
    let mut errors = hio::hstderr().map_err(|()| fmt::Error)?;
    writeln!(errors, "stack: {} bytes", used_stack())
}

/// Returns how many bytes of the stack were ever in use.
fn used_stack() -> usize {
    unsafe extern "C" {
        // The lowest and the highest address, from the linker script of `cortex-m-rt`.
        static _stack_end: u32;
        static _stack_start: u32;
    }
    let (lowest, highest) = (&raw const _stack_end, &raw const _stack_start);
    let mut words = 0;
    // SAFETY: the stack is memory from `lowest` to `highest`, all of it painted at the start. A volatile read accepts
    // that other functions wrote there.
    unsafe {
        let length = highest.offset_from_unsigned(lowest);
        while words < length && lowest.add(words).read_volatile() == STACK_PAINT_VALUE {
            words += 1;
        }
        (length - words) * size_of::<u32>()
    }
}

/// Ends the emulator without a message, whose formatting would be part of each program that is measured.
#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    end(debug::EXIT_FAILURE)
}

/// Such as a stack that overflows.
#[exception]
unsafe fn HardFault(_: &cortex_m_rt::ExceptionFrame) -> ! {
    end(debug::EXIT_FAILURE)
}

fn end(status: debug::ExitStatus) -> ! {
    loop {
        debug::exit(status);
    }
}
