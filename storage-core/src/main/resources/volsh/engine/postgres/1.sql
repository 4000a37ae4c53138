-- Format 1 of a volume's metadata. @schema@ stands for its schema, quoted. Run in one transaction, by a user who owns the schema.

-- The format and the volume of this schema: protects the metadata of another volume of the same name.
CREATE TABLE @schema@.format (version integer NOT NULL, volume uuid NOT NULL);

-- The rows. x changes with every write of a row and is never reused: readers use it to detect changes.
-- Counters are written with every commit: pages have space for a new version, and old ones are vacuumed early.
CREATE TABLE @schema@.kv (k bytea PRIMARY KEY, v bytea NOT NULL, x bigint NOT NULL)
    WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05);
CREATE SEQUENCE @schema@.version;

-- The last commit of each lane of each client, written by that commit itself.
CREATE TABLE @schema@.applied (
    client uuid NOT NULL, lane integer NOT NULL, sequence bigint NOT NULL, at timestamptz NOT NULL,
    PRIMARY KEY (client, lane)) WITH (fillfactor = 50);

-- The sum of two counter rows: a byte with the number of sums, then the sums and the maxima as big-endian longs.
CREATE FUNCTION @schema@.plus(a bytea, b bytea) RETURNS bytea LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    result bytea := substr(a, 1, 1);
    one bigint;
    other bigint;
BEGIN
    IF octet_length(a) <> octet_length(b) OR octet_length(a) % 8 <> 1 OR get_byte(a, 0) <> get_byte(b, 0) THEN
        RAISE EXCEPTION 'counter deltas of different shapes' USING ERRCODE = 'VS001';
    END IF;
    FOR slot IN 0 .. (octet_length(a) - 1) / 8 - 1 LOOP
        one := ('x' || encode(substr(a, 2 + 8 * slot, 8), 'hex'))::bit(64)::bigint;
        other := ('x' || encode(substr(b, 2 + 8 * slot, 8), 'hex'))::bit(64)::bigint;
        result := result || int8send(CASE WHEN slot < get_byte(a, 0) THEN one + other ELSE greatest(one, other) END);
    END LOOP;
    RETURN result;
END $$;

-- Whether everything that was read is unchanged in the state that this call sees: single rows by their x (null for
-- missing ones), scans by a digest of the keys and the x of their rows.
CREATE FUNCTION @schema@.holds(
    read_keys bytea[], read_versions bigint[],
    scans_from bytea[], scans_to bytea[], scan_limits integer[], scan_digests bytea[]) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF cardinality(read_keys) > 0 AND EXISTS (
        SELECT FROM unnest(read_keys, read_versions) AS r (k, x)
        WHERE (SELECT kv.x FROM @schema@.kv WHERE kv.k = r.k) IS DISTINCT FROM r.x)
    THEN
        RETURN false;
    END IF;
    FOR i IN 1 .. cardinality(scans_from) LOOP
        IF scan_digests[i] <> (
            SELECT sha256(coalesce(string_agg(int4send(octet_length(f.k)) || f.k || int8send(f.x), ''::bytea ORDER BY f.k), ''::bytea))
            FROM (SELECT kv.k, kv.x FROM @schema@.kv WHERE kv.k >= scans_from[i] AND kv.k < scans_to[i]
                  ORDER BY kv.k LIMIT scan_limits[i]) AS f)
        THEN
            RETURN false;
        END IF;
    END LOOP;
    RETURN true;
END $$;

-- The first of the keys that does not exist; null if all do.
CREATE FUNCTION @schema@.missing(held bytea[]) RETURNS bytea LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF cardinality(held) = 0 THEN
        RETURN NULL;
    END IF;
    RETURN (SELECT h.k FROM unnest(held) AS h (k) WHERE (SELECT kv.x FROM @schema@.kv WHERE kv.k = h.k) IS NULL LIMIT 1);
END $$;

-- Records a commit of a lane; false if that one, or a later one, is already recorded. Waits for a concurrent recording.
CREATE FUNCTION @schema@.note(of_client uuid, of_lane integer, number bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO @schema@.applied AS a VALUES (of_client, of_lane, number, clock_timestamp())
    ON CONFLICT (client, lane) DO UPDATE SET sequence = excluded.sequence, at = excluded.at WHERE a.sequence < excluded.sequence;
    RETURN FOUND;
END $$;

-- One transaction: null if it is written; empty if something it read has changed, and a key if a key it holds
-- is missing: then nothing is written. A lock is a number whose lowest bit means exclusive; they are passed in the
-- order in which all clients take them. Each statement sees what was committed before the locks were acquired.
CREATE FUNCTION @schema@.apply(
    of_client uuid, of_lane integer, number bigint, locks bigint[],
    read_keys bytea[], read_versions bigint[],
    scans_from bytea[], scans_to bytea[], scan_limits integer[], scan_digests bytea[],
    held bytea[], deleted bytea[], put_keys bytea[], put_values bytea[], add_keys bytea[], add_deltas bytea[])
RETURNS bytea LANGUAGE plpgsql AS $$
DECLARE
    lock bigint;
    absent bytea;
    stamp bigint;
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
    IF NOT @schema@.note(of_client, of_lane, number) THEN
        RAISE EXCEPTION 'this commit was abandoned by its client' USING ERRCODE = 'VS002';
    END IF;
    RETURN NULL;
END $$;

INSERT INTO @schema@.format VALUES (1, '@volume@');
