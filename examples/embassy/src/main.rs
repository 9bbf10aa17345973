//! Rings a bell at the events of a schedule in New York, on a microcontroller: without an operating
//! system, an allocator, or a time zone database. The rules of the zone are constants of the program.
//!
//! To run it in QEMU, install `qemu-system-arm` and the target, then start it in this directory:
//!
//! ```sh
//! rustup target add thumbv7m-none-eabi
//! cargo run --release
//! ```
#![no_std]
#![no_main]
#![forbid(unsafe_code)]

use core::cell::Cell;

use cortex_m::Peripherals;
use cortex_m_semihosting::{debug, hprintln};
use embassy_executor::Spawner;
use embassy_time::{Instant, Timer};
use millicron::{StaticZone, ZonedSchedule, schedule};
use panic_semihosting as _;
use systick_timer::SystickDriver;

/// Every second in the first minute of trading.
const BELL: ZonedSchedule<StaticZone> =
    schedule!("*.*.* Mon-Fri 09:30:00..09:31:00/1s America/New_York");

/// The calendar time. embassy's clock only measures how long the program has been running.
struct WallClock {
    /// When the program started, in milliseconds since 1970-01-01 00:00:00 UTC.
    start: Cell<i64>,
}

impl WallClock {
    /// Creates a clock that shows the given time, in milliseconds since 1970-01-01 00:00:00 UTC.
    fn new(now: i64) -> Self {
        Self { start: Cell::new(now - uptime()) }
    }

    /// Corrects the clock, for instance each time an NTP server answers.
    #[expect(dead_code, reason = "the emulator has no other clock")]
    fn set(&self, now: i64) {
        self.start.set(now - uptime());
    }

    fn now(&self) -> i64 {
        self.start.get() + uptime()
    }

    /// Waits until the clock shows a time.
    async fn sleep_until(&self, time: i64) {
        while let remaining @ 1.. = time - self.now() {
            // Not all at once, because the clock may be corrected in the meantime.
            Timer::after_millis(remaining.min(60_000).cast_unsigned()).await;
        }
    }
}

/// Returns how long the program has been running, in milliseconds.
fn uptime() -> i64 {
    Instant::now().as_millis().cast_signed()
}

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let mut peripherals = Peripherals::take().expect("the first call");
    DRIVER.start(&mut peripherals.SYST);

    // A device would read a real-time clock here, or ask an NTP server.
    let clock = WallClock::new(1_774_618_199_800); // Friday, 2026-03-27 13:29:59.800 UTC

    // The emulator ends after two events. Without `take`, this goes on until 2100.
    for event in BELL.upcoming(clock.now()).take(2) {
        clock.sleep_until(event).await;
        hprintln!("{} in {}", BELL.local_time(event), BELL.zone().name());
    }
    debug::exit(debug::EXIT_SUCCESS);
}

// SysTick counts the cycles of the emulated processor, 12.5 million a second, and interrupts it after each 12,500.
embassy_time_driver::time_driver_impl!(
    static DRIVER: SystickDriver<4> = SystickDriver::new(12_500_000, 12_499)
);

#[cortex_m_rt::exception]
fn SysTick() {
    DRIVER.systick_interrupt();
}
