SELECT count(*)::text FROM "{schema}".schedules WHERE {condition}
