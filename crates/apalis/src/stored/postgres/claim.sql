SELECT json_build_object(
    'name', name,
    'schedule', schedule,
    'dialect', dialect,
    'zone', zone,
    'calendars', calendars,
    'payload', payload,
    'paused', paused,
    'missed', missed,
    'catch_up', (extract(epoch FROM catch_up) * 1000)::bigint,
    'starts_at', {schema}.millis(starts_at),
    'ends_at', {schema}.millis(ends_at),
    'since', {schema}.millis(since),
    'triggered', (SELECT array_agg({schema}.millis(instant)) FROM unnest(triggered) AS instant),
    'now', {schema}.millis(statement_timestamp()),
    'claimed_through', {schema}.millis(claimed_through)
)::text
FROM {schema}.schedules
WHERE next_at <= statement_timestamp() + ($1::jsonb ->> 'ahead')::bigint * interval '1 ms'
ORDER BY next_at, name
LIMIT ($1::jsonb ->> 'limit')::bigint
FOR UPDATE SKIP LOCKED
