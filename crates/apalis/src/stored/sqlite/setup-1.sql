CREATE TABLE {schema}_schedules (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE CHECK (length(CAST(name AS BLOB)) BETWEEN 1 AND 512 AND instr(name, char(0)) = 0),
    schedule TEXT NOT NULL CHECK (length(CAST(schedule AS BLOB)) <= 65536),
    dialect TEXT CHECK (length(CAST(dialect AS BLOB)) <= 65536),
    zone TEXT CHECK (length(CAST(zone AS BLOB)) <= 65536),
    calendars TEXT NOT NULL DEFAULT '[]'
        CHECK (json_type(calendars) = 'array' AND length(CAST(calendars AS BLOB)) <= 65536),
    payload TEXT NOT NULL DEFAULT 'null' CHECK (json_valid(payload)),
    paused INTEGER NOT NULL DEFAULT 0 CHECK (paused IN (0, 1)),
    missed TEXT NOT NULL DEFAULT 'coalesce' CHECK (missed IN ('skip', 'coalesce', 'all')
        OR missed GLOB 'all [1-9]*' AND substr(missed, 5) NOT GLOB '*[^0-9]*' AND length(missed) <= 13),
    catch_up INTEGER NOT NULL DEFAULT 3600000 CHECK (typeof(catch_up) = 'integer' AND catch_up >= 0),
    starts_at INTEGER CHECK (typeof(starts_at) IN ('integer', 'null')),
    ends_at INTEGER CHECK (typeof(ends_at) IN ('integer', 'null')),
    tags TEXT NOT NULL DEFAULT '[]' CHECK (json_type(tags) = 'array' AND length(CAST(tags AS BLOB)) <= 65536),
    version INTEGER NOT NULL DEFAULT 1,
    next_at INTEGER DEFAULT 0,
    last_at INTEGER,
    error TEXT,
    since INTEGER NOT NULL DEFAULT 0,
    triggered TEXT NOT NULL DEFAULT '[]' CHECK (json_type(triggered) = 'array'),
    claim TEXT,
    claimed_until INTEGER NOT NULL DEFAULT 0,
    claimed_through INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX {schema}_schedules_next_at ON {schema}_schedules (next_at, name);
CREATE INDEX {schema}_schedules_paused ON {schema}_schedules (name) WHERE paused;
CREATE INDEX {schema}_schedules_error ON {schema}_schedules (name) WHERE error IS NOT NULL;

-- The tags of each schedule, so that they are indexed.
CREATE TABLE {schema}_tags (
    tag TEXT NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (tag, name)
) STRICT, WITHOUT ROWID;

-- Versions that a change ended before all their events were tasks.
CREATE TABLE {schema}_retired (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    schedule TEXT NOT NULL,
    dialect TEXT,
    zone TEXT,
    calendars TEXT NOT NULL,
    payload TEXT NOT NULL,
    missed TEXT NOT NULL,
    catch_up INTEGER NOT NULL,
    starts_at INTEGER,
    ends_at INTEGER NOT NULL,
    since INTEGER NOT NULL,
    triggered TEXT NOT NULL,
    error TEXT,
    next_at INTEGER NOT NULL DEFAULT 0,
    claim TEXT,
    claimed_until INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX {schema}_retired_next_at ON {schema}_retired (next_at);

-- The jobs of programs. Programs with different schedules for a job have rows of their own.
CREATE TABLE {schema}_jobs (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    since INTEGER NOT NULL,
    next_at INTEGER DEFAULT 0,
    claim TEXT,
    claimed_until INTEGER NOT NULL DEFAULT 0,
    UNIQUE (name, fingerprint)
) STRICT;

-- Users may write back columns that they have read before an event, or from another row. Only the
-- library knows the next event, and sets a version with it: -1 for a new row, which nobody else writes.
CREATE TRIGGER {schema}_insert AFTER INSERT ON {schema}_schedules BEGIN
    UPDATE {schema}_schedules SET
        version = 1,
        since = CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER),
        last_at = NULL,
        error = NULL,
        next_at = iif(NEW.triggered <> '[]', 0, iif(NEW.paused, NULL, iif(NEW.version = -1, NEW.next_at, 0))),
        claim = NULL,
        claimed_until = 0,
        claimed_through = 0
    WHERE name = NEW.name;
    INSERT OR IGNORE INTO {schema}_tags (tag, name) SELECT value, NEW.name FROM json_each(NEW.tags);
END;

CREATE TRIGGER {schema}_change AFTER UPDATE OF
    name, schedule, dialect, zone, calendars, payload, paused, missed, catch_up, starts_at, ends_at
ON {schema}_schedules
WHEN (NEW.name, NEW.schedule, NEW.dialect, NEW.zone, NEW.calendars, NEW.payload, NEW.paused, NEW.missed, NEW.catch_up,
        NEW.starts_at, NEW.ends_at)
    IS NOT (OLD.name, OLD.schedule, OLD.dialect, OLD.zone, OLD.calendars, OLD.payload, OLD.paused, OLD.missed,
        OLD.catch_up, OLD.starts_at, OLD.ends_at)
BEGIN
    -- Events until now belong to the old version, and later ones to the new.
    INSERT INTO {schema}_retired (
        name, schedule, dialect, zone, calendars, payload, missed, catch_up, starts_at, ends_at, since, triggered, error
    )
    SELECT
        OLD.name, OLD.schedule, OLD.dialect, OLD.zone, OLD.calendars, OLD.payload, OLD.missed, OLD.catch_up,
        OLD.starts_at,
        min(ifnull(OLD.ends_at, 9000000000000000), max(OLD.since, OLD.claimed_through, now)), OLD.since, '[]',
        OLD.error
    FROM (SELECT CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) AS now)
    -- Those of a row with an error wait until it is tried again.
    WHERE iif(OLD.error IS NULL, OLD.next_at <= max(OLD.claimed_through, now), OLD.next_at IS NOT NULL)
        AND NOT OLD.paused;
    UPDATE {schema}_schedules SET
        version = OLD.version + 1,
        -- In a pause, only runs that were asked for are tasks.
        since = max(
            OLD.since, iif(OLD.paused, 0, OLD.claimed_through),
            CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)
        ),
        last_at = OLD.last_at,
        error = NULL,
        next_at = iif(
            NEW.triggered <> '[]', 0,
            iif(NEW.paused, NULL, iif(NEW.version > OLD.version AND NEW.next_at IS NOT OLD.next_at, NEW.next_at, 0))
        ),
        claim = NULL,
        claimed_until = 0,
        claimed_through = OLD.claimed_through
    WHERE name = NEW.name;
