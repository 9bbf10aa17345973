//! Schedules in `SQLite`.

use std::future::pending;

use sqlx::{AssertSqlSafe, Connection as _, Sqlite, SqliteConnection, SqlitePool, Transaction};

use super::database::{Conditions, Held, Statements, Table, private, statements};

/// A transaction that first reads cannot write if another one has written in the meantime.
const BEGIN: &str = "BEGIN IMMEDIATE";

impl private::Sealed for Sqlite {}

impl Table for Sqlite {
    const STATEMENTS: Statements = statements!(
        None,
        Some(include_str!("release.sql")),
        Conditions {
            // A row that has replaced another one may not have all of its tags.
            tag: "name IN (SELECT name FROM {schema}_tags WHERE tag = $1 ->> 'tag') \
                AND EXISTS (SELECT 1 FROM json_each(tags) WHERE value = $1 ->> 'tag')",
            due_before: "next_at < $1 ->> 'due_before'",
            // The index finds the place, and the bytes say whether a name that is not UTF-8 comes after it.
            after_due: "(next_at, name) >= ($1 ->> 'after_at', $1 ->> 'after') \
                AND (next_at, hex(name)) > ($1 ->> 'after_at', $1 ->> 'after_bytes')",
            prefix: "name >= $1 ->> 'from' AND name < $1 ->> 'to'",
            after: "name >= $1 ->> 'after' AND hex(name) > $1 ->> 'after_bytes'",
            name: "name = $1 ->> 'name'",
        }
    );

    async fn fetch(
        connection: &mut SqliteConnection,
        sql: String,
        input: &str,
    ) -> Result<Vec<Vec<u8>>, sqlx::Error> {
        sqlx::query_scalar(AssertSqlSafe(sql)).bind(input).fetch_all(connection).await
    }

    async fn change(
        connection: &mut SqliteConnection,
        sql: String,
        input: &str,
    ) -> Result<u64, sqlx::Error> {
        let done = sqlx::query(AssertSqlSafe(sql)).bind(input).execute(connection).await?;
        Ok(done.rows_affected())
    }

    async fn execute(connection: &mut SqliteConnection, sql: String) -> Result<(), sqlx::Error> {
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(connection).await?;
        Ok(())
    }

    async fn begin(
        connection: &mut SqliteConnection,
    ) -> Result<Transaction<'_, Self>, sqlx::Error> {
        if connection.is_in_transaction() {
            connection.begin().await
        } else {
            connection.begin_with(BEGIN).await
        }
    }

    async fn hold(pool: &SqlitePool) -> Result<Held<Self>, sqlx::Error> {
        let claiming = Some(pool.begin_with(BEGIN).await?);
        Ok(Held::Lease { pool: pool.clone(), claiming })
    }

    async fn listen(_: &SqlitePool, _: String, _: impl Fn() + Send) -> Result<(), sqlx::Error> {
        pending().await
    }
}
