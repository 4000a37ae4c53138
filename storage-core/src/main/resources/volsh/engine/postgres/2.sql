-- Format 2: a log of changes, from which clients that cache rows learn that they are stale. Rows of sessions (s), numbers (c) and the
-- tick (t), which change all the time and are also written by tokens, are neither cached nor logged.

-- The keys that a transaction has changed. Useful only to clients that have been connected since: after a crash it may be empty.
CREATE UNLOGGED TABLE @schema@.changes (by xid8 NOT NULL, at timestamptz NOT NULL, keys bytea[] NOT NULL)
    WITH (autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX changes_by ON @schema@.changes (by);

-- The newest transaction whose changes were removed from the log: a client that has not seen all before it has missed something.
CREATE UNLOGGED TABLE @schema@.changes_gone (upto xid8 NOT NULL);

-- Removes rows older than a minute, unless a running transaction is older, and rows that are not of this server but came with a copy of the database. One at a time.
CREATE FUNCTION @schema@.forget_changes() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    last xid8;
BEGIN
    BEGIN
        LOCK TABLE @schema@.changes_gone IN SHARE ROW EXCLUSIVE MODE NOWAIT;
    EXCEPTION WHEN lock_not_available THEN
        RETURN;
    END;
    DELETE FROM @schema@.changes_gone WHERE upto >= pg_snapshot_xmax(pg_current_snapshot());
    DELETE FROM @schema@.changes WHERE by >= pg_snapshot_xmax(pg_current_snapshot());
    last := (SELECT o.by FROM (SELECT c.by, c.at FROM @schema@.changes AS c ORDER BY c.by LIMIT 20000) AS o
             WHERE o.at < clock_timestamp() - interval '1 minute' AND o.by < pg_snapshot_xmin(pg_current_snapshot())
             ORDER BY o.by DESC LIMIT 1);
    IF last IS NOT NULL THEN
        DELETE FROM @schema@.changes WHERE by <= last;
        DELETE FROM @schema@.changes_gone;
        INSERT INTO @schema@.changes_gone VALUES (last);
    END IF;
END $$;

-- Wakes the followers of the log. They also poll: nothing depends on it.
CREATE FUNCTION @schema@.hint() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify(trim(BOTH '"' FROM '@schema@'), '');
END $$;

-- As in format 1, but also writes the log.
CREATE OR REPLACE FUNCTION @schema@.apply(
    of_client uuid, of_lane integer, number bigint, locks bigint[],
    read_keys bytea[], read_versions bigint[],
    scans_from bytea[], scans_to bytea[], scan_limits integer[], scan_digests bytea[],
    held bytea[], deleted bytea[], put_keys bytea[], put_values bytea[], add_keys bytea[], add_deltas bytea[])
RETURNS bytea LANGUAGE plpgsql AS $$
DECLARE
    lock bigint;
    absent bytea;
    stamp bigint;
    changed bytea[];
BEGIN
    FOREACH lock IN ARRAY locks LOOP
        IF lock & 1 = 1 THEN
            PERFORM pg_advisory_xact_lock(lock >> 1);
        ELSE
            PERFORM pg_advisory_xact_lock_shared(lock >> 1);
        END IF;
    END LOOP;
    IF NOT @schema@.holds(read_keys, read_versions, scans_from, scans_to, scan_limits, scan_digests) THEN
        RETURN ''::bytea;
    END IF;
    absent := @schema@.missing(held);
    IF absent IS NOT NULL THEN
        RETURN absent;
    END IF;
    stamp := nextval('@schema@.version');
    IF cardinality(deleted) > 0 THEN
        DELETE FROM @schema@.kv WHERE k = ANY (deleted);
    END IF;
    IF cardinality(put_keys) > 0 THEN
        INSERT INTO @schema@.kv SELECT p.k, p.v, stamp FROM unnest(put_keys, put_values) AS p (k, v)
        ON CONFLICT (k) DO UPDATE SET v = excluded.v, x = excluded.x;
    END IF;
    IF cardinality(add_keys) > 0 THEN
        INSERT INTO @schema@.kv SELECT a.k, a.v, stamp FROM unnest(add_keys, add_deltas) AS a (k, v)
        ON CONFLICT (k) DO UPDATE SET v = @schema@.plus(kv.v, excluded.v), x = excluded.x;
    END IF;
    changed := ARRAY(SELECT c.k FROM unnest(deleted || put_keys || add_keys) AS c (k) WHERE substr(c.k, 1, 1) <> ALL (ARRAY['s', 'c', 't']::bytea[]));
    IF cardinality(changed) > 0 THEN
        INSERT INTO @schema@.changes VALUES (pg_current_xact_id(), clock_timestamp(), changed);
    END IF;
    IF NOT @schema@.note(of_client, of_lane, number) THEN
        RAISE EXCEPTION 'this commit was abandoned by its client' USING ERRCODE = 'VS002';
    END IF;
    RETURN NULL;
END $$;

-- Grants access to the log to all roles with access to the rows.
DO $$
DECLARE
    one record;
BEGIN
    FOR one IN SELECT a.grantee, a.privilege_type FROM pg_class AS t, aclexplode(t.relacl) AS a
               WHERE t.oid = '@schema@.kv'::regclass AND a.grantee <> t.relowner LOOP
        EXECUTE format('GRANT %s ON @schema@.changes, @schema@.changes_gone TO %s', one.privilege_type,
            CASE WHEN one.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(one.grantee)) END);
    END LOOP;
END $$;

UPDATE @schema@.format SET version = 2;
