//! A program with neither rusqlite nor sqlx.

use millicron_history::{History as _, SqliteHistory};

#[test]
fn history_needs_no_other_crate() -> Result<(), Box<dyn std::error::Error>> {
    let path = concat!(env!("CARGO_TARGET_TMPDIR"), "/neither.db");
    let mut history = SqliteHistory::open(path)?;
    history.record("job", 0)?;
    assert_eq!(history.first_at_or_after("job", 0)?, Some(0));
    Ok(())
}
