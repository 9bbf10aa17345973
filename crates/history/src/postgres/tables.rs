//! Creates the tables, and checks their version.

use std::time::Duration;

use tokio_postgres::{Client, GenericClient};

use super::failure::Failure;
use super::sql::{self, MIGRATION_LOCK, VERSION};

/// Quotes an identifier.
pub(super) fn quote(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Configures a session as the statements expect, regardless of the database's defaults.
pub(super) async fn prepare_session(
    client: &Client,
    lock_timeout: Duration,
) -> Result<(), Failure> {
    // 0 would mean no limit. Just-in-time compilation would take longer than the statements.
    let lock_timeout = lock_timeout.as_millis().clamp(1, 1 << 30);
    let set = format!(
        "SET jit = off; SET default_transaction_isolation = 'read committed'; \
         SET lock_timeout = {lock_timeout}"
    );
    Ok(client.batch_execute(&set).await?)
}

/// Creates the tables if they do not exist. Several processes may do so at the same time.
pub(super) async fn create(client: &mut Client, schema: &str) -> Result<(), Failure> {
    // A user without permission to create tables can use the tables of another user.
    if check_version(version(client, schema).await?)? {
        return Ok(());
    }
    let transaction = client.transaction().await?;
    transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&MIGRATION_LOCK]).await?;
    // Another process may have created them before this one got the lock.
    if check_version(version(&transaction, schema).await?)? {
        return Ok(());
    }
    let exists = "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1::text)";
    let quoted = quote(schema);
    if !transaction.query_one(exists, &[&schema]).await?.try_get::<_, bool>(0)? {
        transaction.batch_execute(&format!("CREATE SCHEMA {quoted}")).await?;
    }
    transaction.batch_execute(&sql::create_tables(&quoted)).await?;
    Ok(transaction.commit().await?)
}

/// Fails unless the tables exist and have a supported version.
pub(super) async fn check(client: &Client, schema: &str) -> Result<(), Failure> {
    if check_version(version(client, schema).await?)? { Ok(()) } else { Err(Failure::MissingTable) }
}

/// Returns whether the tables exist. There are no earlier versions to convert.
fn check_version(version: Option<i32>) -> Result<bool, Failure> {
    match version {
        Some(found) if found > VERSION => Err(Failure::NewerVersion(found)),
        found => Ok(found.is_some()),
    }
}

/// Returns the version of the tables, or `None` if they do not exist.
///
/// Reads the catalog, because `to_regclass` may answer from a cache that lacks tables that another
/// process has just created.
async fn version(client: &impl GenericClient, schema: &str) -> Result<Option<i32>, Failure> {
    let exists = "SELECT EXISTS (SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace \
        WHERE nspname = $1::text AND relname = 'history_version')";
    if !client.query_one(exists, &[&schema]).await?.try_get::<_, bool>(0)? {
        return Ok(None);
    }
    let select = format!("SELECT max(version) FROM {}.history_version", quote(schema));
    Ok(client.query_one(&select, &[]).await?.try_get(0)?)
}