END;

CREATE TRIGGER {schema}_keep AFTER UPDATE OF
    name, schedule, dialect, zone, calendars, payload, paused, missed, catch_up, starts_at, ends_at, tags
ON {schema}_schedules
WHEN (NEW.name, NEW.schedule, NEW.dialect, NEW.zone, NEW.calendars, NEW.payload, NEW.paused, NEW.missed, NEW.catch_up,
        NEW.starts_at, NEW.ends_at)
    IS (OLD.name, OLD.schedule, OLD.dialect, OLD.zone, OLD.calendars, OLD.payload, OLD.paused, OLD.missed,
        OLD.catch_up, OLD.starts_at, OLD.ends_at)
BEGIN
    UPDATE {schema}_schedules SET
        version = OLD.version + (NEW.tags IS NOT OLD.tags),
        since = OLD.since,
        last_at = OLD.last_at,
        error = OLD.error,
        -- Tags alone change no event, but a run that is asked for together with them does.
        next_at = iif(NEW.triggered IS OLD.triggered, OLD.next_at, 0),
        claim = OLD.claim,
        claimed_until = OLD.claimed_until,
        claimed_through = OLD.claimed_through
    WHERE name = NEW.name;
END;

CREATE TRIGGER {schema}_retag AFTER UPDATE OF name, tags ON {schema}_schedules
WHEN (NEW.name, NEW.tags) IS NOT (OLD.name, OLD.tags)
BEGIN
    DELETE FROM {schema}_tags WHERE name = OLD.name AND tag IN (SELECT value FROM json_each(OLD.tags));
    INSERT OR IGNORE INTO {schema}_tags (tag, name) SELECT value, NEW.name FROM json_each(NEW.tags);
END;

CREATE TRIGGER {schema}_remove AFTER DELETE ON {schema}_schedules BEGIN
    INSERT INTO {schema}_retired (
        name, schedule, dialect, zone, calendars, payload, missed, catch_up, starts_at, ends_at, since, triggered, error
    )
    SELECT
        OLD.name, OLD.schedule, OLD.dialect, OLD.zone, OLD.calendars, OLD.payload, OLD.missed, OLD.catch_up,
        OLD.starts_at,
        iif(OLD.paused, OLD.since, min(ifnull(OLD.ends_at, 9000000000000000), max(OLD.since, OLD.claimed_through, now))),
        OLD.since, OLD.triggered, OLD.error
    FROM (SELECT CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) AS now)
    WHERE iif(OLD.error IS NULL, OLD.next_at <= max(OLD.claimed_through, now), OLD.next_at IS NOT NULL);
    DELETE FROM {schema}_tags WHERE name = OLD.name AND tag IN (SELECT value FROM json_each(OLD.tags));
END;

INSERT INTO {schema}_migrations (version) VALUES (1);
