-- Rows must be locked in the order of their names, together with those that are to be created, if there are any.
WITH found AS MATERIALIZED (
    SELECT count(*) FROM "{schema}".schedules WHERE name = ANY(ARRAY(SELECT jsonb_array_elements_text($1::jsonb)))
), locked AS MATERIALIZED (
    SELECT name, version, error FROM "{schema}".schedules
    WHERE name = ANY(ARRAY(SELECT jsonb_array_elements_text($1::jsonb)))
        AND (SELECT count FROM found) = jsonb_array_length($1::jsonb)
    ORDER BY name FOR NO KEY UPDATE
)
SELECT json_build_object(
    'now', extract(epoch FROM clock_timestamp()) * 1000,
    'versions', coalesce((SELECT json_object_agg(name, version) FROM locked), '{}'),
    'failed', coalesce((SELECT json_agg(name) FROM locked WHERE error IS NOT NULL), '[]')
)::text
