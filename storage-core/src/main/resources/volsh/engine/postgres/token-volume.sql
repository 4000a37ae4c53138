-- Access to all rows.
CREATE FUNCTION @token@.get_rows(keys bytea[]) RETURNS TABLE (k bytea, v bytea, x bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM @token@.valid();
    RETURN QUERY SELECT r.k, r.v, r.x FROM @schema@.kv AS r WHERE r.k = ANY (keys);
END $$;

CREATE FUNCTION @token@.scan_rows(first bytea, behind bytea, most integer) RETURNS TABLE (k bytea, v bytea, x bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM @token@.valid();
    RETURN QUERY SELECT r.k, r.v, r.x FROM @schema@.kv AS r WHERE r.k >= first AND r.k < behind ORDER BY r.k LIMIT most;
END $$;
