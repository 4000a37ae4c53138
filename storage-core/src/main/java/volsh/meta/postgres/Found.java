package volsh.meta.postgres;

import volsh.meta.MetaKey;

/** A row as it was read; {@code version} is another one once it is written. */
record Found(MetaKey key, byte[] value, long version) {}
