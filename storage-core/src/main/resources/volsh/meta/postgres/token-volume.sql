-- Of all rows.
CREATE VIEW @token@.kv WITH (security_barrier) AS SELECT k, v, x FROM @schema@.kv WHERE (SELECT @token@.valid());
