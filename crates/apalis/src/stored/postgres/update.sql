UPDATE "{schema}".schedules AS s SET
    schedule = i.schedule,
    dialect = i.dialect,
    zone = i.zone,
    calendars = i.calendars,
    payload = coalesce(i.payload, 'null'),
    paused = i.paused,
    missed = i.missed,
    catch_up = i.catch_up * interval '1 ms',
    starts_at = "{schema}".instant(i.starts_at),
    ends_at = "{schema}".instant(i.ends_at),
    tags = i.tags,
    version = s.version + 1,
    next_at = "{schema}".instant(i.next_at)
FROM jsonb_to_recordset($1::jsonb) AS i(
    name text, schedule text, dialect text, zone text, calendars text[], payload jsonb, paused boolean, missed text,
    catch_up bigint, starts_at bigint, ends_at bigint, tags text[], next_at bigint
)
WHERE s.name = i.name
    AND (s.schedule, s.dialect, s.zone, s.calendars, s.payload, s.paused, s.missed, s.catch_up, s.starts_at, s.ends_at,
        s.tags)
    IS DISTINCT FROM (i.schedule, i.dialect, i.zone, i.calendars, coalesce(i.payload, 'null'), i.paused, i.missed,
        i.catch_up * interval '1 ms', "{schema}".instant(i.starts_at), "{schema}".instant(i.ends_at), i.tags)
RETURNING json_build_object('name', s.name, 'version', s.version)::text
