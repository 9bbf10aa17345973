UPDATE {schema}_schedules SET
    claim = $1 ->> 'claim',
    claimed_until = CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + ($1 ->> 'lease'),
    claimed_through = max(
        claimed_through, CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + ($1 ->> 'ahead')
    )
WHERE id IN (
    SELECT id FROM {schema}_schedules
    WHERE next_at <= min(
            unixepoch('subsec') * 1000 + ($1 ->> 'ahead'), ifnull($1 ->> 'last', 9e15)
        )
        AND next_at >= ifnull($1 ->> 'first', -9e15) AND claimed_until <= unixepoch('subsec') * 1000
    ORDER BY next_at, name
    LIMIT $1 ->> 'limit'
)
RETURNING json_object(
    'id', id,
    {row},
    'paused', json(iif(paused, 'true', 'false')),
    'since', since,
    'triggered', triggered,
    'now', CAST(round(unixepoch('subsec') * 1000) AS INTEGER),
    'error', error
)
