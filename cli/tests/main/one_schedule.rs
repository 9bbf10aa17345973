//! Commands about one schedule.

use super::command::shown;

#[test]
fn next_lists_events_after_now() {
    insta::assert_snapshot!(shown(&["next", "0 9 * * MON-FRI", "-n", "3"]));
}
