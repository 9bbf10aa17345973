UPDATE {schema}_retired AS r SET
    since = i.value ->> 'since',
    next_at = i.value ->> 'next_at',
    triggered = iif(
        i.value ->> 'error' IS NULL,
        (
            SELECT json_group_array(value) FROM (
                SELECT value FROM json_each(r.triggered) EXCEPT SELECT value FROM json_each(i.value -> 'triggered')
            )
        ),
        r.triggered
    ),
    error = i.value ->> 'error',
    claim = NULL,
    claimed_until = 0
FROM json_each($1 -> 'rows') AS i
WHERE r.id = i.value ->> 'id' AND r.claim = $1 ->> 'claim'
