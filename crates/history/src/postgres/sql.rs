//! The tables and statements of a history in `PostgreSQL`.
//!
//! A run has one row, with its record, its claim, or both, so one statement under the lock of one
//! row changes a claim together with the record that ends it. `state` is null if the run is not
//! recorded, `owner` if it is not claimed; a row never lacks both.
//!
//! A statement whose outcome is unknown is executed again. Where that makes a difference, it leaves
//! the number of its request in the row, to recognize its own earlier change.

/// The version of the tables, and the latest version that can be used.
pub(super) const VERSION: i32 = 1;

/// The key of the advisory lock under which tables are created: "mcrn".
pub(super) const MIGRATION_LOCK: i64 = 0x6d63_726e;

/// The maximum number of runs to read with one query. Further queries read the rest, which limits
/// memory.
pub(super) const PAGE: i64 = 10_000;

/// The current instant in milliseconds: a parameter, or the server's clock.
macro_rules! now {
    ($parameter:literal) => {
        concat!(
            "coalesce(",
            $parameter,
            "::bigint, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)"
        )
    };
}

/// When a lease expires, given its start and its duration in milliseconds.
macro_rules! after {
    ($start:expr, $lease:literal) => {
        concat!("least(", $start, "::numeric + ", $lease, "::bigint, 9223372036854775807)::bigint")
    };
}

/// Serializes the claims of a run, so that they are granted in the order of their tokens. The clock
/// is read under the lock.
macro_rules! locked {
    ($clock:literal) => {
        concat!(
            "locked AS MATERIALIZED (\
                SELECT ",
            now!($clock),
            " AS now FROM (\
                SELECT pg_advisory_xact_lock(hashtextextended($1::text, $2::bigint)) OFFSET 0\
            ) AS lock\
        )"
        )
    };
}

/// Puts the names of tables into a schema: `{schema}` is its name, and `{literal}` the same within a
/// literal `E''`. The name itself may contain either.
pub(super) fn in_schema(sql: &str, schema: &str) -> String {
    let literal = schema.replace('\\', "\\\\").replace('\'', "''");
    let parts = sql.split("{literal}").map(|part| part.replace("{schema}", schema));
    parts.collect::<Vec<_>>().join(&literal)
}

/// Returns the statements that create the tables, in an existing schema.
pub(super) fn create_tables(schema: &str) -> String {
    let sql = "\
        CREATE TABLE {schema}.history_version (version integer NOT NULL);
        CREATE SEQUENCE {schema}.token;
        CREATE TABLE {schema}.run (
            job text COLLATE \"C\" NOT NULL,
            scheduled bigint NOT NULL,
            state smallint,
            started bigint,
            ended bigint,
            attempts bigint,
            owner text,
            token bigint,
            expires bigint,
            claimed bigint,
            claims bigint,
            request bigint,
            PRIMARY KEY (job, scheduled)
        );
        CREATE INDEX run_started ON {schema}.run (job, scheduled) WHERE state IS NULL;
        COMMENT ON TABLE {schema}.run IS
            'Runs of jobs, in milliseconds since 1970: state 0 succeeded, 1 failed, 2 skipped, null not ended';";
    format!("{}INSERT INTO {schema}.history_version VALUES ({VERSION});", in_schema(sql, schema))
}

/// For each query: a job, a range, whether to select only successes, whether the newest come first,
/// how many to skip, and the limit. An order chosen per query could not use an index, so there is a
/// branch for each order.
pub(super) const READ: &str = "\
    SELECT query.number, run.scheduled, run.state, run.started, run.ended, run.attempts \
    FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::boolean[], $5::boolean[], $6::bigint[], $7::bigint[]) \
        WITH ORDINALITY AS query (job, first, last, successes, newest, skipped, max, number) \
    CROSS JOIN LATERAL ( \
        (SELECT scheduled, state, started, ended, attempts FROM {schema}.run AS run \
        WHERE NOT query.newest AND run.job = query.job COLLATE \"C\" \
            AND run.scheduled BETWEEN query.first AND query.last \
            AND run.state IS NOT NULL AND (run.state = 0 OR NOT query.successes) \
        ORDER BY run.scheduled OFFSET query.skipped LIMIT query.max) \
    UNION ALL \
        (SELECT scheduled, state, started, ended, attempts FROM {schema}.run AS run \
        WHERE query.newest AND run.job = query.job COLLATE \"C\" \
            AND run.scheduled BETWEEN query.first AND query.last \
            AND run.state IS NOT NULL AND (run.state = 0 OR NOT query.successes) \
        ORDER BY run.scheduled DESC OFFSET query.skipped LIMIT query.max) \
    ) AS run";

