UPDATE {schema}_schedules SET paused = $1 ->> 'paused'
WHERE {condition} AND paused <> ($1 ->> 'paused')
