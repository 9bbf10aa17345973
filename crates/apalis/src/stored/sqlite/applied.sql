SELECT CAST(version AS TEXT) FROM {schema}_migrations WHERE version <= CAST($1 AS INTEGER)