/// Writes in order, so that two of these statements do not deadlock.
pub(super) const RECORD: &str = "\
    INSERT INTO {schema}.run AS run (job, scheduled, state, started, ended, attempts) \
    SELECT job, scheduled, state, started, ended, attempts \
    FROM unnest($1::text[], $2::bigint[], $3::smallint[], $4::bigint[], $5::bigint[], $6::bigint[]) \
        AS new (job, scheduled, state, started, ended, attempts) \
    ORDER BY job COLLATE \"C\", scheduled \
    ON CONFLICT (job, scheduled) DO UPDATE SET state = excluded.state, \
        started = excluded.started, ended = excluded.ended, attempts = excluded.attempts";

/// Locks the runs in the order of [`RECORD`] before it removes any: counting them takes all locks. A
/// join with the locked runs might scan the whole table.
///
/// Cannot safely be repeated: if it removed a claim that was granted in between, two runners could
/// start a run.
pub(super) const FORGET: &str = "\
    WITH locked AS MATERIALIZED ( \
        SELECT FROM ( \
            SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS range (job, first, last) \
            ORDER BY job COLLATE \"C\", first \
        ) AS range \
        CROSS JOIN LATERAL ( \
            SELECT FROM {schema}.run AS run \
            WHERE run.job = range.job COLLATE \"C\" AND run.scheduled BETWEEN range.first AND range.last \
            ORDER BY run.scheduled FOR UPDATE \
        ) AS run \
    ) \
    DELETE FROM {schema}.run AS run \
    USING unnest($1::text[], $2::bigint[], $3::bigint[]) AS range (job, first, last) \
    WHERE (SELECT count(*) FROM locked) > 0 \
        AND run.job = range.job COLLATE \"C\" AND run.scheduled BETWEEN range.first AND range.last";

/// Locks the runs like [`FORGET`]. Keeps a claim that has not expired, without the record.
pub(super) const DROP_BEFORE: &str = concat!(
    "WITH locked AS MATERIALIZED ( \
        SELECT FROM ( \
            SELECT job, max(instant) AS instant \
            FROM unnest($1::text[], $2::bigint[]) AS it (job, instant) \
            GROUP BY job ORDER BY job COLLATE \"C\" \
        ) AS before \
        CROSS JOIN LATERAL ( \
            SELECT FROM {schema}.run AS run \
            WHERE run.job = before.job COLLATE \"C\" AND run.scheduled < before.instant \
            ORDER BY run.scheduled FOR UPDATE \
        ) AS run \
    ), kept AS ( \
        UPDATE {schema}.run AS run \
        SET state = NULL, started = NULL, ended = NULL, attempts = NULL \
        FROM (SELECT job, max(instant) AS instant \
            FROM unnest($1::text[], $2::bigint[]) AS it (job, instant) GROUP BY job) AS before \
        WHERE (SELECT count(*) FROM locked) > 0 \
            AND run.job = before.job COLLATE \"C\" AND run.scheduled < before.instant \
            AND run.state IS NOT NULL AND run.owner IS NOT NULL AND run.expires > ",
    now!("$3"),
    ") \
    DELETE FROM {schema}.run AS run \
    USING unnest($1::text[], $2::bigint[]) AS before (job, instant) \
    WHERE (SELECT count(*) FROM locked) > 0 \
        AND run.job = before.job COLLATE \"C\" AND run.scheduled < before.instant \
        AND (run.owner IS NULL OR run.expires <= ",
    now!("$3"),
    ")"
);

