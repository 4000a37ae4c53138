package volsh.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.TreeSet;
import volsh.care.Garbage;
import volsh.catalog.Access;
import volsh.fs.Owner;
import volsh.transfer.Observer;
import volsh.transfer.TreeWalk;
import volsh.upkeep.Watcher;
import volsh.vfs.Vfs;
import volsh.volume.Volume;

/** After a collection the store has the blocks of the files that are there, all of them, and nothing else. */
final class Orphans {
    private Orphans() {}

    /** Nobody else uses the volume meanwhile. */
    static void assertNone(Path directory) throws IOException {
        var volumes = CheckpointsTest.volumes(directory);
        try (var volume = volumes.open("ckpts", Access.WRITE, "test")) {
            new Workplace(volume.vfs(), new Tree(volume.vfs(), Owner.ROOT))
                    .clean(Instant.now().plus(Duration.ofDays(1)), Observer.NONE);
        }
        volumes.upkeep().collect("ckpts", Duration.ZERO, true, Garbage.Watcher.NONE);
        var report = volumes.upkeep().check("ckpts", true, Optional.empty(), Watcher.NONE);
        assertThat(report.problems()).as("check").isEmpty();
        try (var volume = volumes.open("ckpts", Access.READ, "test")) {
            var used = used(volume);
            assertThat(used).isNotEmpty();
            assertThat(stored(directory)).as("objects in the store").isEqualTo(used);
        }
    }

    private static TreeSet<Long> used(Volume volume) throws IOException {
        var used = new TreeSet<Long>();
        new TreeWalk(volume.vfs()).below(Vfs.ROOT, found -> {
            if (found.attributes().isRegular()) {
                volume.vfs().content(found.attributes().ino(), 0, Long.MAX_VALUE).extents()
                        .forEach(extent -> used.add(extent.block()));
            }
            return true;
        });
        return used;
    }

    /** The ids of all blocks whose objects are there. */
    static TreeSet<Long> stored(Path directory) throws IOException {
        var stored = new TreeSet<Long>();
        try (var files = Files.walk(directory.resolve("home"))) {
            files.map(file -> file.getFileName().toString()).filter(name -> name.matches("[0-9a-f]{16}"))
                    .forEach(name -> stored.add(Long.parseUnsignedLong(name, 16)));
        }
        return stored;
    }
}
