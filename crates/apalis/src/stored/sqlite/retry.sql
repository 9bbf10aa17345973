UPDATE {schema}_schedules SET next_at = 0
WHERE name IN (SELECT value FROM json_each($1)) AND error IS NOT NULL
RETURNING name
