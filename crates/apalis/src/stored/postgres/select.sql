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
    'tags', tags,
    'version', version,
    'next_at', CASE WHEN next_at > 'epoch' THEN {schema}.millis(next_at) END,
    'last_at', {schema}.millis(last_at),
    'error', error
)::text
FROM {schema}.schedules
WHERE {condition}
ORDER BY {order}
LIMIT {limit}
