package volsh.engine.postgres;

/**
 * What a transaction has read, as the database is asked about it: the versions of single rows, null for those that were
 * not there, and digests of what scans found.
 */
record Evidence(byte[][] keys, Long[] versions, byte[][] from, byte[][] to, Integer[] limits, byte[][] digests) {}
