UPDATE {schema}_schedules SET
    triggered = json_insert(triggered, '$[#]', CAST(round(unixepoch('subsec') * 1000) AS INTEGER)),
    next_at = 0
WHERE {condition}
