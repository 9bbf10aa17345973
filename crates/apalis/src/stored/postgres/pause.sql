UPDATE "{schema}".schedules SET paused = ($1::jsonb ->> 'paused')::boolean
WHERE name IN (
    SELECT name FROM "{schema}".schedules
    WHERE {condition} AND paused <> ($1::jsonb ->> 'paused')::boolean
    ORDER BY name FOR NO KEY UPDATE
)
