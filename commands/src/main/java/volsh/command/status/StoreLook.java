package volsh.command.status;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import volsh.catalog.StoreEntry;
import volsh.catalog.VolumeSpec;
import volsh.command.Session;
import volsh.fs.ShellWord;
import volsh.mount.Mounts;
import volsh.unit.ByteSize;
import volsh.volume.VolumeStatus;
import volsh.volume.Volumes;

/** Stores: whether they answer a read-only request, and have space for a block of each of their volumes. */
final class StoreLook implements Look {
    /** With less free space, even a small write may fail. */
    private static final long FULL = 256 << 10;

    @Override
    public List<Question> questions(Session session, Terms terms) throws Exception {
        var volumes = session.service(Volumes.class);
        var questions = new ArrayList<Question>();
        for (var name : volumes.stores().names()) {
            questions.add(new Question("store", name, "volsh store probe " + name, true, sends -> {
                volumes.stores().reach(name, sends);
                var store = volumes.stores().find(name);
                var full = full(volumes, store);
                var returning = full.isEmpty() ? Optional.<String>empty() : returning(volumes, store, terms);
                return StatusRow.of("store", name, full.isPresent() ? Health.FULL : Health.OK,
                        store.url() + full.orElse("") + returning.orElse(""),
                        full.isEmpty() || returning.isPresent() ? "" : room(volumes, store));
            }));
        }
        return questions;
    }

    /** Why the next write may fail: a mount writes whole blocks, so it fails long before the last byte is taken. */
    private static Optional<String> full(Volumes volumes, StoreEntry store) throws IOException {
        if (volumes.stores().hasNoInodes(store)) {
            return Optional.of(", its disk has no free inode");
        }
        long free = volumes.stores().free(store).orElse(Long.MAX_VALUE);
        if (free < FULL) {
            return Optional.of(", its disk has no space left");
        }
        return volumes.readable().stream().filter(volume -> volume.stores().contains(store.name()))
                .max(Comparator.comparingLong(StoreLook::putBytes))
                .filter(volume -> free < putBytes(volume))
                .map(volume -> ", its disk has no space left for a block of volume '%s' (%s needed, %s free)"
                        .formatted(volume.name(), volume.blockSize(), new ByteSize(free)));
    }

    /** What volumes in use give back by themselves; then there is nothing to do but wait. */
    private static Optional<String> returning(Volumes volumes, StoreEntry store, Terms terms) throws IOException {
        var mounted = terms.mounts().stream().filter(mount -> mount.state() == Mounts.State.OK)
                .map(mount -> mount.record().source().volume()).toList();
        for (var volume : there(volumes, store)) {
            if (volume.reclaimable().blocks() > 0 && mounted.contains(volume.spec().name())) {
                return Optional.of("; the mount of volume '%s' gives back %s of deleted data within 20s".formatted(
                        volume.spec().name(), new ByteSize(volume.reclaimable().bytes())));
            }
        }
        return Optional.empty();
    }

    /** The command that helps to free space: reclaim deleted blocks, or find the large files. */
    private static String room(Volumes volumes, StoreEntry store) throws IOException {
        if (volumes.stores().hasNoInodes(store)) {
            return "df -i " + ShellWord.of(store.url().path());
        }
        var there = there(volumes, store);
        return there.stream().filter(volume -> volume.reclaimable().blocks() > 0)
                .max(Comparator.comparingLong(volume -> volume.reclaimable().bytes()))
                .map(volume -> "volsh volume gc %s --delete".formatted(volume.spec().name()))
                .or(() -> there.stream().max(Comparator.comparingLong(VolumeStatus::storedBytes))
                        .map(volume -> "volsh du %s:/".formatted(volume.spec().name())))
                .orElse("df -h " + ShellWord.of(store.url().path()));
    }

    /** The volumes whose metadata can be read. */
    private static List<VolumeStatus> there(Volumes volumes, StoreEntry store) throws IOException {
        var there = new ArrayList<VolumeStatus>();
        for (var volume : volumes.readable()) {
            if (volume.stores().contains(store.name())) {
                try {
                    there.add(volumes.status(volume.name()));
                } catch (IOException away) {
                    // its own row shows why
                }
            }
        }
        return there;
    }

    /** The maximum size of a stored block, with its header and checksums. */
    private static long putBytes(VolumeSpec volume) {
        long block = volume.blockSize().bytes();
        return block + block / 64 + 4 * ByteSize.KIB;
    }
}
