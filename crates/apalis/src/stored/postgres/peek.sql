WITH due AS (
    SELECT until, until + ($1::jsonb ->> 'ahead')::bigint * interval '1 ms' AS until_ahead
    FROM (SELECT statement_timestamp() - ($1::jsonb ->> 'patience')::bigint * interval '1 ms' AS until) AS due
), jobs AS (
    SELECT min(next_at) FILTER (WHERE next_at > until) AS next_at, coalesce(bool_or(next_at <= until), false) AS is_due
    FROM "{schema}".jobs, due
    WHERE id = ANY(ARRAY(SELECT jsonb_array_elements_text($1::jsonb -> 'jobs')::bigint))
), first AS MATERIALIZED (
    -- The first row of the index is looked at, since a search for any row that is due could read the whole table.
    SELECT next_at FROM "{schema}".schedules
    WHERE next_at >= coalesce("{schema}".instant(($1::jsonb ->> 'first')::bigint), '-infinity')
    ORDER BY next_at LIMIT 1
)
SELECT json_build_object(
    'now', extract(epoch FROM clock_timestamp()) * 1000,
    'next', least(
        (
            SELECT "{schema}".millis(next_at) - ($1::jsonb ->> 'ahead')::bigint FROM "{schema}".schedules
            WHERE next_at > (SELECT until_ahead FROM due)
            ORDER BY next_at LIMIT 1
        ),
        (SELECT "{schema}".millis(next_at) FROM jobs)
    ),
    'first', (SELECT "{schema}".millis(next_at) FROM first),
    'is_due', coalesce((SELECT next_at <= until_ahead FROM first, due), false)
        OR EXISTS (SELECT FROM "{schema}".retired WHERE next_at <= (SELECT until FROM due))
        OR (SELECT is_due FROM jobs)
)::text
