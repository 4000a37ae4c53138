package volsh.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.StoreUrl;
import volsh.catalog.Access;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.fuse.MountTable;
import volsh.vfs.Vfs;
import volsh.volume.Durability.State;
import volsh.writeback.Writeback;

/**
 * Journals on a file system in memory, a real one of a few MiB: never called safe, and when it is full nothing is lost.
 */
@Tag("volume")
@Tag("data")
final class VolatileJournalTest {
    private static final Logger LOG = Logger.getLogger("volsh.journal");   // a disk that is full is no news here

    @TempDir
    Path directory;
    private Path memory;
    private Machine machine;

    @BeforeEach
    void mount() throws Exception {
        LOG.setLevel(Level.OFF);
        memory = Files.createDirectory(directory.resolve("memory"));
        assumeTrue(run("mount", "-t", "tmpfs", "-o", "mode=0700,size=1m", "volsh-test", memory.toString()),
                "mounting a small file system needs root");
        machine = new Machine(directory.resolve("home"));
        machine.create("data", StoreUrl.of(directory.resolve("bucket").toUri().toString()));
    }

    @AfterEach
    void unmount() throws Exception {
        LOG.setLevel(null);
        run("umount", "-l", memory.toString());
    }

    private static boolean run(String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor() == 0;
    }

    private Writeback writeback() {
        return new Writeback(Optional.of(memory.resolve("journal")), Writeback.LIMIT, Duration.ofHours(1),
                Duration.ZERO);
    }

    private Volume open(Writeback writeback) throws IOException {
        return machine.volumes().open(OpeningRequest.of("data", Access.WRITE, "test").lasting(Optional.of(writeback)));
    }

    @Test
    void memoryIsToldFromDisks() throws Exception {
        assertThat(MountTable.isInMemory(memory.resolve("not/there"))).isTrue();
        assertThat(line("ramfs", "none", "rw").isInMemory()).isTrue();
        assertThat(line("ext4", "/dev/ram0", "rw").isInMemory()).isTrue();
        assertThat(line("xfs", "/dev/nvme0n1", "rw").isInMemory()).isFalse();
        assertThat(line("overlay", "overlay", "rw,lowerdir=/b,upperdir=%s,workdir=/w".formatted(memory)).isInMemory())
                .as("layers of which the upper one is in memory").isTrue();
        assertThat(line("overlay", "overlay", "rw,lowerdir=/b,upperdir=/not/seen/from/here").isInMemory()).isFalse();
    }

    private static MountTable.Line line(String type, String source, String options) {
        return new MountTable.Line(Path.of("/a"), "0:1", type, source, options, false);
    }

    @Test
    void itIsRefusedUnlessSomebodySaysThatItWillDo() {
        assertThatThrownBy(() -> open(writeback())).isInstanceOfSatisfying(Refusal.class, refusal -> {
            assertThat(refusal.reason()).isEqualTo(Reason.INVALID);
            assertThat(refusal).hasMessageContaining("is in memory (tmpfs)");
            assertThat(refusal.hints()).anyMatch(hint -> hint.contains("--volatile"));
        });
        assertThat(memory.resolve("journal")).as("what was made for it").doesNotExist();
    }

    @Test
    void whatWaitsThereIsBufferedAndNotStaged() throws IOException {
        try (var volume = open(writeback().inMemory());
                var file = volume.vfs().create(Vfs.ROOT, Name.of("file"), 0644, Owner.ROOT)) {
            file.write(0, ByteBuffer.wrap(Machine.bytes(1, 100_000)));
            file.fsync();
            assertThat(volume.durability(file.ino()).state()).isEqualTo(State.BUFFERED);
            try (var other = machine.volumes().open("data", Access.READ, "looks")) {
                assertThat(other.durability(file.ino()).state()).as("as another process sees it")
                        .isEqualTo(State.BUFFERED);
            }
            assertThat(volume.store(Duration.ofMinutes(1))).isTrue();
            assertThat(volume.durability(file.ino()).state()).isEqualTo(State.STORED);
        }
    }

    /** A journal of which this host says that it has it, and it is gone. */
    @Test
    void aJournalThatIsNotWhereItWasIsNotCalledStaged() throws IOException {
        var place = directory.resolve("disk");
        try (var volume = open(writeback().in(place));
                var file = volume.vfs().create(Vfs.ROOT, Name.of("file"), 0644, Owner.ROOT)) {
            file.write(0, ByteBuffer.wrap(Machine.bytes(1, 100_000)));
            file.fsync();
            assertThat(volume.durability(file.ino()).state()).isEqualTo(State.STAGED);
            Path journals;
            try (var all = Files.list(place)) {
                journals = all.findFirst().orElseThrow();
            }
            Files.move(journals, directory.resolve("stolen"));
            assertThat(volume.durability(file.ino()).state()).isEqualTo(State.BUFFERED);
            file.write(0, ByteBuffer.wrap(Machine.bytes(2, 100_000)));
            file.fsync();
            assertThat(volume.durability(file.ino()).state()).as("written when it was gone: acknowledged by the store")
                    .isEqualTo(State.STORED);
            Files.createDirectory(journals);
            assertThat(volume.durability(file.ino()).state()).isEqualTo(State.STORED);
        }
        try (var after = machine.volumes().open("data", Access.READ, "test")) {
            assertThat(Machine.read(after, "file")).isEqualTo(Machine.bytes(2, 100_000));
        }
    }

    /**
     * The journal's disk is full before, while and after something is written: it goes to the store, or waits, and all
     * of it is there in the end.
     */
    @Test
    void aFullDiskLosesNothing() throws IOException {
        try (var volume = open(writeback().inMemory())) {
            Machine.write(volume, "before", Machine.bytes(1, 200_000));
            fill();
            Machine.write(volume, "while", Machine.bytes(2, 400_000));
            volume.vfs().rename(Vfs.ROOT, Name.of("before"), Vfs.ROOT, Name.of("renamed"), volsh.fs.RenameMode.REPLACE);
            Machine.write(volume, "deleted", Machine.bytes(3, 400_000));
            volume.vfs().unlink(Vfs.ROOT, Name.of("deleted"));
            volume.sync();
        }
        try (var again = open(writeback().inMemory())) {   // on the full disk: what waited is read, and stored
            assertThat(Machine.read(again, "renamed")).isEqualTo(Machine.bytes(1, 200_000));
            assertThat(again.store(Duration.ofMinutes(1))).isTrue();
            Files.delete(memory.resolve("filling"));
            Machine.write(again, "after", Machine.bytes(4, 200_000));
        }
        try (var next = machine.volumes().open(OpeningRequest.of("data", Access.WRITE, "test").lasting())) {
            assertThat(next.store(Duration.ofMinutes(1))).isTrue();
        }
        var files = machine.files("data");
        assertThat(files).containsOnlyKeys("renamed", "while", "after")
                .containsEntry("renamed", Arrays.hashCode(Machine.bytes(1, 200_000)))
                .containsEntry("while", Arrays.hashCode(Machine.bytes(2, 400_000)))
                .containsEntry("after", Arrays.hashCode(Machine.bytes(4, 200_000)));
    }

    private void fill() throws IOException {
        Files.write(memory.resolve("filling"), new byte[(int) Files.getFileStore(memory).getUsableSpace()]);
    }
}
