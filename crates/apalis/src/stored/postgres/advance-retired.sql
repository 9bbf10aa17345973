UPDATE "{schema}".retired AS r SET
    since = "{schema}".instant(i.since),
    next_at = "{schema}".instant(i.next_at),
    triggered = CASE WHEN i.error IS NULL
        THEN ARRAY(
            SELECT instant FROM unnest(r.triggered) AS instant WHERE "{schema}".millis(instant) <> ALL (i.triggered)
        )
        ELSE r.triggered
    END,
    error = i.error
FROM jsonb_to_recordset($1::jsonb -> 'rows') AS i(
    id bigint, since bigint, next_at bigint, error text, triggered bigint[]
)
WHERE r.id = i.id
