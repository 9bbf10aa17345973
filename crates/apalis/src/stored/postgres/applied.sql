SELECT version::text FROM "{schema}".migrations WHERE version <= $1::int
