DELETE FROM "{schema}".schedules
WHERE name IN (SELECT name FROM "{schema}".schedules WHERE {condition} ORDER BY name FOR UPDATE)
