package volsh.engine.postgres;

/**
 * What a transaction has read, for the database to check: the versions of single rows, null for missing ones, and
 * digests of scan results.
 */
record Evidence(byte[][] keys, Long[] versions, byte[][] from, byte[][] to, Integer[] limits, byte[][] digests) {}
