package volsh.command.status;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import volsh.catalog.StoreEntry;
import volsh.catalog.VolumeSpec;
import volsh.command.Session;
import volsh.unit.ByteSize;
import volsh.volume.Volumes;

/** Stores: whether they answer a request that changes nothing, and have room for a block of every volume on them. */
final class StoreLook implements Look {
    /** With less, a command that writes a little may find no room. */
    private static final long FULL = 256 << 10;

    @Override
    public List<Question> questions(Session session, Terms terms) throws Exception {
        var volumes = session.service(Volumes.class);
        var questions = new ArrayList<Question>();
        for (var name : volumes.storeNames()) {
            questions.add(new Question("store", name, "volsh store probe " + name, true, sends -> {
                volumes.reach(name, sends);
                var store = volumes.storeNamed(name);
                var full = full(volumes, store);
                return StatusRow.of("store", name, full.isPresent() ? Health.FULL : Health.OK, store.url() + full.orElse(""), full.isEmpty() ? "" : volumes.hasNoInodes(store) ? "df -i " + store.url().path() : "volsh df");
            }));
        }
        return questions;
    }

    /** Why the next write may find no space: a mount that writes whole blocks is refused long before the last byte is taken. */
    private static Optional<String> full(Volumes volumes, StoreEntry store) throws IOException {
        if (volumes.hasNoInodes(store)) {
            return Optional.of(", no inode left on its disk");
        }
        long free = volumes.free(store).orElse(Long.MAX_VALUE);
        if (free < FULL) {
            return Optional.of(", no space left on its disk");
        }
        return volumes.readable().stream().filter(volume -> volume.stores().contains(store.name())).max(Comparator.comparingLong(StoreLook::putBytes))
                .filter(volume -> free < putBytes(volume))
                .map(volume -> ", no space left for a block of volume '%s' (%s; %s are free)".formatted(volume.name(), volume.blockSize(), new ByteSize(free)));
    }

    /** What a block takes at most, with its header and checksums. */
    private static long putBytes(VolumeSpec volume) {
        long block = volume.blockSize().bytes();
        return block + block / 64 + 4 * ByteSize.KIB;
    }
}
