WITH jobs AS (
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
            WHERE next_at > statement_timestamp() + ($1::jsonb ->> 'ahead')::bigint * interval '1 ms'
            ORDER BY next_at LIMIT 1
        ),
        (SELECT {schema}.millis(next_at) FROM jobs)
    ),
    'is_due', EXISTS (
        SELECT FROM {schema}.schedules
        WHERE next_at <= statement_timestamp() + ($1::jsonb ->> 'ahead')::bigint * interval '1 ms'
    ) OR EXISTS (SELECT FROM {schema}.retired) OR (SELECT is_due FROM jobs)
)::text
