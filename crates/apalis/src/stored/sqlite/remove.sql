DELETE FROM {schema}_schedules WHERE {condition}
