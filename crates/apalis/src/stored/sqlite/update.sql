UPDATE {schema}_schedules AS s SET
    schedule = i.value ->> 'schedule',
    dialect = i.value ->> 'dialect',
    zone = i.value ->> 'zone',
    calendars = i.value -> 'calendars',
    payload = i.value -> 'payload',
    paused = i.value ->> 'paused',
    missed = i.value ->> 'missed',
    catch_up = i.value ->> 'catch_up',
    starts_at = i.value ->> 'starts_at',
    ends_at = i.value ->> 'ends_at',
    tags = i.value -> 'tags',
    version = s.version + 1,
    next_at = i.value ->> 'next_at'
FROM json_each($1) AS i
WHERE s.name = i.value ->> 'name'
    AND (s.schedule, s.dialect, s.zone, s.calendars, s.payload, s.paused, s.missed, s.catch_up, s.starts_at, s.ends_at,
        s.tags)
    IS NOT (i.value ->> 'schedule', i.value ->> 'dialect', i.value ->> 'zone', i.value -> 'calendars',
        i.value -> 'payload', i.value ->> 'paused', i.value ->> 'missed', i.value ->> 'catch_up',
        i.value ->> 'starts_at', i.value ->> 'ends_at', i.value -> 'tags')
RETURNING json_object('name', name, 'version', version)
