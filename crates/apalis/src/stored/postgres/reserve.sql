UPDATE "{schema}".schedules SET
    claimed_through = greatest(
        claimed_through, statement_timestamp() + ($1::jsonb ->> 'ahead')::bigint * interval '1 ms'
    )
WHERE name IN (
    SELECT name FROM "{schema}".schedules
    WHERE next_at <= least(
            statement_timestamp() + ($1::jsonb ->> 'ahead')::bigint * interval '1 ms',
            "{schema}".instant(($1::jsonb ->> 'last')::bigint)
        )
        AND next_at >= coalesce("{schema}".instant(($1::jsonb ->> 'first')::bigint), '-infinity')
    ORDER BY next_at, name
    LIMIT ($1::jsonb ->> 'limit')::bigint
    FOR NO KEY UPDATE SKIP LOCKED
)
RETURNING name
