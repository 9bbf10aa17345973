UPDATE {schema}_{table} SET claim = NULL, claimed_until = 0
WHERE id IN (SELECT value ->> 'id' FROM json_each($1 -> 'rows')) AND claim = $1 ->> 'claim'
