package volsh.command.doctor;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import volsh.catalog.Access;
import volsh.catalog.VolumeSpec;
import volsh.command.Session;
import volsh.doctor.Subject;
import volsh.fs.Attributes;
import volsh.mount.MountRecord;
import volsh.mount.Mounts;
import volsh.place.Layout;
import volsh.transfer.TreeWalk;
import volsh.volume.BlockCare;
import volsh.volume.Volume;
import volsh.volume.Volumes;

/** Counts the stores that hold the files of a mount. */
final class FileSpread {
    private static final int LOOKED_AT_MAX = 8;

    private FileSpread() {}

    /** From the layout of new files, without opening any. */
    static Subject byLayout(Session session, MountRecord record) throws Exception {
        var place = record.source().place();
        return place.isEmpty() ? ofBucket(record)
                : byLayout(session.service(Volumes.class).find(place.get().volume()), record);
    }

    private static Subject ofBucket(MountRecord record) {
        return new Subject(record.mountPoint().toString(), record.source().toString(), 1, 1);
    }

    private static Subject byLayout(VolumeSpec spec, MountRecord record) {
        int stores = stores(spec);
        int width = spec.spread().policy().map(policy -> switch (policy.at(Long.MAX_VALUE - 1).layout()) {
            case Layout.Striped(int count) -> count == Layout.Striped.ALL ? stores : count;
            case Layout.Mirrored(int copies, int _) -> copies;
            case Layout.ErasureCoded(int data, int _) -> data;
        }).orElse(1);
        return new Subject(record.mountPoint().toString(), spec.name(), stores, Math.clamp(width, 1, stores));
    }

    private static int stores(VolumeSpec spec) {
        return Math.max(1, spec.stores().size() - spec.spread().leaving().size());
    }

    /** From the actual blocks of some files below a path of the mount; files of one block count together. */
    static Subject byBlocks(Session session, MountRecord record, Path path) throws Exception {
        if (record.source().place().isEmpty()) {
            return ofBucket(record);
        }
        var volumes = session.service(Volumes.class);
        var spec = volumes.find(record.source().volumePath().volume());
        if (stores(spec) == 1) {
            return byLayout(spec, record);
        }
        var place = session.service(Mounts.class).volumePath(path).orElse(record.source().volumePath());
        try (var volume = volumes.open(spec.name(), Access.READ, "doctor");
                var care = new BlockCare(volume, BlockCare.Watcher.NONE)) {
            var found = new Found(volume, care);
            var top = volume.paths().resolve(place.path());
            if (top.isDirectory()) {
                new TreeWalk(volume.vfs()).below(top.ino(), each -> {
                    found.add(each.attributes());
                    return !found.isEnough();
                });
            } else {
                found.add(top);
            }
            return found.width() == 0 ? byLayout(spec, record)
                    : new Subject(record.mountPoint().toString(), spec.name(), stores(spec),
                            Math.min(found.width(), stores(spec)));
        }
    }

    /** Files that were looked at so far. */
    private static final class Found {
        private final Volume volume;
        private final BlockCare care;
        private final HashSet<Integer> small = new HashSet<>();
        private int files;
        private int large;
        private int stores;

        Found(Volume volume, BlockCare care) {
            this.volume = volume;
            this.care = care;
        }

        void add(Attributes file) throws IOException {
            if (!file.isRegular() || isEnough()) {
                return;
            }
            files++;
            var on = new HashSet<Integer>();
            var blocks = care.blocks(file.ino());
            for (var used : blocks) {
                var arrangement = volume.spot().orElseThrow().store().repair().arrangementOf(used.row().layout());
                arrangement.parts(used.row().id()).forEach(part -> on.add(part.store()));
            }
            if (blocks.size() > 1) {
                large++;
                stores += on.size();
            } else {
                small.addAll(on);
            }
        }

        boolean isEnough() {
            return files >= LOOKED_AT_MAX;
        }

        int width() {
            return large > 0 ? Math.round((float) stores / large) : small.size();
        }
    }
}
