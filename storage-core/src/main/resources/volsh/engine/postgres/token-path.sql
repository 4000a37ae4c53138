-- Access to the rows of a directory and all below it, inode @root@. What is below it follows from the entries alone: a file with several names is
-- below it if one of them is. Of the directories above it, the attributes are visible, and of their entries the one that leads here.
-- Visibility is decided by the key, before any row is touched: the server's statistics, which are public, count rows.

CREATE FUNCTION @token@.within(ino bytea) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
DECLARE
    level bytea[] := ARRAY[ino];
BEGIN
    FOR depth IN 1 .. 1000 LOOP
        IF '\x@root@'::bytea = ANY (level) THEN
            RETURN true;
        END IF;
        level := ARRAY(SELECT DISTINCT substr(e.k, 2, 8) FROM @schema@.kv AS e WHERE get_byte(e.k, 0) = 69 AND substr(e.v, 9, 8) = ANY (level));
        IF cardinality(level) = 0 THEN
            RETURN false;
        END IF;
    END LOOP;
    RETURN false;
END $$;

-- The keys of the entries that lead to the directory, from itself up to the root; the eight bytes after the first of each are a directory above it.
CREATE FUNCTION @token@.chain() RETURNS bytea[] LANGUAGE plpgsql STABLE AS $$
DECLARE
    found bytea[] := ARRAY[]::bytea[];
    at bytea := '\x@root@';
    above bytea;
BEGIN
    FOR depth IN 1 .. 1000 LOOP
        above := (SELECT e.k FROM @schema@.kv AS e WHERE get_byte(e.k, 0) = 69 AND substr(e.v, 9, 8) = at LIMIT 1);
        EXIT WHEN above IS NULL;
        found := found || above;
        at := substr(above, 2, 8);
    END LOOP;
    RETURN found;
END $$;

-- Whether it is a directory above.
CREATE FUNCTION @token@.is_above(ino bytea) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN EXISTS (SELECT FROM unnest(@token@.chain()) AS c (k) WHERE substr(c.k, 2, 8) = ino);
END $$;

-- Whether a file below has bytes in the block.
CREATE FUNCTION @token@.holds_block(block bytea) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN EXISTS (SELECT FROM @schema@.kv AS e WHERE get_byte(e.k, 0) = 88 AND substr(e.v, 17, 8) = block AND @token@.within(substr(e.k, 2, 8)));
END $$;

CREATE FUNCTION @token@.visible(key bytea) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF octet_length(key) = 0 THEN
        RETURN false;
    END IF;
    RETURN CASE
        WHEN get_byte(key, 0) = ANY (ARRAY[88, 68, 76, 65, 83]) THEN @token@.within(substr(key, 2, 8))   -- X D L A S
        WHEN get_byte(key, 0) = 78 THEN @token@.within(substr(key, 2, 8)) OR @token@.is_above(substr(key, 2, 8))   -- N
        WHEN get_byte(key, 0) = 69 THEN @token@.within(substr(key, 2, 8)) OR key = ANY (@token@.chain())   -- E
        WHEN get_byte(key, 0) = ANY (ARRAY[98, 120, 108]) THEN @token@.holds_block(substr(key, 2, 8))   -- b x l
        WHEN get_byte(key, 0) = 109 THEN @token@.holds_block(substr(key, 10, 8))   -- m
        WHEN get_byte(key, 0) = 115 THEN EXISTS (SELECT FROM @schema@.token_sessions AS o WHERE o.token = '@id@' AND o.session = key)   -- s
        WHEN get_byte(key, 0) = 122 THEN true   -- z
        WHEN substr(key, 1, 8) = 'vimport-'::bytea THEN true
        ELSE key = ANY (ARRAY['t', 'csession', 'vvolume', 'vstore', 'vretired', 'vsole-writer']::bytea[])
    END;
END $$;

CREATE FUNCTION @token@.get_rows(keys bytea[]) RETURNS TABLE (k bytea, v bytea, x bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    key bytea;
BEGIN
    PERFORM @token@.valid();
    FOREACH key IN ARRAY keys LOOP
        IF @token@.visible(key) THEN
            RETURN QUERY SELECT r.k, r.v, r.x FROM @schema@.kv AS r WHERE r.k = key;
        END IF;
    END LOOP;
END $$;

-- Within a directory or file, which is visible as a whole or not at all; each of the directories above has one visible entry. Of kinds that are visible in
-- part, what is visible; of others nothing.
CREATE FUNCTION @token@.scan_rows(first bytea, behind bytea, most integer) RETURNS TABLE (k bytea, v bytea, x bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    kind integer := CASE WHEN octet_length(first) > 0 THEN get_byte(first, 0) ELSE 0 END;
    ino bytea := substr(first, 2, 8);
    keys bytea[] := ARRAY[]::bytea[];
BEGIN
    PERFORM @token@.valid();
    IF kind = 115 THEN   -- s
        keys := ARRAY(SELECT o.session FROM @schema@.token_sessions AS o WHERE o.token = '@id@' AND o.session >= first AND o.session < behind);
    ELSIF kind = 122 THEN   -- z
        RETURN QUERY SELECT r.k, r.v, r.x FROM @schema@.kv AS r WHERE r.k >= first AND r.k < least(behind, '\x7b'::bytea) ORDER BY r.k LIMIT most;
    ELSIF kind = ANY (ARRAY[78, 69, 88, 68, 76, 65, 83]) THEN   -- N E X D L A S
        IF octet_length(first) < 9 OR behind > @token@.behind_group(first) THEN
            RAISE EXCEPTION 'the token @id@ can only list one directory or file at a time' USING ERRCODE = 'VS004';
        ELSIF @token@.within(ino) THEN
            RETURN QUERY SELECT r.k, r.v, r.x FROM @schema@.kv AS r WHERE r.k >= first AND r.k < behind ORDER BY r.k LIMIT most;
        ELSIF kind = 69 OR kind = 78 AND @token@.is_above(ino) THEN
            keys := ARRAY(SELECT c.k FROM unnest(@token@.chain() || (substr(first, 1, 1) || ino)) AS c (k) WHERE c.k >= first AND c.k < behind);
        END IF;
    ELSIF kind = ANY (ARRAY[98, 120, 108, 109]) THEN   -- b x l m
        RAISE EXCEPTION 'the token @id@ can only list one directory or file at a time' USING ERRCODE = 'VS004';
    END IF;
    -- by key only: a join would let the planner read all rows between first and behind
    RETURN QUERY SELECT r.k, r.v, r.x FROM @schema@.kv AS r WHERE r.k = ANY (keys) ORDER BY r.k LIMIT most;
END $$;

-- The first key after all that begin with the same nine bytes.
CREATE FUNCTION @token@.behind_group(first bytea) RETURNS bytea LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    FOR i IN REVERSE 8 .. 0 LOOP
        IF get_byte(first, i) < 255 THEN
            RETURN set_byte(substr(first, 1, i + 1), i, get_byte(first, i) + 1);
        END IF;
    END LOOP;
    RETURN ''::bytea;
END $$;
