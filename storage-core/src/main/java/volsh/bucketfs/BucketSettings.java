package volsh.bucketfs;

import java.time.Duration;
import volsh.fs.Owner;
import volsh.unit.ByteSize;

/**
 * How a bucket is mounted.
 *
 * @param ttl how long what is known of a name may be used without asking the bucket
 * @param immutable whether objects never change once they are known
 * @param readOnly whether nothing may be changed through it
 * @param keepAttributes whether modes, owners and times are kept as metadata of objects
 * @param owner of everything that has no owner of its own
 * @param part the size of the first parts of an upload
 * @param buffer how much of a file that is being written stays in memory, and may be written in any order
 * @param readahead how far a sequential reader is read ahead of
 * @param renameMax how many objects the rename of a directory may copy
 */
public record BucketSettings(Duration ttl, boolean immutable, boolean readOnly, boolean keepAttributes, Owner owner,
        ByteSize part, ByteSize buffer, ByteSize readahead, int renameMax) {
    public static final Duration TTL = Duration.ofMinutes(1);
    public static final ByteSize PART = ByteSize.of("8MiB");
    public static final ByteSize BUFFER = ByteSize.of("32MiB");
    public static final ByteSize READAHEAD = ByteSize.of("32MiB");
    public static final int RENAME_MAX = 10_000;

    public static BucketSettings of(Owner owner) {
        return new BucketSettings(TTL, false, false, false, owner, PART, BUFFER, READAHEAD, RENAME_MAX);
    }

    public BucketSettings withTtl(Duration other) {
        return new BucketSettings(other, immutable, readOnly, keepAttributes, owner, part, buffer, readahead,
                renameMax);
    }
}
