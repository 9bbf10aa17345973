SELECT json_build_object(
    'now', extract(epoch FROM clock_timestamp()) * 1000,
    'next', (
        SELECT {schema}.millis(next_at) FROM {schema}.schedules
        WHERE next_at > statement_timestamp() + ($1::jsonb ->> 'ahead')::bigint * interval '1 ms'
        ORDER BY next_at LIMIT 1
    ),
    'is_due', EXISTS (
        SELECT FROM {schema}.schedules
        WHERE next_at <= statement_timestamp() + ($1::jsonb ->> 'ahead')::bigint * interval '1 ms'
    ) OR EXISTS (SELECT FROM {schema}.retired)
)::text
