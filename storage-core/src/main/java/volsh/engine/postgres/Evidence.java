package volsh.engine.postgres;

import org.jspecify.annotations.Nullable;

/**
 * What a transaction has read, for the database to check: the versions of single rows, null for missing ones, and
 * digests of scan results.
 */
record Evidence(byte[][] keys, @Nullable Long[] versions, byte[][] from, byte[][] to, Integer[] limits,
        byte[][] digests) {}
