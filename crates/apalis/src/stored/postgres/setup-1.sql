CREATE FUNCTION "{schema}".millis(instant timestamptz) RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE AS $$ SELECT floor(extract(epoch FROM instant) * 1000)::bigint $$;

CREATE FUNCTION "{schema}".instant(millis bigint) RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE AS $$ SELECT to_timestamp(millis / 1000.0) $$;

CREATE TABLE "{schema}".schedules (
    name text COLLATE "C" PRIMARY KEY CHECK (octet_length(name) BETWEEN 1 AND 512),
    schedule text NOT NULL CHECK (octet_length(schedule) <= 65536),
    dialect text CHECK (octet_length(dialect) <= 65536),
    zone text CHECK (octet_length(zone) <= 65536),
    calendars text[] NOT NULL DEFAULT '{}' CHECK (
        array_ndims(calendars) = 1 AND array_position(calendars, NULL) IS NULL
        AND octet_length(array_to_json(calendars)::text) <= 65536
    ),
    payload jsonb NOT NULL DEFAULT 'null',
    paused boolean NOT NULL DEFAULT false,
    missed text NOT NULL DEFAULT 'coalesce' CHECK (missed ~ '^(skip|coalesce|all( [1-9][0-9]{0,8})?)$'),
    catch_up interval NOT NULL DEFAULT '1 hour' CHECK (catch_up BETWEEN '0' AND '100 years'),
    starts_at timestamptz CHECK (isfinite(starts_at)),
    ends_at timestamptz CHECK (isfinite(ends_at)),
    tags text[] NOT NULL DEFAULT '{}' CHECK (
        array_ndims(tags) = 1 AND array_position(tags, NULL) IS NULL
        AND octet_length(array_to_json(tags)::text) <= 65536
    ),
    version bigint NOT NULL DEFAULT 1,
    next_at timestamptz DEFAULT 'epoch' CHECK (isfinite(next_at)),
    last_at timestamptz CHECK (isfinite(last_at)),
    error text,
    since timestamptz NOT NULL DEFAULT clock_timestamp() CHECK (isfinite(since)),
    triggered timestamptz[] NOT NULL DEFAULT '{}' CHECK (
        array_ndims(triggered) = 1 AND array_position(triggered, NULL) IS NULL
        AND 'infinity' <> ALL (triggered) AND '-infinity' <> ALL (triggered)
    ),
    claimed_through timestamptz NOT NULL DEFAULT 'epoch' CHECK (isfinite(claimed_through)),
    changed_in xid8 NOT NULL DEFAULT pg_current_xact_id()
)
-- Each event moves a row to another place in the index on next_at, and a search steps over what is left. By default,
-- that is removed when a fifth of all rows have moved.
WITH (autovacuum_vacuum_scale_factor = 0.01);

-- A tag that the statistics lack counts as one of 0.5 % of all rows, for which the server would search all rows by name.
ALTER TABLE "{schema}".schedules ALTER COLUMN tags SET STATISTICS 1000;

COMMENT ON TABLE "{schema}".schedules IS 'Schedules of millicron-apalis. Insert, update and delete rows as you like.';
COMMENT ON COLUMN "{schema}".schedules.schedule IS 'The text of the schedule, such as *.*.* Mon-Fri 09:30:00';
COMMENT ON COLUMN "{schema}".schedules.dialect IS 'The language of the text, such as crontab; NULL if the text tells';
COMMENT ON COLUMN "{schema}".schedules.zone IS 'The time zone, unless the text has one; NULL is UTC';
COMMENT ON COLUMN "{schema}".schedules.calendars IS 'Calendars that all have the days of the events';
COMMENT ON COLUMN "{schema}".schedules.missed IS 'skip, coalesce, all, or all followed by a maximum';
COMMENT ON COLUMN "{schema}".schedules.catch_up IS 'How long after its instant an event may still become a task';
COMMENT ON COLUMN "{schema}".schedules.version IS 'Set by the database: the number of changes';
COMMENT ON COLUMN "{schema}".schedules.next_at IS
    'Set by the database: the next event or attempt, or 1970 before the schedule has been read';
