-- Records which definition a schedule had, and when its changes were committed.
CREATE SCHEMA proof;

CREATE TABLE proof.history (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    transaction text NOT NULL DEFAULT pg_current_xact_id()::text,
    name text NOT NULL,
    old text,
    new text,
    at bigint NOT NULL DEFAULT floor(extract(epoch FROM clock_timestamp()) * 1000)
);

CREATE TABLE proof.triggered (name text NOT NULL, at bigint NOT NULL);

CREATE TABLE proof.pushed (
    name text NOT NULL,
    at bigint NOT NULL DEFAULT floor(extract(epoch FROM clock_timestamp()) * 1000)
);

CREATE FUNCTION proof.definition(s millicron.schedules) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN s IS DISTINCT FROM NULL THEN json_build_object(
        'schedule', s.schedule,
        'zone', s.zone,
        'payload', s.payload,
        'paused', s.paused,
        'starts_at', ceil(extract(epoch FROM s.starts_at) * 1000)::bigint,
        'ends_at', floor(extract(epoch FROM s.ends_at) * 1000)::bigint
    )::text END
$$;

CREATE FUNCTION proof.record() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO proof.history (name, old, new) VALUES (
        coalesce(NEW.name, OLD.name),
        CASE WHEN TG_OP <> 'INSERT' THEN proof.definition(OLD) END,
        CASE WHEN TG_OP <> 'DELETE' THEN proof.definition(NEW) END
    );
    RETURN NULL;
END $$;

-- Triggers of a row fire in the order of their names: one before, and one after that of the crate.
CREATE CONSTRAINT TRIGGER a_record AFTER INSERT OR DELETE OR UPDATE OF schedule, zone, payload, paused, starts_at, ends_at
ON millicron.schedules DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION proof.record();

CREATE CONSTRAINT TRIGGER z_record AFTER INSERT OR DELETE OR UPDATE OF schedule, zone, payload, paused, starts_at, ends_at
ON millicron.schedules DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION proof.record();

CREATE FUNCTION proof.record_trigger() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF cardinality(NEW.triggered) > cardinality(OLD.triggered) THEN
        INSERT INTO proof.triggered VALUES
            (NEW.name, extract(epoch FROM NEW.triggered[cardinality(NEW.triggered)]) * 1000);
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER record_trigger AFTER UPDATE OF triggered ON millicron.schedules
FOR EACH ROW EXECUTE FUNCTION proof.record_trigger();

CREATE FUNCTION proof.record_push() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO proof.pushed (name) VALUES (NEW.idempotency_key);
    RETURN NULL;
END $$;

CREATE TRIGGER record_push AFTER INSERT ON apalis.jobs FOR EACH ROW EXECUTE FUNCTION proof.record_push();
