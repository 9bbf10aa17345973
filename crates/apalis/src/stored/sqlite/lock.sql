SELECT json_object(
    'now', unixepoch('subsec') * 1000,
    'versions', json((
        SELECT json_group_object(name, version) FROM {schema}_schedules
        WHERE name IN (SELECT value FROM json_each($1))
    )),
    'failed', json((
        SELECT json_group_array(name) FROM {schema}_schedules
        WHERE name IN (SELECT value FROM json_each($1)) AND error IS NOT NULL
    ))
)
