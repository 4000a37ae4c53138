package volsh.volume;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.StoreUrl;
import volsh.catalog.Access;
import volsh.fs.Extent;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.hang.Eventually;
import volsh.vfs.OpenFile;
import volsh.vfs.Vfs;
import volsh.volume.Durability.State;
import volsh.writeback.Writeback;

/**
 * Volumes as they are opened keep files in few extents, with threads of their own that end with them, and take no
 * safety away.
 */
@Timeout(value = 400, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)   // what never happens
@Tag("volume")
final class MergingTest {
    private static final int PAGE = 4096;
    private static final int BLOCKS = 4;
    private static final int BLOCK = 64 << 10;
    /** More than four that touch one another are merged; looked at after two writes, each of which may make two. */
    private static final int BOUND = BLOCKS * 9;

    @TempDir
    Path directory;
    private Machine machine;

    @BeforeEach
    void prepare() throws IOException {
        machine = new Machine(directory.resolve("first"));
        machine.create("data", StoreUrl.of(directory.resolve("bucket").toUri().toString()));
    }

    /** Nothing is stored from the journal before it is asked for. */
    private Volume openLazily() throws IOException {
        var writeback = new Writeback(Optional.empty(), Writeback.LIMIT, Duration.ofHours(1), Duration.ZERO);
        return machine.volumes().open(OpeningRequest.of("data", Access.WRITE, "test").lasting(Optional.of(writeback)));
    }

    private static List<Extent> extents(Volume volume, long ino) throws IOException {
        return volume.vfs().content(ino, 0, Long.MAX_VALUE - 1).extents();
    }

    private boolean isInTheStore(long block) throws IOException {
        try (var objects = Files.walk(directory.resolve("bucket"))) {
            return objects.anyMatch(path -> path.getFileName().toString().equals("%016x".formatted(block)));
        }
    }

    private static byte[] overwrite(OpenFile file, int count) throws IOException {
        byte[] right = Machine.bytes(1, BLOCKS * BLOCK);
        file.write(0, ByteBuffer.wrap(right));
        file.flush();
        var random = new Random(2);
        for (int i = 0; i < count; i++) {
            int at = random.nextInt(right.length / PAGE) * PAGE;
            byte[] page = Machine.bytes(i, PAGE);
            System.arraycopy(page, 0, right, at, PAGE);
            file.write(at, ByteBuffer.wrap(page));
            file.flush();
        }
        return right;
    }

    private static void awaitFewExtents(Volume volume, long ino) {
        Eventually.holds("there are few extents",
                () -> extents(volume, ino).size() <= BOUND && volume.vfs().merging().rewrites().merges() > 0);
    }

    private static boolean isMergingThreadAlive() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().equals("merging") && thread.isAlive());
    }

    @Test
    void overwritesAreMergedAndTheThreadEndsWithTheVolume() throws Exception {
        byte[] right;
        try (var volume = machine.volumes().open("data", Access.WRITE, "test");
                var file = volume.vfs().create(Vfs.ROOT, Name.of("file"), 0644, Owner.ROOT)) {
            right = overwrite(file, 300);
            awaitFewExtents(volume, file.ino());
            assertThat(isMergingThreadAlive()).isTrue();
        }
        Eventually.holds("the thread that merges has ended", () -> !isMergingThreadAlive());
        assertThat(machine.files("data")).containsEntry("file", Arrays.hashCode(right));
    }

    @Test
    void whatIsMergedIsInTheStoreAlsoWhenWritingBack() throws Exception {
        byte[] right;
        try (var volume = openLazily(); var file = volume.vfs().create(Vfs.ROOT, Name.of("file"), 0644, Owner.ROOT)) {
            right = overwrite(file, 100);
            awaitFewExtents(volume, file.ino());
            assertThat(volume.staged().blocks()).isPositive();
            var large = extents(volume, file.ino()).stream()
                    .filter(extent -> extent.length() > PAGE && extent.offset() == 0).toList();
            assertThat(large).isNotEmpty();
            boolean any = false;
            for (var extent : large) {
                any |= isInTheStore(extent.block());
            }
            assertThat(any).as("nothing else stores anything here").isTrue();
        }
        assertThat(machine.files("data")).containsEntry("file", Arrays.hashCode(right));
    }

    /** The end of a file that is in the store is not moved to a journal by who appends. */
    @Test
    void whatIsStoredStaysSoWhenAppendedTo() throws IOException {
        byte[] first = Machine.bytes(1, 10_000);
        try (var volume = openLazily(); var file = volume.vfs().create(Vfs.ROOT, Name.of("file"), 0644, Owner.ROOT)) {
            file.write(0, ByteBuffer.wrap(first));
            file.fsync();
            assertThat(volume.store(Duration.ofMinutes(2))).isTrue();
            assertThat(volume.durability(file.ino()).state()).isEqualTo(State.STORED);
            long block = extents(volume, file.ino()).getFirst().block();
            file.write(first.length, ByteBuffer.wrap(Machine.bytes(2, 100)));
            file.fsync();
            assertThat(volume.durability(file.ino()).state()).isEqualTo(State.STAGED);
            assertThat(extents(volume, file.ino()).getFirst()).isEqualTo(new Extent(0, first.length, block, 0));
            assertThat(isInTheStore(block)).isTrue();
        }
    }

    @Test
    void withoutWritebackItIsStoredAgain() throws IOException {
        try (var volume = machine.volumes().open("data", Access.WRITE, "test");
                var file = volume.vfs().create(Vfs.ROOT, Name.of("file"), 0644, Owner.ROOT)) {
            file.write(0, ByteBuffer.wrap(Machine.bytes(1, 10_000)));
            file.flush();
            file.write(10_000, ByteBuffer.wrap(Machine.bytes(2, 100)));
            file.flush();
            assertThat(extents(volume, file.ino())).hasSize(1);
        }
    }
}
