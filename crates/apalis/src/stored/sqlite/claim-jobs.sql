UPDATE {schema}_jobs SET
    claim = $1 ->> 'claim',
    claimed_until = CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + ($1 ->> 'lease')
WHERE id IN (
    SELECT id FROM {schema}_jobs
    WHERE id IN (SELECT value FROM json_each($1 -> 'jobs'))
        AND next_at <= unixepoch('subsec') * 1000 AND claimed_until <= unixepoch('subsec') * 1000
    ORDER BY next_at, id
    LIMIT $1 ->> 'limit'
)
RETURNING json_object('id', id, 'since', since, 'now', CAST(round(unixepoch('subsec') * 1000) AS INTEGER))
