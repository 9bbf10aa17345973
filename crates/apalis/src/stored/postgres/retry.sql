UPDATE "{schema}".schedules SET next_at = 'epoch'
WHERE name = ANY(ARRAY(SELECT jsonb_array_elements_text($1::jsonb))) AND error IS NOT NULL
RETURNING name
