SELECT json_build_object(
    'id', id,
    'name', name,
    'schedule', schedule,
    'dialect', dialect,
    'zone', zone,
    'calendars', calendars,
    'payload', payload,
    'paused', false,
    'missed', missed,
    'catch_up', (extract(epoch FROM catch_up) * 1000)::bigint,
    'starts_at', {schema}.millis(starts_at),
    'ends_at', {schema}.millis(ends_at),
    'since', {schema}.millis(since),
    'triggered', (SELECT array_agg({schema}.millis(instant)) FROM unnest(triggered) AS instant),
    'now', {schema}.millis(statement_timestamp())
)::text
FROM {schema}.retired
ORDER BY id
LIMIT ($1::jsonb ->> 'limit')::bigint
FOR UPDATE SKIP LOCKED
