SELECT pg_advisory_xact_lock(hashtext('{schema}.migrations'));
-- Users who may not create schemas can have one made for them.
DO $$ BEGIN
    -- A row with bytes that are not UTF-8 would make each claim fail, and no other encoding stores such bytes.
    IF current_setting('server_encoding') = 'SQL_ASCII' THEN
        RAISE EXCEPTION 'schedules need a database whose encoding is not SQL_ASCII';
    END IF;
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
