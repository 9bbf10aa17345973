SELECT json_build_object(
    {row},
    'paused', paused,
    'tags', array_to_json(tags)::text,
    'version', version,
    'next_at', CASE WHEN next_at > 'epoch' THEN "{schema}".millis(next_at) END,
    'last_at', "{schema}".millis(last_at),
    'error', error
)::text
FROM "{schema}".schedules
WHERE {condition}
ORDER BY {order}
LIMIT {limit}
