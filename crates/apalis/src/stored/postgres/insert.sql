INSERT INTO "{schema}".schedules AS s (
    name, schedule, dialect, zone, calendars, payload, paused, missed, catch_up, starts_at, ends_at, tags, version,
    next_at
)
SELECT
    name, schedule, dialect, zone, calendars, coalesce(payload, 'null'), paused, missed, catch_up * interval '1 ms',
    "{schema}".instant(starts_at), "{schema}".instant(ends_at), tags, -1, "{schema}".instant(next_at)
FROM jsonb_to_recordset($1::jsonb) AS i(
    name text, schedule text, dialect text, zone text, calendars text[], payload jsonb, paused boolean, missed text,
    catch_up bigint, starts_at bigint, ends_at bigint, tags text[], next_at bigint
)
ORDER BY name COLLATE "C"
-- Rows that exist are locked, but do not change.
ON CONFLICT (name) DO UPDATE SET version = s.version WHERE false
RETURNING json_build_object('name', name, 'version', version)::text
