UPDATE "{schema}".schedules SET
    triggered = triggered || date_trunc('milliseconds', clock_timestamp()),
    next_at = 'epoch'
WHERE name IN (SELECT name FROM "{schema}".schedules WHERE {condition} ORDER BY name FOR NO KEY UPDATE)
