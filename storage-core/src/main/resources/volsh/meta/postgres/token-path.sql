-- Of the rows of a directory and all below it, inode @root@. Who is below it follows from the entries alone: a file with several names is
-- there if one of them is. Of the directories above it, their attributes can be seen, and of their entries the one that leads here.

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

-- The inode, and those of the directories above it.
CREATE FUNCTION @token@.chain() RETURNS bytea[] LANGUAGE plpgsql STABLE AS $$
DECLARE
    found bytea[] := ARRAY['\x@root@'::bytea];
    above bytea;
BEGIN
    FOR depth IN 1 .. 1000 LOOP
        above := (SELECT substr(e.k, 2, 8) FROM @schema@.kv AS e WHERE get_byte(e.k, 0) = 69 AND substr(e.v, 9, 8) = found[depth] LIMIT 1);
        EXIT WHEN above IS NULL;
        found := found || above;
    END LOOP;
    RETURN found;
END $$;

CREATE FUNCTION @token@.visible(key bytea, content bytea) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN CASE chr(get_byte(key, 0))
        WHEN 'N' THEN @token@.within(substr(key, 2, 8)) OR substr(key, 2, 8) = ANY (@token@.chain())
        WHEN 'E' THEN @token@.within(substr(key, 2, 8)) OR substr(content, 9, 8) = ANY (@token@.chain())
        WHEN 'X' THEN @token@.within(substr(key, 2, 8))
        WHEN 'D' THEN @token@.within(substr(key, 2, 8))
        WHEN 'L' THEN @token@.within(substr(key, 2, 8))
        WHEN 'A' THEN @token@.within(substr(key, 2, 8))
        WHEN 'S' THEN @token@.within(substr(key, 2, 8))
        WHEN 'b' THEN @token@.holds_block(substr(key, 2, 8))
        WHEN 'l' THEN @token@.holds_block(substr(key, 2, 8))
        WHEN 'm' THEN @token@.holds_block(substr(key, 10, 8))
        WHEN 's' THEN EXISTS (SELECT FROM @schema@.token_sessions AS o WHERE o.token = '@id@' AND o.session = key)
        WHEN 'v' THEN key = ANY (ARRAY['vvolume', 'vstore', 'vretired', 'vsole-writer']::bytea[])
        WHEN 'c' THEN key = 'csession'::bytea
        WHEN 't' THEN true
        WHEN 'z' THEN true
        ELSE false
    END;
END $$;

-- Whether a file below has bytes in the block.
CREATE FUNCTION @token@.holds_block(block bytea) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN EXISTS (SELECT FROM @schema@.kv AS e WHERE get_byte(e.k, 0) = 88 AND substr(e.v, 17, 8) = block AND @token@.within(substr(e.k, 2, 8)));
END $$;

CREATE VIEW @token@.kv WITH (security_barrier) AS SELECT k, v, x FROM @schema@.kv WHERE (SELECT @token@.valid()) AND @token@.visible(k, v);
