CREATE FUNCTION @token@.rights() RETURNS text LANGUAGE sql AS $$ SELECT 'write' $$;

CREATE FUNCTION @token@.apply(
    of_client uuid, of_lane integer, number bigint, locks bigint[],
    read_keys bytea[], read_versions bigint[],
    scans_from bytea[], scans_to bytea[], scan_limits integer[], scan_digests bytea[],
    held bytea[], deleted bytea[], put_keys bytea[], put_values bytea[], add_keys bytea[], add_deltas bytea[])
RETURNS bytea LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM @token@.valid();
    RETURN @schema@.apply(of_client, of_lane, number, locks, read_keys, read_versions, scans_from, scans_to, scan_limits, scan_digests,
        held, deleted, put_keys, put_values, add_keys, add_deltas);
END $$;
