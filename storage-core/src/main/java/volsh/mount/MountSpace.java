package volsh.mount;

import java.io.IOException;
import java.util.Optional;
import volsh.fuse.Space;
import volsh.meta.Quotas;
import volsh.quota.QuotaRule;
import volsh.volume.Volume;
import volsh.volume.Volumes;

/**
 * What {@code df} shows for a mount. The total is the usage plus what the disks of its stores can still hold, or the
 * quota of the volume if that is less; in a directory with a quota, that quota. Nothing is free if the disk of the
 * metadata is full. Quotas of users and groups are not shown: all users see the same.
 */
record MountSpace(Volumes volumes, Volume volume) implements Space.Source {
    /** Free space of a store that does not report it. */
    private static final long BOUNDLESS = 1L << 50;

    @Override
    public Space space() throws IOException {
        var usage = volume.usage();
        long free = storeBytes();
        if (!usage.isKnown()) {
            return new Space(free, free, 0, 0);   // df -i shows "-" for 0 of 0; there is no such sign for unknown bytes
        }
        return limited(new Space(usage.bytes() + free, free, usage.inodes()), volume.quotas().ofVolume());
    }

    @Override
    public long storeBytes() throws IOException {
        return volumes.capacity().isMetadataFull(volume) ? 0 : volumes.capacity().free(volume.spec()).orElse(BOUNDLESS);
    }

    @Override
    public Space space(long ino) throws IOException {
        var all = space();
        var quota = volume.quotas().around(ino);
        return quota.isEmpty() ? all
                : limited(new Space(quota.get().used().bytes() + all.freeBytes(), all.freeBytes(),
                        quota.get().used().inodes(), all.filesFree()), quota);
    }

    private static Space limited(Space space, Optional<Quotas.Status> quota) {
        if (quota.isEmpty()) {
            return space;
        }
        long used = space.totalBytes() - space.freeBytes();
        long free = Math.min(space.freeBytes(), room(quota.get().rule().bytes(), used));
        return new Space(used + free, free, space.files(),
                Math.min(space.filesFree(), room(quota.get().rule().inodes(), space.files())));
    }

    private static long room(long limit, long used) {
        return limit == QuotaRule.NONE ? Long.MAX_VALUE : Math.max(0, limit - used);
    }
}
