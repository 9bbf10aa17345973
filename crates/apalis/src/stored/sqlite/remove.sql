DELETE FROM {schema}_schedules WHERE {condition} RETURNING name
