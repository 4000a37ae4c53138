package volsh.fuse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.engine.MetaEngine;
import volsh.engine.sqlite.SqliteMetaEngine;
import volsh.vfs.TestVolume;

/**
 * Whoever changes a program without the right to keep its set-id bits and capabilities takes them away, and the kernel
 * knows at once: nobody runs what somebody else wrote as root. The program {@code set-id.py} says the same on ext4.
 */
@Tag("mount")
final class SetIdTest {
    private static final ChunkSettings SETTINGS = new ChunkSettings(64 << 10, 4096, 4 << 20);

    @TempDir
    private Path temporary;

    private final ExecutorService executor = Executors.newFixedThreadPool(2, Thread.ofPlatform().daemon().factory());
    private final MemoryBlockStore store = new MemoryBlockStore();
    private MetaEngine engine;
    private TestVolume volume;

    /** How long the kernel remembers attributes, and through what it asks. */
    private enum Kind {
        USUAL, WRITEBACK_CACHE, DIRECT_IO, LIBFUSE, LIBFUSE_DIRECT
    }

    @BeforeEach
    void open() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root, to be somebody else");
        Programs.run(temporary, "chmod", "755", temporary.toString());
        engine = SqliteMetaEngine.create(temporary.resolve("meta.db"));
        volume = TestVolume.open(engine, store, SETTINGS, executor, InstantSource.system());
    }

    @AfterEach
    void close() throws IOException {
        if (volume != null) {
            assertThat(volume.audit()).isEmpty();
            volume.close();
            engine.close();
        }
        executor.shutdown();
    }

    private TestMount mount(Kind kind) throws IOException {
        var clock = InstantSource.system();
        var hour = Duration.ofHours(1);
        return switch (kind) {
            case USUAL -> TestMount.of(volume.vfs(), temporary, clock,
                    usual -> usual.withTimeout(hour).with(MountFlag.SET_ID));
            case WRITEBACK_CACHE -> TestMount.of(volume.vfs(), temporary, clock,
                    usual -> usual.withTimeout(hour).with(MountFlag.SET_ID, MountFlag.WRITEBACK_CACHE));
            case DIRECT_IO -> TestMount.of(volume.vfs(), temporary, clock,
                    usual -> usual.withTimeout(hour).with(MountFlag.SET_ID, MountFlag.DIRECT_IO));
            case LIBFUSE -> TestMount.jnr(volume.vfs(), temporary, clock,
                    usual -> usual.withTimeout(hour).with(MountFlag.SET_ID));
            case LIBFUSE_DIRECT -> TestMount.jnr(volume.vfs(), temporary, clock,
                    usual -> usual.withTimeout(hour).with(MountFlag.SET_ID, MountFlag.DIRECT_IO));
        };
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void whoChangesAProgramTakesItsPrivilegesAway(Kind kind) throws Exception {
        try (var mount = mount(kind)) {
            Programs.run(mount.directory(), "chmod", "755", ".");
            boolean whole = kind == Kind.USUAL || Boolean.getBoolean("volsh.long");
            var said = Programs.run(mount.directory(), "python3", Programs.resource("/volsh/fuse/set-id.py", temporary)
                    .toString(), whole ? "" : "brief").lines().toList();
            assertThat(said.stream().map(line -> shown(kind, line))).hasSize(14 + (whole ? 5 : 2) * 4)
                    .containsExactlyElementsOf(said.stream().map(SetIdTest::expected).toList());
        }
    }

    /** The bytes of a program are always the newest, so its mode has to be, too. */
    @Test
    void anotherMountKnowsAtOnce() throws Exception {
        try (var elsewhere = TestVolume.open(engine, store, SETTINGS, executor, InstantSource.system());
                var here = mount(Kind.USUAL);
                var there = TestMount.of(elsewhere.vfs(), temporary, InstantSource.system(),
                        usual -> usual.withTimeout(Duration.ofHours(1)).with(MountFlag.SET_ID))) {
            var other = there.directory().toString();
            assertThat(Programs.shell(here.directory(), """
                    chmod 755 .; cp /usr/bin/id tool; chown root:4321 tool; chmod 4775 tool
                    setpriv --reuid=4321 --regid=4321 --clear-groups %s/tool -u
                    setpriv --reuid=4321 --regid=4321 --clear-groups dd if=/usr/bin/id of=tool bs=1M conv=notrunc status=none
                    setpriv --reuid=4321 --regid=4321 --clear-groups %s/tool -u
                    """.formatted(other, other)).lines()).containsExactly("0", "4321");
        }
    }

    /**
     * Through libfuse the kernel leaves set-group-id where the group may not execute, and maps no memory of files that
     * it does not cache.
     */
    private static String shown(Kind kind, String line) {
        var text = line.stripTrailing();
        return switch (kind) {
            case LIBFUSE -> text.replace("mode 2767", "mode 767");
            case LIBFUSE_DIRECT -> text.replace("mode 2767", "mode 767").replace("ENODEV", "done");
            default -> text;
        };
    }

    private static String expected(String line) {
        boolean kept = line.startsWith("nothing by") || line.startsWith("mmap by");
        var done = line.substring(0, line.indexOf(':')) + ": done mode ";
        boolean empty = line.startsWith("empty by");
        if (line.contains(" with capabilities:")) {
            return done + (kept ? "775 runs as  capability" : "775 runs as");
        }
        boolean stranger = line.contains(" by stranger:");
        boolean stays = kept || line.contains(" by root:");
        var runs = empty ? "" : stays ? " 0" : " 6666";
        return done + (stays ? "6" : "") + (stranger ? "767" : "775") + " runs as" + runs;
    }
}
