SELECT json_object(
    'name', name,
    'schedule', schedule,
    'dialect', dialect,
    'zone', zone,
    'calendars', json(calendars),
    'payload', json(payload),
    'paused', json(iif(paused, 'true', 'false')),
    'missed', missed,
    'catch_up', catch_up,
    'starts_at', starts_at,
    'ends_at', ends_at,
    'tags', json(tags),
    'version', version,
    'next_at', iif(next_at > 0, next_at, NULL),
    'last_at', last_at,
    'error', error
)
FROM {schema}_schedules
WHERE {condition}
ORDER BY {order}
LIMIT {limit}
