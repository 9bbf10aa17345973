//! Unions in a time zone. At clock changes, each member is handled on its own, and an instant at which
//! several members have an event is one event.

use millicron::{Fold, Gap, Resolution};

use super::Oracle;
use super::zoned::{Event, Judge, Window, default_of};

impl Window {
    /// Returns the events of a schedule or a union in this window, in order. Without policies, each
    /// member has those of its kind.
    ///
    /// # Panics
    ///
    /// Panics unless all events are at whole minutes.
    pub fn events_of_union(&self, union: &Oracle, policies: Option<(Gap, Fold)>) -> Vec<Event> {
        let of_member = |member| {
            let (gap, fold) = policies_of(member, policies);
            self.of(member).events(gap, fold)
        };
        let mut events: Vec<Event> = union.members().iter().flat_map(of_member).collect();
        events.sort_by_key(|event| (event.instant, precedence(event)));
        events.dedup_by_key(|event| event.instant);
        events
    }
}

/// Applies the rules for gaps and folds to a single instant, for each member of a union.
#[derive(Debug)]
pub struct UnionJudge<'a, F> {
    members: Vec<Judge<'a, F>>,
}

impl<'a, F: Fn(i64) -> i64 + Copy> UnionJudge<'a, F> {
    /// Returns the judge of a schedule or a union. Without policies, each member has those of its
    /// kind. Offset changes must be more than a day apart.
    pub fn new(union: &'a Oracle, offset: F, policies: Option<(Gap, Fold)>) -> UnionJudge<'a, F> {
        let of_member = |member| {
            let (gap, fold) = policies_of(member, policies);
            Judge { civil: member, offset, gap, fold }
        };
        UnionJudge { members: union.members().iter().map(of_member).collect() }
    }

    /// Returns the event at an instant, if any.
    pub fn event(&self, instant: i64) -> Option<Event> {
        let events = self.members.iter().filter_map(|member| member.event(instant));
        events.min_by_key(precedence)
    }
}

fn policies_of(member: &Oracle, policies: Option<(Gap, Fold)>) -> (Gap, Fold) {
    policies.unwrap_or_else(|| default_of(member.sets()))
}

/// Returns what decides which member resolves an event at an instant that several have: one that has
/// it in local time, and otherwise the one whose event was skipped first.
fn precedence(event: &Event) -> (bool, i64) {
    (event.resolution == Resolution::Shifted, event.civil)
}
