package volsh.assembly;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import volsh.cache.disk.Quota;
import volsh.chunk.ChunkSettings;
import volsh.unit.ByteSize;

/**
 * What an open volume caches of what it reads and writes: decoded in memory, and as stored in directories of local
 * disks. A quota in bytes is shared by the directories; one in percent is of each directory's file system.
 * {@code readahead} is how far a sequential reader is read ahead of, at most.
 */
public record CacheSettings(ByteSize memory, List<Path> directories, Quota quota, ByteSize readahead) {
    /** Unless told otherwise; never more than the memory allows. */
    public static final ByteSize READAHEAD = new ByteSize(ChunkSettings.READAHEAD);
    /** Of disks, unless told otherwise. */
    public static final Quota QUOTA = Quota.of("80%");
    public static final CacheSettings NONE = ofMemory(new ByteSize(0));

    public CacheSettings {
        directories = List.copyOf(directories);
        if (new HashSet<>(directories).size() < directories.size()) {
            throw new IllegalArgumentException("a cache directory is named twice: " + directories);
        }
        for (var directory : directories) {
            if (!directory.isAbsolute()) {
                throw new IllegalArgumentException("a cache directory is an absolute path: " + directory);
            }
        }
    }

    public CacheSettings(ByteSize memory, List<Path> directories, Quota quota) {
        this(memory, directories, quota, READAHEAD);
    }

    public static CacheSettings ofMemory(ByteSize memory) {
        return new CacheSettings(memory, List.of(), QUOTA);
    }

    /** Bytes for one of the directories, on a file system of this size. */
    public long quotaBytes(long fileSystemBytes) {
        return switch (quota) {
            case Quota.Bytes bytes -> Math.max(1, bytes.of(fileSystemBytes) / directories.size());
            case Quota.Share share -> Math.max(1, share.of(fileSystemBytes));
        };
    }
}