COMMENT ON COLUMN "{schema}".schedules.last_at IS 'Set by the database: the last event that became a task';
COMMENT ON COLUMN "{schema}".schedules.error IS 'Set by the database: why the schedule has no tasks';
COMMENT ON COLUMN "{schema}".schedules.since IS
    'Set by the database: earlier events are tasks, or belong to an earlier version';
COMMENT ON COLUMN "{schema}".schedules.triggered IS 'Runs that were asked for and are not tasks yet';
COMMENT ON COLUMN "{schema}".schedules.claimed_through IS 'Set by the database: earlier events may be tasks already';
COMMENT ON COLUMN "{schema}".schedules.changed_in IS 'Set by the database: the transaction of the last change';

CREATE INDEX schedules_next_at ON "{schema}".schedules (next_at, name);
CREATE INDEX schedules_tags ON "{schema}".schedules USING gin (tags) WHERE tags <> '{}';
CREATE INDEX schedules_paused ON "{schema}".schedules (name) WHERE paused;
CREATE INDEX schedules_error ON "{schema}".schedules (name) WHERE error IS NOT NULL;

-- Versions that a change ended before all their events were tasks.
CREATE TABLE "{schema}".retired (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text COLLATE "C" NOT NULL,
    schedule text NOT NULL,
    dialect text,
    zone text,
    calendars text[] NOT NULL,
    payload jsonb NOT NULL,
    missed text NOT NULL,
    catch_up interval NOT NULL,
    starts_at timestamptz,
    ends_at timestamptz NOT NULL,
    since timestamptz NOT NULL,
    triggered timestamptz[] NOT NULL,
    error text,
    next_at timestamptz NOT NULL DEFAULT 'epoch'
);

CREATE INDEX retired_next_at ON "{schema}".retired (next_at);

-- The jobs of programs. Programs with different schedules for a job have rows of their own.
CREATE TABLE "{schema}".jobs (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text COLLATE "C" NOT NULL,
    fingerprint text COLLATE "C" NOT NULL,
    since timestamptz NOT NULL,
    next_at timestamptz DEFAULT 'epoch',
    UNIQUE (name, fingerprint)
);

-- Before a row changes: gives it a version, and has it read again.
CREATE FUNCTION "{schema}".change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    planned timestamptz := 'epoch';
BEGIN
    -- Users may write back columns that they have read before an event, or from another row. Only the
    -- library knows the next event, and sets a version with it: -1 for a new row, which nobody else writes.
    IF TG_OP = 'INSERT' THEN
        IF NEW.version = -1 THEN
            planned := NEW.next_at;
        END IF;
        NEW.version := 1;
        NEW.since := clock_timestamp();
        NEW.claimed_through := 'epoch';
        NEW.last_at := NULL;
    ELSE
        IF NEW.version > OLD.version AND NEW.next_at IS DISTINCT FROM OLD.next_at THEN
            planned := NEW.next_at;
        END IF;
        NEW.claimed_through := OLD.claimed_through;
        NEW.last_at := OLD.last_at;
        IF (NEW.name, NEW.schedule, NEW.dialect, NEW.zone, NEW.calendars, NEW.payload, NEW.paused, NEW.missed,
                NEW.catch_up, NEW.starts_at, NEW.ends_at)
            IS NOT DISTINCT FROM (OLD.name, OLD.schedule, OLD.dialect, OLD.zone, OLD.calendars, OLD.payload,
                OLD.paused, OLD.missed, OLD.catch_up, OLD.starts_at, OLD.ends_at) THEN
            NEW.version := OLD.version + (NEW.tags IS DISTINCT FROM OLD.tags)::int;
            NEW.since := OLD.since;
            NEW.error := OLD.error;
            NEW.changed_in := OLD.changed_in;
            -- Tags alone change no event, but a run that is asked for together with them does.
            NEW.next_at := CASE WHEN NEW.triggered = OLD.triggered THEN OLD.next_at ELSE 'epoch' END;
            RETURN NEW;
        END IF;
        NEW.version := OLD.version + 1;
        -- In a pause, only runs that were asked for are tasks.
        NEW.since := greatest(OLD.since, CASE WHEN NOT OLD.paused THEN OLD.claimed_through END, clock_timestamp());
    END IF;
    NEW.error := NULL;
    NEW.changed_in := pg_current_xact_id();
    NEW.next_at := CASE WHEN cardinality(NEW.triggered) > 0 THEN 'epoch' WHEN NOT NEW.paused THEN planned END;
    RETURN NEW;
