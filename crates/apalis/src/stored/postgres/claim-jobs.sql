SELECT json_build_object(
    'id', id,
    'since', "{schema}".millis(since),
    'now', "{schema}".millis(greatest(statement_timestamp(), "{schema}".instant(($1::jsonb ->> 'until')::bigint))),
    'early', extract(epoch FROM "{schema}".instant(($1::jsonb ->> 'until')::bigint) - statement_timestamp()) * 1000
)::text
FROM "{schema}".jobs
WHERE id = ANY(ARRAY(SELECT jsonb_array_elements_text($1::jsonb -> 'jobs')::bigint))
    AND next_at <= greatest(statement_timestamp(), "{schema}".instant(($1::jsonb ->> 'until')::bigint))
ORDER BY next_at, id
LIMIT ($1::jsonb ->> 'limit')::bigint
FOR UPDATE SKIP LOCKED
