package volsh.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.StoreUrl;
import volsh.care.Garbage;
import volsh.catalog.Access;
import volsh.catalog.Moment;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.upkeep.Watcher;
import volsh.vfs.ManualClock;
import volsh.vfs.Vfs;
import volsh.writeback.Writeback;

/**
 * Snapshots of a volume whose small blocks share objects: random writes and deletions, then gc, extents merged and
 * packs rewritten; each looks as it did.
 */
@Tag("volume")
final class PastCompactionTest {
    private static final int NAMES = 10;
    private static final int ROUNDS = Boolean.getBoolean("volsh.long") ? 60 : 3;

    @TempDir
    private Path directory;
    private final ManualClock clock = new ManualClock();
    private final long seed = Long.getLong("volsh.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final Map<String, Map<String, Integer>> remembered = new TreeMap<>();
    private Machine machine;
    private long merged;
    private long rewritten;
    private long collected;

    private Volume open() throws IOException {
        var lazy = new Writeback(Optional.empty(), Writeback.LIMIT, Duration.ofHours(1), Duration.ZERO);
        return machine.volumes(clock)
                .open(OpeningRequest.of("data", Access.WRITE, "test").dated(clock).lasting(Optional.of(lazy)));
    }

    @Test
    void snapshotsLookAsTheyDidAcrossGcAndCompaction() throws IOException {
        System.out.println("past compaction seed " + seed);
        machine = new Machine(directory.resolve("machine"));
        var bucket = directory.resolve("bucket");
        machine.create("data", StoreUrl.of(bucket.toUri().toString()));
        for (int round = 0; round < ROUNDS || round < 10 * ROUNDS && (collected == 0 || merged == 0 || rewritten == 0);
                round++) {
            change();
            clock.advance(Duration.ofSeconds(3));
            remember("s" + round);
            clock.advance(Duration.ofSeconds(3));
            change();
            if (round > 0) {
                forgetOne();
            }
            clock.advance(Duration.ofSeconds(5));
            collected += machine.volumes(clock).upkeep()
                    .collect("data", Duration.ofHours(24), true, Garbage.Watcher.NONE).versions();
            compact();
            look();
        }
        System.out.printf("past compaction: %d versions collected, %d blocks merged, %d packs rewritten%n", collected,
                merged, rewritten);
        assertThat(collected).isPositive();
        assertThat(merged).isPositive();
        assertThat(rewritten).isPositive();
        assertThat(machine.volumes(clock).upkeep().check("data", true, Optional.empty(), Watcher.NONE).isClean())
                .isTrue();
        // negative control: without its packs the past cannot be read
        try (var files = Files.walk(bucket)) {
            for (var pack : files.filter(path -> path.toString().contains("/packs/") && Files.isRegularFile(path))
                    .toList()) {
                Files.delete(pack);
            }
        }
        assertThat(catchThrowable(this::look)).isNotNull();
    }

    private void change() throws IOException {
        try (var volume = open()) {
            for (int i = 0; i < 2 * NAMES; i++) {
                clock.advance(Duration.ofMillis(random.nextInt(300)));
                var name = Name.of("f" + random.nextInt(NAMES));
                var there = volume.vfs().list(Vfs.ROOT, null, 100).stream().filter(entry -> entry.name().equals(name))
                        .findFirst();
                if (there.isPresent() && random.nextInt(3) == 0) {
                    volume.vfs().unlink(Vfs.ROOT, name);
                    continue;
                }
                try (var file = there.isPresent() ? volume.vfs().open(there.get().ino())
                        : volume.vfs().create(Vfs.ROOT, name, 0644, Owner.ROOT)) {
                    byte[] bytes = new byte[5_000 + random.nextInt(15_000)];
                    random.nextBytes(bytes);
                    file.write(random.nextInt(40_000), ByteBuffer.wrap(bytes));
                    file.flush();
                }
            }
            assertThat(volume.store(Duration.ofMinutes(2))).isTrue();
        }
    }

    private void compact() throws IOException {
        try (var volume = open()) {
            merged += volume.compact(1, bytes -> {}, Watcher.NONE).blocks();
            assertThat(volume.store(Duration.ofMinutes(2))).isTrue();
            rewritten += volume.packCompaction().run(() -> false).sparse();
        }
    }

    private void remember(String name) throws IOException {
        machine.volumes(clock).snapshots().create("data", name, "");
        try (var now = machine.volumes(clock).open("data", Access.READ, "test")) {
            remembered.put(name, tree(now));
        }
    }

    private void forgetOne() throws IOException {
        var name = remembered.keySet().stream().toList().get(random.nextInt(remembered.size()));
        machine.volumes(clock).snapshots().destroy("data", name);
        remembered.remove(name);
    }

    private void look() throws IOException {
        for (var each : remembered.entrySet()) {
            try (var past = machine.volumes(clock)
                    .open(OpeningRequest.past("data", new Moment.Named(each.getKey()), "test"))) {
                assertThat(tree(past)).as("seed %d, %s", seed, each.getKey()).isEqualTo(each.getValue());
            }
        }
    }

    private static Map<String, Integer> tree(Volume volume) throws IOException {
        var found = new TreeMap<String, Integer>();
        for (var entry : volume.vfs().list(Vfs.ROOT, null, 100)) {
            try (var file = volume.vfs().open(entry.ino())) {
                var bytes = ByteBuffer.allocate(Math.toIntExact(volume.vfs().attributes(entry.ino()).size()));
                while (bytes.hasRemaining() && file.read(bytes.position(), bytes) > 0) {
                    // the rest
                }
                found.put(entry.name().toString(), Arrays.hashCode(bytes.array()));
            }
        }
        return found;
    }
}
