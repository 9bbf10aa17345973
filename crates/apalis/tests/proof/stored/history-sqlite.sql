-- Records which definition a schedule had, and when it changed. All triggers of a statement read the same time.
CREATE TABLE proof_history (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    old TEXT,
    new TEXT,
    at INTEGER NOT NULL
);

CREATE TABLE proof_triggered (name TEXT NOT NULL, at INTEGER NOT NULL);

CREATE TABLE proof_pushed (name TEXT NOT NULL, at INTEGER NOT NULL);

CREATE TRIGGER proof_insert AFTER INSERT ON millicron_schedules BEGIN
    INSERT INTO proof_history (name, new, at) VALUES (
        NEW.name,
        json_object('schedule', NEW.schedule, 'zone', NEW.zone, 'payload', json(NEW.payload),
            'paused', json(iif(NEW.paused, 'true', 'false')), 'starts_at', NEW.starts_at, 'ends_at', NEW.ends_at),
        round(unixepoch('subsec') * 1000)
    );
END;

CREATE TRIGGER proof_update AFTER UPDATE OF schedule, zone, payload, paused, starts_at, ends_at ON millicron_schedules
WHEN (NEW.schedule, NEW.zone, NEW.payload, NEW.paused, NEW.starts_at, NEW.ends_at)
    IS NOT (OLD.schedule, OLD.zone, OLD.payload, OLD.paused, OLD.starts_at, OLD.ends_at)
BEGIN
    INSERT INTO proof_history (name, old, new, at) VALUES (
        NEW.name,
        json_object('schedule', OLD.schedule, 'zone', OLD.zone, 'payload', json(OLD.payload),
            'paused', json(iif(OLD.paused, 'true', 'false')), 'starts_at', OLD.starts_at, 'ends_at', OLD.ends_at),
        json_object('schedule', NEW.schedule, 'zone', NEW.zone, 'payload', json(NEW.payload),
            'paused', json(iif(NEW.paused, 'true', 'false')), 'starts_at', NEW.starts_at, 'ends_at', NEW.ends_at),
        round(unixepoch('subsec') * 1000)
    );
END;

CREATE TRIGGER proof_delete AFTER DELETE ON millicron_schedules BEGIN
    INSERT INTO proof_history (name, old, at) VALUES (
        OLD.name,
        json_object('schedule', OLD.schedule, 'zone', OLD.zone, 'payload', json(OLD.payload),
            'paused', json(iif(OLD.paused, 'true', 'false')), 'starts_at', OLD.starts_at, 'ends_at', OLD.ends_at),
        round(unixepoch('subsec') * 1000)
    );
END;

CREATE TRIGGER proof_trigger AFTER UPDATE OF triggered ON millicron_schedules
WHEN json_array_length(NEW.triggered) > json_array_length(OLD.triggered)
BEGIN
    INSERT INTO proof_triggered VALUES (NEW.name, NEW.triggered ->> '$[#-1]');
END;

CREATE TRIGGER proof_push AFTER INSERT ON Jobs BEGIN
    INSERT INTO proof_pushed VALUES (NEW.idempotency_key, round(unixepoch('subsec') * 1000));
END;