END $$;

CREATE TRIGGER change BEFORE INSERT OR UPDATE OF
    name, schedule, dialect, zone, calendars, payload, paused, missed, catch_up, starts_at, ends_at, tags
ON "{schema}".schedules FOR EACH ROW EXECUTE FUNCTION "{schema}".change();

-- When changes commit: events until now belong to the old versions, and later ones to the new. All changes of a
-- transaction have the same instant, so that no event is lost between a row and another one that replaces it.
CREATE FUNCTION "{schema}".commit_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    committed timestamptz := to_timestamp(nullif(current_setting('{schema}.committed', true), '')::float8);
    is_first boolean := TG_OP <> 'INSERT' AND OLD.changed_in <> pg_current_xact_id();
BEGIN
    IF TG_OP = 'UPDATE' AND NEW.changed_in IS DISTINCT FROM pg_current_xact_id() THEN
        RETURN NULL;
    END IF;
    -- Constraints that are not deferred are checked by each statement.
    IF committed IS NULL OR committed < statement_timestamp() THEN
        committed := clock_timestamp();
        PERFORM set_config('{schema}.committed', extract(epoch FROM committed)::text, true);
    END IF;
    IF (is_first OR TG_OP = 'DELETE' AND cardinality(OLD.triggered) > 0)
        -- Those of a row with an error wait until it is tried again.
        AND (CASE
            WHEN OLD.error IS NULL THEN OLD.next_at <= greatest(OLD.claimed_through, committed)
            ELSE OLD.next_at IS NOT NULL
        END) THEN
        INSERT INTO "{schema}".retired (
            name, schedule, dialect, zone, calendars, payload, missed, catch_up, starts_at, ends_at, since, triggered,
            error
        ) VALUES (
            OLD.name, OLD.schedule, OLD.dialect, OLD.zone, OLD.calendars, OLD.payload, OLD.missed, OLD.catch_up,
            OLD.starts_at,
            CASE
                WHEN OLD.paused OR NOT is_first THEN OLD.since
                WHEN TG_OP = 'DELETE' THEN least(OLD.ends_at, greatest(OLD.since, OLD.claimed_through, committed))
                ELSE least(OLD.ends_at, greatest(NEW.since, committed))
            END,
            OLD.since,
            CASE TG_OP WHEN 'DELETE' THEN OLD.triggered ELSE '{}' END,
            OLD.error
        );
    END IF;
    IF TG_OP <> 'DELETE' THEN
        UPDATE "{schema}".schedules SET since = greatest(since, committed)
        WHERE name = NEW.name AND changed_in = pg_current_xact_id() AND next_at <= committed;
    END IF;
    RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER commit_change AFTER INSERT OR DELETE OR UPDATE OF
    name, schedule, dialect, zone, calendars, payload, paused, missed, catch_up, starts_at, ends_at
ON "{schema}".schedules DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "{schema}".commit_change();

-- Wakes all machines.
CREATE FUNCTION "{schema}".notify() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('{schema}.schedules', '');
    RETURN NULL;
END $$;

CREATE TRIGGER notify AFTER INSERT OR DELETE OR UPDATE OF
    name, schedule, dialect, zone, calendars, payload, paused, missed, catch_up, starts_at, ends_at
ON "{schema}".schedules FOR EACH STATEMENT EXECUTE FUNCTION "{schema}".notify();

-- Not when a machine takes what was triggered, which it does with each event.
CREATE TRIGGER notify_triggered AFTER UPDATE OF triggered
ON "{schema}".schedules FOR EACH ROW
WHEN (cardinality(NEW.triggered) > 0 AND NEW.triggered <> OLD.triggered) EXECUTE FUNCTION "{schema}".notify();

INSERT INTO "{schema}".migrations (version) VALUES (1);
