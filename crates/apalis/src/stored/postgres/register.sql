INSERT INTO "{schema}".jobs AS j (name, fingerprint, since)
SELECT
    i.name, i.fingerprint,
    -- A job whose schedule has changed, or has changed back, goes on where it was.
    coalesce(
        (SELECT max(since) FROM "{schema}".jobs AS old WHERE old.name = i.name),
        statement_timestamp() - i.catch_up * interval '1 ms'
    )
FROM jsonb_to_recordset($1::jsonb) AS i(name text, fingerprint text, catch_up bigint)
ORDER BY i.name
ON CONFLICT (name, fingerprint) DO UPDATE SET
    next_at = 'epoch', since = greatest(j.since, excluded.since)
RETURNING json_build_object('id', id, 'name', name)::text
