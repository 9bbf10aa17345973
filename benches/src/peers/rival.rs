//! A peer with its schedule for a case, behind one type for all peers.

use std::fmt;
use std::hint::black_box;

use super::Peer;
use super::cron::Cron;
use super::croner::Croner;
use super::crontime::Crontime;
use super::dialects::{Translation, translate};
use super::saffron::Saffron;
use crate::cases::Case;
use crate::instants::{END, RANGE, START};
use crate::oracle::Oracle;

/// The number of instants at which a peer is queried in one pass. Slow peers would need seconds for all
/// instants, so each pass takes the next few.
pub const WINDOW: usize = 256;

/// Iteration starts here, so that 2000-01-01 itself can be an event.
const BEFORE: i64 = START - 1;

/// The correct answers of a case.
#[derive(Debug)]
pub struct Answers {
    instants: Vec<i64>,
    next: Vec<Option<i64>>,
    events: Vec<i64>,
}

impl Answers {
    /// Computes the answers at some instants, and the first events.
    #[must_use]
    pub fn new(case: &Case, instants: &[i64], events: usize) -> Self {
        let oracle = Oracle::new(case.text);
        Self {
            instants: instants.to_vec(),
            next: instants.iter().map(|&t| oracle.next(t)).collect(),
            events: oracle.events(&RANGE, events),
        }
    }

    /// Returns the number of events.
    #[must_use]
    pub fn events(&self) -> usize {
        self.events.len()
    }

    /// Returns whether `millicron` gives these answers, compiled and parsed.
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

/// A peer with its schedule for a case.
pub struct Rival {
    /// The crate's name.
    pub name: &'static str,
    /// The case in its language.
    pub expression: &'static str,
    /// The number of instants with a wrong answer.
    pub wrong: usize,
    /// Whether it iterates over the correct events.
    pub iterates: bool,
    loops: Box<dyn Loops>,
}

impl Rival {
    /// Parses the expression repeatedly.
    pub fn parse(&self, times: usize) {
        self.loops.parse(times);
    }

    /// Finds the next event at the instants of one window.
    pub fn next(&self, window: usize) {
        self.loops.next(window);
    }

    /// Takes the given number of events from an iterator.
    pub fn forward(&self, events: usize) {
        self.loops.forward(events);
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

/// Returns the peers that can express the case, or why they cannot.
pub fn rivals(case: &Case, answers: &Answers) -> [Result<Rival, &'static str>; 4] {
    [
        rival::<Cron>(case, answers),
        rival::<Croner>(case, answers),
        rival::<Saffron>(case, answers),
        rival::<Crontime>(case, answers),
    ]
}

fn rival<P: Peer + 'static>(case: &Case, answers: &Answers) -> Result<Rival, &'static str> {
    let expression = match translate(case, P::DIALECT) {
        Translation::As(expression) => expression,
        Translation::Unsupported(why) => return Err(why),
    };
    let loops = Ready::<P> {
        expression,
        schedule: P::parse(expression),
        instants: answers.instants.iter().map(|&t| P::instant(t)).collect(),
    };
    Ok(Rival {
        name: P::NAME,
        expression,
        wrong: loops.wrong(answers),
        iterates: loops.iterates(answers),
        loops: Box::new(loops),
    })
}

/// The measured loops.
trait Loops {
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
            // A peer may have events after 2100.
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

impl<P: Peer> Loops for Ready<P> {
    fn parse(&self, times: usize) {
        for _ in 0..times {
            black_box(P::parse(black_box(self.expression)));
        }
    }

    fn next(&self, window: usize) {
        let mut windows = self.instants.chunks(WINDOW).skip(window);
        for &t in windows.next().unwrap_or_default() {
            // Adding up the answers would take a conversion in some peers. Only keep them from being
            // optimized away.
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

    /// Checks the translations, for the peers that answer correctly.
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
