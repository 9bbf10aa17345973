//! Schedules in `PostgreSQL`.

use sqlx::postgres::PgListener;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, PgPool, Postgres, Transaction};

use super::database::{Conditions, Held, Pooled, Statements, Table, private, statements};

/// The default of the database may be another isolation level, in which a row that somebody else has changed since the
/// transaction began is an error, instead of being read again.
const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED";

/// A machine that stops while it holds rows must not hold them forever. Then the server ends its
/// transaction, and the storage refuses tasks that it already has.
///
/// The planner cannot know how few rows are due, because that changes all the time, so it must use the indices, and
/// look up each row in them. Then the plan is always the same, and is made once.
const HOLD: &str = "BEGIN ISOLATION LEVEL READ COMMITTED; \
    SET LOCAL idle_in_transaction_session_timeout = '10s'; \
    SET LOCAL plan_cache_mode = force_generic_plan; \
    SET LOCAL enable_seqscan = off; \
    SET LOCAL enable_bitmapscan = off; \
    SET LOCAL enable_hashjoin = off; \
    SET LOCAL enable_mergejoin = off";

impl private::Sealed for Postgres {}

impl Table for Postgres {
    const STATEMENTS: Statements = statements!(
        Some(include_str!("reserve.sql")),
        None,
        Conditions {
            // The index has only rows with tags.
            tag: "tags @> ARRAY[$1::jsonb ->> 'tag'] AND tags <> '{}'",
            due_before: "next_at < \"{schema}\".instant(($1::jsonb ->> 'due_before')::bigint)",
            after_due: "(next_at, name) > \
                (\"{schema}\".instant(($1::jsonb ->> 'after_at')::bigint), $1::jsonb ->> 'after')",
            prefix: "name >= ($1::jsonb ->> 'from') AND name < ($1::jsonb ->> 'to')",
            after: "name > ($1::jsonb ->> 'after')",
            name: "name = ($1::jsonb ->> 'name')",
        }
    );

    async fn fetch(
        connection: &mut PgConnection,
        sql: String,
        input: &str,
    ) -> Result<Vec<Vec<u8>>, sqlx::Error> {
        let rows = sqlx::query_scalar(AssertSqlSafe(sql)).bind(input).fetch_all(connection).await?;
        Ok(rows.into_iter().map(String::into_bytes).collect())
    }

    async fn change(
        connection: &mut PgConnection,
        sql: String,
        input: &str,
    ) -> Result<u64, sqlx::Error> {
        let done = sqlx::query(AssertSqlSafe(sql)).bind(input).execute(connection).await?;
        Ok(done.rows_affected())
    }

    async fn execute(connection: &mut PgConnection, sql: String) -> Result<(), sqlx::Error> {
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(connection).await?;
        Ok(())
    }

    async fn begin(connection: &mut PgConnection) -> Result<Transaction<'_, Self>, sqlx::Error> {
        if connection.is_in_transaction() {
            connection.begin().await
        } else {
            connection.begin_with(BEGIN).await
        }
    }

    async fn hold(pool: &PgPool) -> Result<Held<Self>, sqlx::Error> {
        let mut pooled = Pooled::acquire(pool).await?;
        pooled.begin_with(HOLD).await?;
        Ok(Held::Transaction(pooled))
    }

    async fn listen(
        pool: &PgPool,
        channel: String,
        on_change: impl Fn() + Send,
    ) -> Result<(), sqlx::Error> {
        let mut listener = PgListener::connect_with(pool).await?;
        listener.listen(&channel).await?;
        loop {
            // There may have been changes before, and while the connection was lost.
            on_change();
            listener.try_recv().await?;
        }
    }
}
