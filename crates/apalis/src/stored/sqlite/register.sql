INSERT INTO {schema}_jobs (name, fingerprint, since)
SELECT
    value ->> 'name', value ->> 'fingerprint',
    -- A job whose schedule has changed, or has changed back, goes on where it was.
    ifnull(
        (SELECT max(since) FROM {schema}_jobs AS old WHERE old.name = value ->> 'name'),
        CAST(round(unixepoch('subsec') * 1000) AS INTEGER) - (value ->> 'catch_up')
    )
FROM json_each($1)
WHERE true
ON CONFLICT (name, fingerprint) DO UPDATE SET next_at = 0, since = max(since, excluded.since)
RETURNING json_object('id', id, 'name', name)
