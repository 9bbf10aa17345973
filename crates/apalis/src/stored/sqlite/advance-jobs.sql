UPDATE {schema}_jobs AS j SET
    since = i.value ->> 'since', next_at = i.value ->> 'next_at', claim = NULL, claimed_until = 0
FROM json_each($1 -> 'rows') AS i
WHERE j.id = i.value ->> 'id' AND j.claim = $1 ->> 'claim'