/// The job, the instant, the owner, the lease, the request, and the clock. Returns the token, or why
/// the claim is refused. `claimed` remains the instant of the first claim.
pub(super) const CLAIM: &str = concat!(
    "WITH ",
    locked!("$6"),
    ", granted AS ( \
        INSERT INTO {schema}.run AS run \
            (job, scheduled, owner, token, claimed, expires, claims, request) \
        SELECT $1, $2, $3::text, nextval(E'{literal}.token'), now, ",
    after!("now", "$4"),
    ", 1, $5::bigint FROM locked \
        ON CONFLICT (job, scheduled) DO UPDATE SET owner = excluded.owner, \
            token = nextval(E'{literal}.token'), \
            expires = excluded.expires, request = excluded.request, \
            claims = CASE WHEN run.request = excluded.request THEN run.claims \
                ELSE least(run.claims, 4294967294) + 1 END \
        WHERE run.state IS NULL \
            AND (run.request = excluded.request OR run.expires <= excluded.claimed) \
        RETURNING token \
    ) \
    SELECT token, NULL::smallint, NULL::text, NULL::bigint FROM granted \
    UNION ALL \
    SELECT NULL, state, owner, expires FROM {schema}.run AS run \
    WHERE job = $1 AND scheduled = $2 AND NOT EXISTS (SELECT FROM granted)"
);

/// The job, the instant, the token, the lease, and the clock.
pub(super) const RENEW: &str = concat!(
    "UPDATE {schema}.run AS run SET expires = ",
    after!(now!("$5"), "$4"),
    " WHERE job = $1 AND scheduled = $2 AND token = $3 AND owner IS NOT NULL RETURNING 1"
);

/// The job, the instant, and the token.
pub(super) const RELEASE: &str = "\
    WITH removed AS ( \
        DELETE FROM {schema}.run AS run WHERE job = $1 AND scheduled = $2 AND token = $3 \
            AND owner IS NOT NULL AND state IS NULL RETURNING 1 \
    ), kept AS ( \
        UPDATE {schema}.run AS run SET owner = NULL, expires = NULL \
        WHERE job = $1 AND scheduled = $2 AND token = $3 \
            AND owner IS NOT NULL AND state IS NOT NULL RETURNING 1 \
    ) SELECT 1 FROM removed UNION ALL SELECT 1 FROM kept";

/// The job, the instant, the token, the record, the request, and the clock.
pub(super) const RECORD_CLAIMED: &str = concat!(
    "UPDATE {schema}.run AS run SET state = $4::smallint, started = coalesce($5::bigint, claimed), \
        ended = coalesce($6::bigint, ",
    now!("$9"),
    "), attempts = coalesce($7::bigint, claims), owner = NULL, expires = NULL, request = $8::bigint \
    WHERE job = $1 AND scheduled = $2 AND token = $3 AND (owner IS NOT NULL OR request = $8) \
    RETURNING 1"
);

/// The job, the instant, the token, the owner, the lease, the request, and the clock.
pub(super) const TAKE_OVER: &str = concat!(
    "WITH ",
    locked!("$7"),
    " UPDATE {schema}.run AS run SET owner = $4::text, token = nextval(E'{literal}.token'), \
        expires = ",
    after!("locked.now", "$5"),
    ", request = $6, claims = CASE WHEN run.request = $6::bigint THEN run.claims \
            ELSE least(run.claims, 4294967294) + 1 END \
    FROM locked WHERE job = $1 AND scheduled = $2 AND owner IS NOT NULL \
        AND (token = $3::bigint OR request = $6) RETURNING token"
);

pub(super) const STARTED: &str = concat!(
    "SELECT job, scheduled, token, owner, claimed, claims, expires, expires <= ",
    now!("$1"),
    " FROM {schema}.run AS run WHERE state IS NULL ORDER BY job, scheduled"
);
