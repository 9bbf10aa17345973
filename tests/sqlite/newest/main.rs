//! A program with the newest rusqlite.

use millicron_history::{History as _, SqliteHistory};
use rusqlite::Connection;

#[test]
fn newest_rusqlite_reads_a_history() -> Result<(), Box<dyn std::error::Error>> {
    let path = concat!(env!("CARGO_TARGET_TMPDIR"), "/newest.db");
    SqliteHistory::open(path)?.record("job", 0)?;
    let count = "SELECT count(*) FROM run";
    let runs: i64 = Connection::open(path)?.query_row(count, [], |row| row.get(0))?;
    assert_eq!(runs, 1);
    Ok(())
}
