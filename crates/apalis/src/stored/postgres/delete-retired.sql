DELETE FROM "{schema}".retired AS r
USING jsonb_to_recordset($1::jsonb -> 'rows') AS i(id bigint)
WHERE r.id = i.id
