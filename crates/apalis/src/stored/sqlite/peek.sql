WITH due AS MATERIALIZED (
    SELECT unixepoch('subsec') * 1000 AS now, unixepoch('subsec') * 1000 - ($1 ->> 'patience') AS until
), jobs AS MATERIALIZED (
    SELECT next_at, claimed_until FROM {schema}_jobs WHERE id IN (SELECT value FROM json_each($1 -> 'jobs'))
)
SELECT json_object(
    'now', now,
    'next', (
        SELECT min(next_at) FROM (
            SELECT min(next_at) - ($1 ->> 'ahead') AS next_at FROM {schema}_schedules
            WHERE next_at > until + ($1 ->> 'ahead')
            UNION ALL
            SELECT min(next_at) FROM jobs WHERE next_at > until
        )
    ),
    'first', (SELECT min(next_at) FROM {schema}_schedules),
    'is_due', json(iif(
        EXISTS (
            SELECT 1 FROM {schema}_schedules
            WHERE next_at <= until + ($1 ->> 'ahead') AND claimed_until <= now
        )
        OR EXISTS (SELECT 1 FROM {schema}_retired WHERE next_at <= until AND claimed_until <= now)
        OR EXISTS (SELECT 1 FROM jobs WHERE next_at <= until AND claimed_until <= now),
        'true', 'false'
    ))
)
FROM due
