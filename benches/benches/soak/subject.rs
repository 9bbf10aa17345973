//! [`Subject`]: a process that is observed.

use std::fs;
use std::process::{Child, Command, Stdio};

use crate::late::{self, Lateness};

/// What a process used at an instant, and how late what it started was since the instant before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    memory: f64,
    descriptors: f64,
    threads: f64,
    lateness: f64,
}

/// One of the numbers of a sample.
pub(crate) struct Measure {
    pub(crate) name: &'static str,
    pub(crate) value: fn(&Sample) -> f64,
}

impl Sample {
    pub(crate) const MEASURES: [Measure; 4] = [
        Measure { name: "resident memory, MB", value: |it| it.memory },
        Measure { name: "file descriptors", value: |it| it.descriptors },
        Measure { name: "threads", value: |it| it.threads },
        Measure { name: "lateness, ms", value: |it| it.lateness },
    ];
}

pub(crate) struct Subject {
    pub(crate) name: &'static str,
    pub(crate) samples: Vec<Sample>,
    process: Child,
    lateness: Lateness,
}

impl Subject {
    /// Starts a process that prints how late it is.
    pub(crate) fn start(name: &'static str, mut command: Command) -> Self {
        let mut process = command.stdout(Stdio::piped()).spawn().expect("a process");
        let lateness = late::printed(process.stdout.take().expect("a pipe"));
        Self::of(name, process, lateness)
    }

    pub(crate) const fn of(name: &'static str, process: Child, lateness: Lateness) -> Self {
        Self { name, samples: Vec::new(), process, lateness }
    }

    /// Discards what was late so far.
    pub(crate) fn forget(&mut self) {
        (self.lateness)();
    }

    /// Takes a sample.
    pub(crate) fn look(&mut self) {
        let ended = self.process.try_wait().expect("the state of a process");
        assert!(ended.is_none(), "{} has ended", self.name);
        let directory = format!("/proc/{}", self.process.id());
        let status = fs::read_to_string(format!("{directory}/status")).expect("Linux");
        let number = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
            line.split_whitespace()
                .next()
                .and_then(|number| number.parse().ok())
                .unwrap_or(f64::NAN)
        };
        let descriptors = fs::read_dir(format!("{directory}/fd")).expect("Linux").count();
        self.samples.push(Sample {
            memory: number("VmRSS:") / 1024.0,
            descriptors: u32::try_from(descriptors).unwrap_or(u32::MAX).into(),
            threads: number("Threads:"),
            lateness: (self.lateness)(),
        });
    }
}

impl Drop for Subject {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}
