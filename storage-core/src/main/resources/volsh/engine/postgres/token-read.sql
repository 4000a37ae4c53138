CREATE FUNCTION @token@.rights() RETURNS text LANGUAGE sql AS $$ SELECT 'read' $$;

-- Whether it is a valid row of a session that claims no more than a reader: no blocks, no longer lease than others, and nothing
-- older than it could see when it began.
CREATE FUNCTION @token@.is_session(row_value bytea, since bigint) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
DECLARE
    host integer;
    purpose integer;
    texts bytea;
BEGIN
    IF octet_length(row_value) < 41 OR octet_length(row_value) > 1041 OR get_byte(row_value, 0) <> 1 THEN
        RETURN false;
    END IF;
    host := get_byte(row_value, 1) * 256 + get_byte(row_value, 2);
    IF octet_length(row_value) < 41 + host THEN
        RETURN false;
    END IF;
    purpose := get_byte(row_value, 11 + host) * 256 + get_byte(row_value, 12 + host);
    IF octet_length(row_value) <> 41 + host + purpose THEN
        RETURN false;
    END IF;
    texts := substr(row_value, 4, host) || substr(row_value, 14 + host, purpose);
    FOR i IN 0 .. octet_length(texts) - 1 LOOP
        IF get_byte(texts, i) < 32 OR get_byte(texts, i) > 239 THEN
            RETURN false;
        END IF;
    END LOOP;
    PERFORM convert_from(substr(row_value, 4, host), 'UTF8'), convert_from(substr(row_value, 14 + host, purpose), 'UTF8');
    RETURN @token@.number(substr(row_value, 22 + host + purpose, 8)) <= extract(epoch FROM clock_timestamp()) * 1000 + 120000
        AND @token@.number(substr(row_value, 30 + host + purpose, 8)) >= since
        AND substr(row_value, 38 + host + purpose, 4) = '\x00000000'::bytea;
EXCEPTION WHEN character_not_in_repertoire OR untranslatable_character THEN
    RETURN false;
END $$;

-- The oldest tick that a session needs.
CREATE FUNCTION @token@.low_water(row_value bytea) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    SELECT @token@.number(substr(row_value, octet_length(row_value) - 11, 8))
$$;

-- A reader registers a session, renews and ends it; and begins the tick of a second. Nothing else is written. Does not rely on the
-- caller's locks: locks the whole volume while it writes.
CREATE FUNCTION @token@.apply(
    of_client uuid, of_lane integer, number bigint, locks bigint[],
    read_keys bytea[], read_versions bigint[],
    scans_from bytea[], scans_to bytea[], scan_limits integer[], scan_digests bytea[],
    held bytea[], deleted bytea[], put_keys bytea[], put_values bytea[], add_keys bytea[], add_deltas bytea[])
RETURNS bytea LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    absent bytea;
    stamp bigint;
    tick bigint;
    session bytea;
    old bytea;
    good boolean;
BEGIN
    PERFORM @token@.valid();
    IF coalesce(cardinality(add_keys), 0) > 0 OR coalesce(cardinality(put_keys), 0) <> coalesce(cardinality(put_values), 0) THEN
        RAISE EXCEPTION 'the token @id@ is read-only' USING ERRCODE = 'VS004';
    END IF;
    PERFORM pg_advisory_xact_lock(@lock@);
    IF NOT @token@.holds(read_keys, read_versions, scans_from, scans_to, scan_limits, scan_digests) THEN
        RETURN ''::bytea;
    END IF;
    absent := @token@.missing(held);
    IF absent IS NOT NULL THEN
        RETURN absent;
    END IF;
    stamp := nextval('@schema@.version');
    tick := coalesce((SELECT @token@.number(v) FROM @schema@.kv WHERE k = 't'::bytea), 0);
    FOR i IN 1 .. coalesce(cardinality(put_keys), 0) LOOP   -- a new session's number is the next one
        IF put_keys[i] = 'csession'::bytea THEN
            old := coalesce((SELECT v FROM @schema@.kv WHERE k = put_keys[i]), int8send(2));
            IF put_values[i] = int8send(@token@.number(old) + 1) AND session IS NULL THEN
                session := 's'::bytea || old;
                INSERT INTO @schema@.token_sessions VALUES ('@id@', session) ON CONFLICT DO NOTHING;
            ELSE
                RAISE EXCEPTION 'the token @id@ is read-only' USING ERRCODE = 'VS004';
            END IF;
        END IF;
    END LOOP;
    FOR i IN 1 .. coalesce(cardinality(put_keys), 0) LOOP
        old := NULL;
        IF get_byte(put_keys[i], 0) = 115 AND EXISTS (SELECT FROM @schema@.token_sessions AS o WHERE o.token = '@id@' AND o.session = put_keys[i]) THEN
            old := (SELECT v FROM @schema@.kv WHERE k = put_keys[i]);   -- touches no row of other sessions
        END IF;
        good := CASE chr(get_byte(put_keys[i], 0))
            WHEN 'c' THEN put_keys[i] = 'csession'::bytea
            WHEN 't' THEN put_keys[i] = 't'::bytea AND octet_length(put_values[i]) = 8
                AND @token@.number(put_values[i]) BETWEEN tick AND greatest(tick, extract(epoch FROM clock_timestamp())::bigint + 15)
            WHEN 's' THEN EXISTS (SELECT FROM @schema@.token_sessions AS o WHERE o.token = '@id@' AND o.session = put_keys[i])
                AND (put_keys[i] = session OR old IS NOT NULL)
                AND @token@.is_session(put_values[i], CASE WHEN old IS NULL THEN tick ELSE @token@.low_water(old) END)
            ELSE false END;
        IF good IS NOT TRUE THEN
            RAISE EXCEPTION 'the token @id@ is read-only' USING ERRCODE = 'VS004';
        END IF;
        INSERT INTO @schema@.kv VALUES (put_keys[i], put_values[i], stamp) ON CONFLICT (k) DO UPDATE SET v = excluded.v, x = excluded.x;
    END LOOP;
    FOR i IN 1 .. coalesce(cardinality(deleted), 0) LOOP
        IF NOT EXISTS (SELECT FROM @schema@.token_sessions AS o WHERE o.token = '@id@' AND o.session = deleted[i]) THEN
            RAISE EXCEPTION 'the token @id@ is read-only' USING ERRCODE = 'VS004';
        END IF;
        DELETE FROM @schema@.kv WHERE k = deleted[i];
        DELETE FROM @schema@.token_sessions AS o WHERE o.token = '@id@' AND o.session = deleted[i];
    END LOOP;
    IF NOT @schema@.note(of_client, of_lane, number) THEN
        RAISE EXCEPTION 'this commit was abandoned by its client' USING ERRCODE = 'VS002';
    END IF;
    RETURN NULL;
END $$;
