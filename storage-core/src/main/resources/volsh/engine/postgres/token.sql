-- The functions of a token, in a schema of its own. @schema@ stands for the volume's schema, @token@ for the token's, both quoted, @id@ for the
-- token, @lock@ for the lock of the volume. Its role owns nothing and has no right on any table: it may call some of these functions,
-- which run with the rights of the volume's owner and check each time whether the token is still valid.

CREATE SCHEMA @token@;

-- True, or raises an error with the reason.
CREATE FUNCTION @token@.valid() RETURNS boolean LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM @schema@.tokens WHERE id = '@id@' AND revoked IS NULL) THEN
        RAISE EXCEPTION 'the token @id@ was revoked' USING ERRCODE = 'VS003';
    END IF;
    IF EXISTS (SELECT FROM @schema@.tokens WHERE id = '@id@' AND expires <= clock_timestamp()) THEN
        RAISE EXCEPTION 'the token @id@ has expired' USING ERRCODE = 'VS003';
    END IF;
    RETURN true;
END $$;

CREATE VIEW @token@.format AS SELECT version, volume FROM @schema@.format WHERE (SELECT @token@.valid());

-- A big-endian number of eight bytes.
CREATE FUNCTION @token@.number(bytes bytea) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    SELECT ('x' || encode(bytes, 'hex'))::bit(64)::bigint
$$;

@scope@

-- As in the volume's schema, for the visible rows only; invisible rows do not exist.
CREATE FUNCTION @token@.holds(
    read_keys bytea[], read_versions bigint[],
    scans_from bytea[], scans_to bytea[], scan_limits integer[], scan_digests bytea[]) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF cardinality(read_keys) > 0 AND EXISTS (
        SELECT FROM unnest(read_keys, read_versions) AS r (k, x)
        WHERE (SELECT g.x FROM @token@.get_rows(ARRAY[r.k]) AS g) IS DISTINCT FROM r.x)
    THEN
        RETURN false;
    END IF;
    FOR i IN 1 .. cardinality(scans_from) LOOP
        IF scan_digests[i] <> (
            SELECT sha256(coalesce(string_agg(int4send(octet_length(f.k)) || f.k || int8send(f.x), ''::bytea ORDER BY f.k), ''::bytea))
            FROM @token@.scan_rows(scans_from[i], scans_to[i], scan_limits[i]) AS f)
        THEN
            RETURN false;
        END IF;
    END LOOP;
    RETURN true;
END $$;

CREATE FUNCTION @token@.missing(held bytea[]) RETURNS bytea LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF cardinality(held) = 0 THEN
        RETURN NULL;
    END IF;
    RETURN (SELECT h.k FROM unnest(held) AS h (k) WHERE NOT EXISTS (SELECT FROM @token@.get_rows(ARRAY[h.k])) LIMIT 1);
END $$;

CREATE FUNCTION @token@.note(of_client uuid, of_lane integer, number bigint) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM @token@.valid();
    RETURN @schema@.note(of_client, of_lane, number);
END $$;

CREATE FUNCTION @token@.forget(of_client uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    DELETE FROM @schema@.applied WHERE client = of_client;
END $$;

@apply@

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA @token@ FROM PUBLIC;
GRANT USAGE ON SCHEMA @token@ TO @token@;
GRANT SELECT ON @token@.format TO @token@;
GRANT EXECUTE ON FUNCTION @token@.valid(), @token@.rights(), @token@.get_rows(bytea[]), @token@.scan_rows(bytea, bytea, integer),
    @token@.holds(bytea[], bigint[], bytea[], bytea[], integer[], bytea[]), @token@.missing(bytea[]),
    @token@.note(uuid, integer, bigint), @token@.forget(uuid),
    @token@.apply(uuid, integer, bigint, bigint[], bytea[], bigint[], bytea[], bytea[], integer[], bytea[], bytea[], bytea[], bytea[], bytea[], bytea[], bytea[])
    TO @token@;

SELECT @schema@.seal_token(trim(BOTH '"' FROM '@token@'));
