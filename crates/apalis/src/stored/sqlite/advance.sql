UPDATE {schema}_schedules AS s SET
    since = i.value ->> 'since',
    next_at = iif(
        i.value ->> 'error' IS NULL
            AND EXISTS (
                SELECT value FROM json_each(s.triggered) EXCEPT SELECT value FROM json_each(i.value -> 'triggered')
            ),
        0, i.value ->> 'next_at'
    ),
    last_at = ifnull(i.value ->> 'last_at', s.last_at),
    claimed_through = ifnull(i.value ->> 'claimed_through', s.claimed_through),
    error = i.value ->> 'error',
    -- Others may have added instants during the push, also earlier ones.
    triggered = iif(
        i.value ->> 'error' IS NULL,
        (
            SELECT json_group_array(value) FROM (
                SELECT value FROM json_each(s.triggered) EXCEPT SELECT value FROM json_each(i.value -> 'triggered')
            )
        ),
        s.triggered
    ),
    claim = NULL,
    claimed_until = 0
FROM json_each($1 -> 'rows') AS i
WHERE s.id = i.value ->> 'id' AND s.claim = $1 ->> 'claim'
