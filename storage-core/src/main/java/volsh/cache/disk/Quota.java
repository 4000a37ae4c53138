package volsh.cache.disk;

import volsh.unit.ByteSize;
import volsh.unit.Percent;

/** How much of a disk a cache may take. */
public sealed interface Quota {
    /** A number of bytes. */
    record Bytes(ByteSize size) implements Quota {
        @Override
        public long of(long fileSystemBytes) {
            return size.bytes();
        }

        @Override
        public String toString() {
            return size.exact();
        }
    }

    /** A part of the file system. */
    record Share(Percent part) implements Quota {
        @Override
        public long of(long fileSystemBytes) {
            return part.share(fileSystemBytes);
        }

        @Override
        public String toString() {
            return part.toString();
        }
    }

    /** The quota in bytes, on a file system of this size. */
    long of(long fileSystemBytes);

    /** Reads {@code 200GiB} or {@code 80%}. @throws IllegalArgumentException naming the text and something to try */
    static Quota of(String text) {
        var quota = text.strip().endsWith("%") ? new Share(Percent.of(text)) : new Bytes(ByteSize.of(text));
        if (quota.of(Long.MAX_VALUE) == 0) {
            throw new IllegalArgumentException("cache size must not be 0: '%s' (try 80%% or 200GiB)".formatted(text));
        }
        return quota;
    }
}
