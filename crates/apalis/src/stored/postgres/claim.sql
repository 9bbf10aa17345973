SELECT json_build_object(
    {row},
    'paused', paused,
    'since', "{schema}".millis(since),
    'triggered', (SELECT json_agg("{schema}".millis(instant)) FROM unnest(triggered) AS instant)::text,
    'now', "{schema}".millis(statement_timestamp()),
    'claimed_through', "{schema}".millis(claimed_through),
    'error', error
)::text
FROM "{schema}".schedules
WHERE next_at <= least(
        statement_timestamp() + ($1::jsonb ->> 'ahead')::bigint * interval '1 ms',
        "{schema}".instant(($1::jsonb ->> 'last')::bigint)
    )
    AND next_at >= coalesce("{schema}".instant(($1::jsonb ->> 'first')::bigint), '-infinity')
ORDER BY next_at, name
LIMIT ($1::jsonb ->> 'limit')::bigint
FOR NO KEY UPDATE SKIP LOCKED
