WITH found AS MATERIALIZED (
    SELECT name, version, error FROM {schema}_schedules WHERE name IN (SELECT value FROM json_each($1))
), locked AS (
    SELECT * FROM found WHERE (SELECT count(*) FROM found) = json_array_length($1)
)
SELECT json_object(
    'now', unixepoch('subsec') * 1000,
    'versions', json((SELECT json_group_object(name, version) FROM locked)),
    'failed', json((SELECT json_group_array(name) FROM locked WHERE error IS NOT NULL))
)
