package volsh.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import volsh.fs.NoSpaceException;

/** The simulated disk loses what it may lose, each thing some of the time, and never what was synced. */
final class SimulatedDiskTest implements DiskContract {
    private final Path root = Path.of("/simulated");
    private final Path file = root.resolve("file");
    private SimulatedDisk disk = new SimulatedDisk();

    @BeforeEach
    void makeRoot() throws Exception {
        disk.makeDirectories(root);
    }

    @Override
    public Disk disk() {
        return disk;
    }

    @Override
    public Path root() {
        return root;
    }

    private void start() throws IOException {
        disk = new SimulatedDisk();
        disk.makeDirectories(root);
    }

    @Test
    void whatWasSyncedSurvivesEveryCrash() throws Exception {
        for (int seed = 0; seed < 300; seed++) {
            start();
            try (Disk.File open = disk.create(file)) {
                open.write(block('a', 4096), 0);
                open.sync();
                disk.syncDirectory(root);
                open.write(block('b', 4096), 4096);
            }
            disk.crash(new Random(seed));
            assertThat(content(file)).as("seed %d", seed).startsWith("a".repeat(4096));
        }
    }

    @Test
    void unsyncedBytesMaySurviveVanishOrTear() throws Exception {
        var outcomes = new HashSet<String>();
        for (int seed = 0; seed < 200; seed++) {
            start();
            try (Disk.File open = disk.create(file)) {
                disk.syncDirectory(root);
                open.write(block('a', 2048), 0);
            }
            disk.crash(new Random(seed));
            String left = content(file);
            outcomes.add(left.isEmpty() ? "gone" : left.equals("a".repeat(2048)) ? "whole" : "torn");
        }
        assertThat(outcomes).containsExactlyInAnyOrder("gone", "whole", "torn");
    }

    @Test
    void unsyncedNamesMaySurviveOrVanish() throws Exception {
        var outcomes = new HashSet<List<String>>();
        for (int seed = 0; seed < 200; seed++) {
            start();
            try (Disk.File open = disk.create(root.resolve("old"))) {
                open.sync();
            }
            disk.syncDirectory(root);
            disk.rename(root.resolve("old"), root.resolve("new"));
            disk.create(root.resolve("other")).close();
            disk.crash(new Random(seed));
            outcomes.add(disk.list(root).stream().map(Disk.Listed::name).toList());
        }
        assertThat(outcomes).containsExactlyInAnyOrder(
                List.of("old"), List.of("new"), List.of("old", "other"), List.of("new", "other"));
    }

    @Test
    void aSyncOfOneDirectorySavesNoOther() throws Exception {
        boolean lost = false;
        for (int seed = 0; seed < 50; seed++) {
            start();
            disk.makeDirectories(root.resolve("other"));
            disk.create(root.resolve("other/name")).close();
            disk.syncDirectory(root);
            disk.crash(new Random(seed));
            lost |= disk.list(root.resolve("other")).isEmpty();
        }
        assertThat(lost).isTrue();
    }

    @Test
    void bytesOfAFailedSyncStayLost() throws Exception {
        try (Disk.File open = disk.create(file)) {
            disk.syncDirectory(root);
            open.write(block('a', 512), 0);
            disk.failCall(1);
            assertThatThrownBy(open::sync).hasMessageContaining("simulated failure of sync");
            open.sync();
            assertThat(content(file)).hasSize(512);
        }
        disk.crash(new Random(1));
        assertThat(content(file)).isEmpty();
    }

    @Test
    void powerLossEndsEverythingUntilTheCrash() throws Exception {
        disk.losePowerAtCall(2);
        Disk.File open = disk.create(file);
        assertThatThrownBy(() -> open.write(block('a', 1), 0)).hasMessageContaining("power loss during write");
        assertThatThrownBy(open::sync).hasMessageContaining("power loss before sync");
        assertThatThrownBy(() -> disk.list(root)).hasMessageContaining("power loss");
        disk.crash(new Random(1));
        assertThatThrownBy(() -> open.read(ByteBuffer.allocate(1), 0)).hasMessageContaining("not open");
        disk.list(root);
    }

    @Test
    void aFullDiskRefusesWritesUntilThereIsRoom() throws Exception {
        disk.capacity(1000);
        try (Disk.File open = disk.create(file)) {
            open.write(block('a', 900), 0);
            assertThatThrownBy(() -> open.write(block('b', 101), 900)).isInstanceOf(NoSpaceException.class);
            open.write(block('b', 100), 900);
        }
        disk.delete(file);
        try (Disk.File open = disk.create(file)) {
            open.write(block('a', 1000), 0);
        }
    }

    @Test
    void theSameSeedGivesTheSameCrash() throws Exception {
        var outcomes = new HashSet<String>();
        for (int round = 0; round < 20; round++) {
            start();
            for (int i = 0; i < 10; i++) {
                try (Disk.File open = disk.create(root.resolve("f" + i))) {
                    open.write(block((char) ('a' + i), 3000), 0);
                }
            }
            disk.crash(new Random(42));
            var outcome = new StringBuilder();
            for (Disk.Listed each : disk.list(root)) {
                outcome.append(each).append(content(root.resolve(each.name())));
            }
            outcomes.add(outcome.toString());
        }
        assertThat(outcomes).hasSize(1);
    }

    @Test
    void ignoredSyncsLoseData() throws Exception {
        disk.ignoreSyncs();
        int lost = 0;
        for (int seed = 0; seed < 50; seed++) {
            Path each = root.resolve("f" + seed);
            try (Disk.File open = disk.create(each)) {
                open.write(block('a', 512), 0);
                open.sync();
                disk.syncDirectory(root);
            }
            disk.crash(new Random(seed));
            String name = each.getFileName().toString();
            lost += disk.list(root).stream().anyMatch(found -> found.name().equals(name) && found.size() == 512)
                    ? 0 : 1;
        }
        assertThat(lost).isPositive();
    }

    private String content(Path path) throws Exception {
        try (Disk.File open = disk.open(path)) {
            return DiskContract.read(open, 0, 1 << 16);
        }
    }

    private static ByteBuffer block(char letter, int length) {
        return DiskContract.bytes(String.valueOf(letter).repeat(length));
    }
}
