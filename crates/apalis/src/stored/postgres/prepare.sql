SELECT pg_advisory_xact_lock(hashtext('{schema}.migrations'));
-- Users who may not create schemas can have one made for them.
DO $$ BEGIN
    IF to_regnamespace('"{schema}"') IS NULL THEN
        CREATE SCHEMA "{schema}";
    END IF;
    IF to_regclass('"{schema}".migrations') IS NULL THEN
        CREATE TABLE "{schema}".migrations (
            version int PRIMARY KEY,
            applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
        );
    END IF;
END $$;
