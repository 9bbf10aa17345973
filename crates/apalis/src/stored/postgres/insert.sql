INSERT INTO "{schema}".schedules (
    name, schedule, dialect, zone, calendars, payload, paused, missed, catch_up, starts_at, ends_at, tags, version,
    next_at
)
SELECT
    name, schedule, dialect, zone, calendars, coalesce(payload, 'null'), paused, missed, catch_up * interval '1 ms',
    "{schema}".instant(starts_at), "{schema}".instant(ends_at), tags, 0, "{schema}".instant(next_at)
FROM jsonb_to_recordset($1::jsonb) AS i(
    name text, schedule text, dialect text, zone text, calendars text[], payload jsonb, paused boolean, missed text,
    catch_up bigint, starts_at bigint, ends_at bigint, tags text[], next_at bigint
)
ORDER BY name
ON CONFLICT (name) DO NOTHING
RETURNING json_build_object('name', name, 'version', version)::text
