//! A peer with its schedule of a case, whichever peer it is.

use std::fmt;
use std::hint::black_box;

use super::Peer;
use super::cron::Cron;
use super::croner::Croner;
use super::crontime::Crontime;
use super::dialects::{Said, said};
use super::saffron::Saffron;
use crate::cases::Case;
use crate::instants::{END, RANGE, START};
use crate::oracle::Oracle;

/// How many instants a peer is asked at in one pass. Slow peers would need
/// seconds for all, so each pass takes the next few.
pub const WINDOW: usize = 256;

/// Iterations start here, so that 2000-01-01 itself can be an event.
const BEFORE: i64 = START - 1;

/// What a case has to be answered, by all alike.
#[derive(Debug)]
pub struct Answers {
    instants: Vec<i64>,
    next: Vec<Option<i64>>,
    events: Vec<i64>,
}

impl Answers {
    /// The answers at these instants, and so many events.
    #[must_use]
    pub fn new(case: &Case, instants: &[i64], events: usize) -> Self {
        let oracle = Oracle::new(case.text);
        Self {
            instants: instants.to_vec(),
            next: instants.iter().map(|&t| oracle.next(t)).collect(),
            events: oracle.events(&RANGE, events),
        }
    }

    /// How many events there are.
    #[must_use]
    pub fn events(&self) -> usize {
        self.events.len()
    }

    /// Whether `millicron` gives them, compiled and parsed.
    #[must_use]
    pub fn are_given_by(&self, case: &Case) -> bool {
        let compiled = case.compiled.schedule();
        [compiled, case.parsed().schedule()].iter().all(|schedule| {
            let next = self.instants.iter().map(|&t| schedule.next_event(t));
            let events = schedule.events(RANGE).take(self.events.len());
            next.eq(self.next.iter().copied()) && events.eq(self.events.iter().copied())
        })
    }
}

/// A peer with its schedule of a case.
pub struct Rival {
    /// The crate's name.
    pub name: &'static str,
    /// The case in its dialect.
    pub expression: &'static str,
    /// At how many instants it answers wrongly.
    pub wrong: usize,
    /// Whether it iterates over the right events.
    pub iterates: bool,
    asked: Box<dyn Asked>,
}

impl Rival {
    /// Parses the expression so many times.
    pub fn parse(&self, times: usize) {
        self.asked.parse(times);
    }

    /// Asks for the next event at the instants of one window.
    pub fn next(&self, window: usize) {
        self.asked.next(window);
    }

    /// Makes an iterator and takes so many events from it.
    pub fn forward(&self, events: usize) {
        self.asked.forward(events);
    }
}

impl fmt::Debug for Rival {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, expression, .. } = self;
        write!(f, "Rival({name} {expression})")
    }
}

/// The names of the peers, in the order of [`rivals`].
pub const NAMES: [&str; 4] = [Cron::NAME, Croner::NAME, Saffron::NAME, Crontime::NAME];

/// The peers that can say the case, and of the others why they cannot.
pub fn rivals(case: &Case, answers: &Answers) -> [Result<Rival, &'static str>; 4] {
    [
        rival::<Cron>(case, answers),
        rival::<Croner>(case, answers),
        rival::<Saffron>(case, answers),
        rival::<Crontime>(case, answers),
    ]
}

fn rival<P: Peer + 'static>(case: &Case, answers: &Answers) -> Result<Rival, &'static str> {
    let expression = match said(case, P::DIALECT) {
        Said::As(expression) => expression,
        Said::Never(why) => return Err(why),
    };
    let asked = Ready::<P> {
        expression,
        schedule: P::parse(expression),
        instants: answers.instants.iter().map(|&t| P::instant(t)).collect(),
    };
    Ok(Rival {
        name: P::NAME,
        expression,
        wrong: asked.wrong(answers),
        iterates: asked.iterates(answers),
        asked: Box::new(asked),
    })
}

/// The loops that are measured.
trait Asked {
    fn parse(&self, times: usize);
    fn next(&self, window: usize);
    fn forward(&self, events: usize);
}

struct Ready<P: Peer> {
    expression: &'static str,
    schedule: P::Schedule,
    instants: Vec<P::Instant>,
}

impl<P: Peer> Ready<P> {
    fn wrong(&self, answers: &Answers) -> usize {
        let next = self.instants.iter().map(|&t| {
            let next = P::next(&self.schedule, t).map(P::millis);
            // A peer's calendar may go on after the language's has ended.
            next.filter(|&t| t < END)
        });
        let answers = answers.next.iter();
        next.zip(answers).filter(|(next, right)| next != *right).count()
    }

    fn iterates(&self, answers: &Answers) -> bool {
        P::events(&self.schedule, P::instant(BEFORE))
            .take(answers.events.len())
            .map(P::millis)
            .eq(answers.events.iter().copied())
    }
}

impl<P: Peer> Asked for Ready<P> {
    fn parse(&self, times: usize) {
        for _ in 0..times {
            black_box(P::parse(black_box(self.expression)));
        }
    }

    fn next(&self, window: usize) {
        let mut windows = self.instants.chunks(WINDOW).skip(window);
        for &t in windows.next().unwrap_or_default() {
            // An answer in the peer's own type is not even added up, which would
            // mean a conversion for some; it is only not dropped.
            black_box(P::next(&self.schedule, t));
        }
    }

    fn forward(&self, events: usize) {
        let start = P::instant(BEFORE);
        for event in P::events(&self.schedule, black_box(start)).take(events) {
            black_box(event);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Answers, rivals};
    use crate::cases::{CASES, WHOLE_SECONDS};
    use crate::instants::random;

    /// The translations are right, as far as the peers are.
    #[test]
    fn all_agree() {
        let instants = random();
        for case in CASES.iter().chain(WHOLE_SECONDS) {
            let answers = Answers::new(case, &instants[..64], 64);
            assert!(answers.are_given_by(case), "{}", case.text);
            for rival in rivals(case, &answers).into_iter().flatten() {
                assert!(rival.iterates, "{rival:?}");
                assert!(rival.wrong == 0 || rival.name == "crontime", "{rival:?}");
            }
        }
    }
}
