//! The CPU time of this process.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// The CPU time and the time at which a measurement starts.
#[derive(Debug)]
pub struct Usage {
    cpu: Duration,
    time: Instant,
}

impl Usage {
    /// Starts a measurement.
    #[must_use]
    pub fn start() -> Self {
        Self { cpu: process_time(), time: Instant::now() }
    }

    /// Returns the CPU time since the start, in percent of a core.
    #[must_use]
    pub fn percent(&self) -> f64 {
        let cpu = process_time().saturating_sub(self.cpu);
        cpu.as_secs_f64() / self.time.elapsed().as_secs_f64() * 100.0
    }
}

fn process_time() -> Duration {
    clock_gettime(ClockId::ProcessCPUTime).try_into().unwrap_or_default()
}
