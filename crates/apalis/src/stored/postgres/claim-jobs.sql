SELECT json_build_object(
    'id', id,
    'since', "{schema}".millis(since),
    'now', "{schema}".millis(statement_timestamp())
)::text
FROM "{schema}".jobs
WHERE id = ANY(ARRAY(SELECT jsonb_array_elements_text($1::jsonb -> 'jobs')::bigint)) AND next_at <= statement_timestamp()
ORDER BY next_at, id
LIMIT ($1::jsonb ->> 'limit')::bigint
FOR UPDATE SKIP LOCKED
