SELECT CAST(count(*) AS TEXT) FROM {schema}_schedules WHERE {condition}
