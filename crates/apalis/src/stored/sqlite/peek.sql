SELECT json_object(
    'now', unixepoch('subsec') * 1000,
    'next', (
        SELECT min(next_at) FROM {schema}_schedules
        WHERE next_at > unixepoch('subsec') * 1000 + ($1 ->> 'ahead')
    ),
    'is_due', json(iif(
        EXISTS (
            SELECT 1 FROM {schema}_schedules
            WHERE next_at <= unixepoch('subsec') * 1000 + ($1 ->> 'ahead')
                AND claimed_until <= unixepoch('subsec') * 1000
        ) OR EXISTS (SELECT 1 FROM {schema}_retired WHERE claimed_until <= unixepoch('subsec') * 1000),
        'true', 'false'
    ))
)
