INSERT INTO {schema}_schedules (
    name, schedule, dialect, zone, calendars, payload, paused, missed, catch_up, starts_at, ends_at, tags, version,
    next_at
)
SELECT
    value ->> 'name', value ->> 'schedule', value ->> 'dialect', value ->> 'zone', value -> 'calendars',
    value -> 'payload', value ->> 'paused', value ->> 'missed', value ->> 'catch_up', value ->> 'starts_at',
    value ->> 'ends_at', value -> 'tags', -1, value ->> 'next_at'
FROM json_each($1)
WHERE true
ON CONFLICT (name) DO NOTHING
RETURNING json_object('name', name, 'version', 1)
