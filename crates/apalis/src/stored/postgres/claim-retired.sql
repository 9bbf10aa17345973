SELECT json_build_object(
    'id', id,
    {row},
    'paused', false,
    'since', "{schema}".millis(since),
    'triggered', (SELECT json_agg("{schema}".millis(instant)) FROM unnest(triggered) AS instant)::text,
    'now', "{schema}".millis(statement_timestamp()),
    'error', error
)::text
FROM "{schema}".retired
WHERE next_at <= statement_timestamp()
ORDER BY id
LIMIT ($1::jsonb ->> 'limit')::bigint
FOR UPDATE SKIP LOCKED
