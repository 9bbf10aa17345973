DELETE FROM {schema}_retired
WHERE claim = $1 ->> 'claim' AND id IN (SELECT value ->> 'id' FROM json_each($1 -> 'rows'))
