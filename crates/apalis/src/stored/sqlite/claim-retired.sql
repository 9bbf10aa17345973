UPDATE {schema}_retired SET
    claim = $1 ->> 'claim',
    claimed_until = CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + ($1 ->> 'lease')
WHERE id IN (
    SELECT id FROM {schema}_retired WHERE claimed_until <= unixepoch('subsec') * 1000
    ORDER BY id
    LIMIT $1 ->> 'limit'
)
RETURNING json_object(
    'id', id,
    'name', name,
    'schedule', schedule,
    'dialect', dialect,
    'zone', zone,
    'calendars', json(calendars),
    'payload', json(payload),
    'paused', json('false'),
    'missed', missed,
    'catch_up', catch_up,
    'starts_at', starts_at,
    'ends_at', ends_at,
    'since', since,
    'triggered', json(triggered),
    'now', CAST(round(unixepoch('subsec') * 1000) AS INTEGER)
)
