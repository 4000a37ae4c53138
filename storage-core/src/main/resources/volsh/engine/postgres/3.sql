-- Format 3: every row has a checksum of its key and its value, which the server computes on writing and clients verify on reading.
-- A client of an older format that still has the volume open continues as before: its functions and queries are unchanged.
ALTER TABLE @schema@.kv ADD COLUMN c bytea NOT NULL GENERATED ALWAYS AS (substr(sha256(k || v), 1, 4)) STORED;

-- The value, if its checksum matches: adding to a damaged counter would give it a matching checksum.
CREATE FUNCTION @schema@.sound(key bytea, value bytea, checksum bytea) RETURNS bytea LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    IF substr(sha256(key || value), 1, 4) <> checksum THEN
        RAISE EXCEPTION 'row %', encode(key, 'hex') USING ERRCODE = 'VS005';
    END IF;
    RETURN value;
END $$;

-- As in format 2, but verifies the checksum of a counter before adding to it.
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
        ON CONFLICT (k) DO UPDATE SET v = @schema@.plus(@schema@.sound(kv.k, kv.v, kv.c), excluded.v), x = excluded.x;
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

-- Gives a token what it needs to read values followed by their checksums: its functions for rows again, under other names.
CREATE FUNCTION @schema@.seal_token(token text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    one record;
BEGIN
    FOR one IN SELECT p.oid, p.proname FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
               WHERE n.nspname = token AND p.proname = ANY (ARRAY['get_rows', 'scan_rows']) LOOP
        EXECUTE replace(replace(pg_get_functiondef(one.oid), one.proname || '(', 'sealed_' || one.proname || '('), 'r.v, r.x FROM', 'r.v || r.c, r.x FROM');
    END LOOP;
    EXECUTE format('REVOKE ALL ON FUNCTION %1$I.sealed_get_rows(bytea[]), %1$I.sealed_scan_rows(bytea, bytea, integer) FROM PUBLIC', token);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %1$I.sealed_get_rows(bytea[]), %1$I.sealed_scan_rows(bytea, bytea, integer) TO %1$I', token);
END $$;

DO $$
DECLARE
    token text;
BEGIN
    IF to_regclass('@schema@.tokens') IS NOT NULL THEN
        FOR token IN EXECUTE 'SELECT ''volsh_token_'' || id FROM @schema@.tokens WHERE revoked IS NULL' LOOP
            PERFORM @schema@.seal_token(token);
        END LOOP;
    END IF;
END $$;

UPDATE @schema@.format SET version = 3;
