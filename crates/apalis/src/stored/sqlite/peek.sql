WITH jobs AS MATERIALIZED (
    SELECT next_at, claimed_until FROM {schema}_jobs WHERE id IN (SELECT value FROM json_each($1 -> 'jobs'))
)
SELECT json_object(
    'now', unixepoch('subsec') * 1000,
    'next', (
        SELECT min(next_at) FROM (
            SELECT min(next_at) - ($1 ->> 'ahead') AS next_at FROM {schema}_schedules
            WHERE next_at > unixepoch('subsec') * 1000 + ($1 ->> 'ahead')
            UNION ALL
            SELECT min(next_at) FROM jobs WHERE next_at > unixepoch('subsec') * 1000
        )
    ),
    'is_due', json(iif(
        EXISTS (
            SELECT 1 FROM {schema}_schedules
            WHERE next_at <= unixepoch('subsec') * 1000 + ($1 ->> 'ahead')
                AND claimed_until <= unixepoch('subsec') * 1000
        )
        OR EXISTS (
            SELECT 1 FROM {schema}_retired
            WHERE next_at <= unixepoch('subsec') * 1000 AND claimed_until <= unixepoch('subsec') * 1000
        )
        OR EXISTS (
            SELECT 1 FROM jobs
            WHERE next_at <= unixepoch('subsec') * 1000 AND claimed_until <= unixepoch('subsec') * 1000
        ),
        'true', 'false'
    ))
)
