UPDATE {schema}.retired AS r SET since = {schema}.instant(i.since), triggered = '{}'
FROM jsonb_to_recordset($1::jsonb -> 'rows') AS i(id bigint, since bigint)
WHERE r.id = i.id
