UPDATE "{schema}".retired AS r SET
    since = "{schema}".instant(i.since),
    next_at = "{schema}".instant(i.next_at),
    triggered = CASE WHEN i.error IS NULL THEN '{}' ELSE r.triggered END,
    error = i.error
FROM jsonb_to_recordset($1::jsonb -> 'rows') AS i(id bigint, since bigint, next_at bigint, error text)
WHERE r.id = i.id
