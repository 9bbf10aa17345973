//! The texts on which two sides differ, with the reasons.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::answer::Answer;

const README: &str = include_str!("../../dialects/README.md");

/// Compares two answers for each text. They must differ for exactly the texts in `list`.
///
/// # Panics
///
/// Panics if the answers for an unlisted text differ, or those for a listed text do not.
#[track_caller]
pub(crate) fn check<'a>(
    list: &str,
    answers: impl IntoIterator<Item = (&'a str, Answer, Answer)>,
) -> usize {
    let mut reasons = reasons(list);
    let mut report = String::new();
    let mut compared = 0;
    for (text, theirs, ours) in answers {
        compared += 1;
        let is_listed = reasons.remove(text).is_some();
        if theirs.agrees(&ours) == is_listed {
            let what = if is_listed { "listed" } else { "not listed" };
            let _ = write!(report, "{text} ({what})\n  theirs\n    {theirs}\n  ours\n    {ours}\n");
        }
    }
    assert!(report.is_empty(), "wrong differences:\n{report}");
    assert!(reasons.is_empty(), "listed, but not compared: {:?}", reasons.keys());
    compared
}

/// Returns the listed texts with their reasons, which the README must contain.
fn reasons(list: &str) -> BTreeMap<&str, &str> {
    let mut reasons = BTreeMap::new();
    let mut reason = None;
    for line in list.lines().filter(|line| !line.is_empty()) {
        if let Some(heading) = line.strip_prefix("# ") {
            assert!(README.contains(&format!("| {heading} |")), "not in the README: {heading}");
            reason = Some(heading);
        } else {
            let before = reasons.insert(line, reason.expect("a heading before the first text"));
            assert_eq!(before, None, "listed twice: {line}");
        }
    }
    let used: BTreeSet<_> = reasons.values().copied().collect();
    let headings = list.lines().filter_map(|line| line.strip_prefix("# "));
    assert_eq!(headings.collect::<BTreeSet<_>>(), used, "reasons without texts");
    reasons
}

#[test]
fn each_reason_of_the_readme_has_a_text() {
    let lists = [
        include_str!("../../dialects/differences/cron.txt"),
        include_str!("../../dialects/differences/croner.txt"),
        include_str!("../../dialects/differences/crontab.txt"),
        include_str!("../../dialects/differences/quartz.txt"),
        include_str!("../../dialects/differences/saffron.txt"),
        include_str!("../../dialects/differences/systemd.txt"),
    ];
    let tables = README.split("| difference |").skip(1);
    let rows =
        tables.flat_map(|table| table.lines().skip(2).take_while(|row| row.starts_with('|')));
    for row in rows {
        let reason = row.split('|').nth(1).expect("a cell").trim();
        let heading = format!("# {reason}");
        assert!(lists.iter().any(|list| list.lines().any(|line| line == heading)), "{reason}");
    }
}
