UPDATE {schema}_retired SET
    claim = $1 ->> 'claim',
    claimed_until = CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + ($1 ->> 'lease')
WHERE id IN (
    SELECT id FROM {schema}_retired
    WHERE next_at <= unixepoch('subsec') * 1000 AND claimed_until <= unixepoch('subsec') * 1000
    ORDER BY id
    LIMIT $1 ->> 'limit'
)
RETURNING json_object(
    'id', id,
    {row},
    'paused', json('false'),
    'since', since,
    'triggered', triggered,
    'now', CAST(round(unixepoch('subsec') * 1000) AS INTEGER),
    'error', error
)
