SELECT json_object(
    {row},
    -- In hexadecimal digits, since it need not be UTF-8.
    'name_bytes', hex(name),
    'paused', json(iif(paused, 'true', 'false')),
    'tags', tags,
    'version', version,
    'next_at', iif(next_at > 0, next_at, NULL),
    'last_at', last_at,
    'error', error
)
FROM {schema}_schedules
WHERE {condition}
ORDER BY {order}
LIMIT {limit}
