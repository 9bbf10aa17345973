//! A program with sqlx 0.9.

use millicron_history::{History as _, SqliteHistory};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{Connection as _, query_scalar};

#[tokio::test]
async fn sqlx_reads_a_history() -> Result<(), Box<dyn std::error::Error>> {
    let path = concat!(env!("CARGO_TARGET_TMPDIR"), "/sqlx.db");
    SqliteHistory::open(path)?.record("job", 0)?;
    let options = SqliteConnectOptions::new().filename(path);
    let mut connection = SqliteConnection::connect_with(&options).await?;
    let runs: i64 = query_scalar("SELECT count(*) FROM run").fetch_one(&mut connection).await?;
    assert_eq!(runs, 1);
    Ok(())
}
