//! [`Pattern`]: the schedules of the proof, whose events a plain loop computes.

/// A schedule with an event every few milliseconds.
pub(crate) struct Pattern {
    pub(crate) text: &'static str,
    pub(crate) zone: Option<&'static str>,
    /// The milliseconds between events.
    step: i64,
    /// Events are in even (0) or odd (1) minutes in UTC.
    minutes: Option<i64>,
}

const fn every(text: &'static str, step: i64) -> Pattern {
    Pattern { text, zone: None, step, minutes: None }
}

pub(crate) const PATTERNS: &[Pattern] = &[
    every("*:*:*.*/50", 50),
    every("*:*:*.*/100", 100),
    every("*:*:*.*/250", 250),
    every("*:*:*", 1000),
    every("*:*:*/2", 2000),
    every("*:*:*.*/100 America/New_York", 100),
    Pattern { text: "*:*:*.*/250", zone: Some("Europe/Berlin"), step: 250, minutes: None },
    Pattern { text: "*:*/2:*.*/50", zone: None, step: 50, minutes: Some(0) },
    // The offset is five hours and 45 minutes.
    Pattern { text: "*:*/2:*.*/50", zone: Some("Asia/Kathmandu"), step: 50, minutes: Some(1) },
];

impl Pattern {
    pub(crate) fn find(text: &str, zone: Option<&str>) -> &'static Self {
        let mut patterns = PATTERNS.iter();
        patterns.find(|it| (it.text, it.zone) == (text, zone)).expect("a known schedule")
    }

    /// Returns the events after an instant, and until another one.
    pub(crate) fn events(&self, after: i64, until: i64) -> impl Iterator<Item = i64> {
        let &Self { step, minutes, .. } = self;
        let first = (after.div_euclid(step) + 1) * step;
        let events = (first..=until).step_by(usize::try_from(step).expect("a positive step"));
        events.filter(move |event| minutes.is_none_or(|odd| event / 60_000 % 2 == odd))
    }
}
