UPDATE "{schema}".schedules AS s SET
    since = "{schema}".instant(i.since),
    next_at = "{schema}".instant(i.next_at),
    last_at = coalesce("{schema}".instant(i.last_at), s.last_at),
    claimed_through = coalesce("{schema}".instant(i.claimed_through), s.claimed_through),
    error = i.error,
    triggered = CASE WHEN i.error IS NULL
        THEN ARRAY(
            SELECT instant FROM unnest(s.triggered) AS instant WHERE "{schema}".millis(instant) <> ALL (i.triggered)
        )
        ELSE s.triggered
    END
FROM jsonb_to_recordset($1::jsonb -> 'rows') AS i(
    name text, since bigint, next_at bigint, last_at bigint, claimed_through bigint, error text, triggered bigint[]
)
WHERE s.name = i.name
