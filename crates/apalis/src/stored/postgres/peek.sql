WITH due AS (
    SELECT statement_timestamp() + ($1::jsonb ->> 'ahead')::bigint * interval '1 ms' AS until
), jobs AS (
    SELECT min(next_at) FILTER (WHERE next_at > statement_timestamp()) AS next_at,
        coalesce(bool_or(next_at <= statement_timestamp()), false) AS is_due
    FROM {schema}.jobs
    WHERE id = ANY(ARRAY(SELECT jsonb_array_elements_text($1::jsonb -> 'jobs')::bigint))
)
SELECT json_build_object(
    'now', extract(epoch FROM clock_timestamp()) * 1000,
    'next', least(
        (
            SELECT {schema}.millis(next_at) - ($1::jsonb ->> 'ahead')::bigint FROM {schema}.schedules
            WHERE next_at > (SELECT until FROM due)
            ORDER BY next_at LIMIT 1
        ),
        (SELECT {schema}.millis(next_at) FROM jobs)
    ),
    -- The first row of the index is looked at, since a search for any row that is due could read the whole table.
    'is_due', coalesce(
        (SELECT next_at FROM {schema}.schedules WHERE next_at IS NOT NULL ORDER BY next_at LIMIT 1)
            <= (SELECT until FROM due),
        false
    ) OR EXISTS (SELECT FROM {schema}.retired WHERE next_at <= statement_timestamp()) OR (SELECT is_due FROM jobs)
)::text
