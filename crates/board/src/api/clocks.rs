//! The next events of a job, and what clock changes do to them.

use millicron_pictures::ClockChangeEvents;

use crate::source::Pattern;

/// How far ahead clock changes are shown, in milliseconds.
pub(super) const AHEAD: i64 = 2 * 366 * 24 * 3_600_000;

/// Returns the next events.
pub(super) fn upcoming(pattern: &Pattern, now: i64, count: usize) -> Vec<i64> {
    let recurrence = pattern.recurrence();
    let next = |after: &i64| recurrence.next_event(*after).filter(|next| next > after);
    std::iter::successors(next(&now), next).take(count).collect()
}

/// Returns a sentence for each clock change that affects events.
pub(super) fn changes(pattern: &Pattern, now: i64) -> Vec<String> {
    let Pattern::Schedule(schedule) = pattern else { return Vec::new() };
    let changes = ClockChangeEvents::list(schedule, now..now.saturating_add(AHEAD));
    let sentences = changes.into_iter().flat_map(|change| {
        let affected = change.affected.iter().map(|events| format!("{change}: {events}."));
        affected.collect::<Vec<_>>()
    });
    sentences.collect()
}
