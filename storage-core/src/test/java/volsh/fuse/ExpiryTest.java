package volsh.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.engine.memory.MemoryMetaEngine;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.meta.Consistency;
import volsh.vfs.TestVolume;

/** What an engine tells of changes elsewhere makes the kernel ask for a directory that it remembers. */
@Tag("mount")
final class ExpiryTest {
    private static final int LOOKUP = 1;

    @TempDir
    private Path temporary;

    private final ExecutorService executor = Executors.newFixedThreadPool(2, Thread.ofPlatform().daemon().factory());
    private MetaEngine.Follower follower;
    private boolean ended;
    private TestVolume volume;
    private TestMount mount;
    private long top;

    /** Leaves it to the test to tell. */
    private final class Telling implements MetaEngine {
        private final MetaEngine engine = new MemoryMetaEngine();

        @Override
        public <R> R transact(Work<R> work) throws IOException {
            return engine.transact(work);
        }

        @Override
        public <R> R read(Work<R> work) throws IOException {
            return engine.read(work);
        }

        @Override
        public void sync() throws IOException {
            engine.sync();
        }

        @Override
        public Following follow(Follower whom) {
            follower = whom;
            return () -> ended = true;
        }

        @Override
        public void close() throws IOException {
            engine.close();
        }
    }

    @BeforeEach
    void mount() throws IOException {
        volume = TestVolume.open(new Telling(), new MemoryBlockStore(), new ChunkSettings(64 << 10, 4096, 4 << 20),
                executor, InstantSource.system());
        top = volume.vfs().makeDirectory(1, Name.of("top"), 0755, Owner.ROOT).ino();
        volume.vfs().makeDirectory(top, Name.of("d"), 0755, Owner.ROOT);
        volume.names().consistencies().set(top, "/top", Consistency.of("close-to-open"));
        mount = TestMount.of(volume.vfs(), temporary, InstantSource.system(),
                options -> options.withTimeout(Duration.ZERO));
    }

    @AfterEach
    void close() throws IOException {
        mount.close();
        assertThat(ended).isTrue();
        volume.close();
        executor.shutdown();
    }

    private static MetaKey key(char kind, long number, String name) {
        byte[] text = name.getBytes(StandardCharsets.UTF_8);
        return MetaKey.of(ByteBuffer.allocate(9 + text.length).put((byte) kind).putLong(number).put(text).array());
    }

    private long lookups() {
        return mount.kernel().requests(LOOKUP);
    }

    private void look() throws IOException {
        Files.getLastModifiedTime(mount.directory().resolve("top/d"));
    }

    /**
     * Whether the kernel asks for the two names soon after it was told this, although it has just remembered both. By
     * itself it would after a second: a try that takes as long as that says nothing.
     */
    private boolean asksAfter(MetaKey changed) throws Exception {
        for (int tries = 0; tries < 50; tries++) {
            Thread.sleep(Policies.DIRECTORIES_KEPT.plusMillis(50));
            look();
            long begun = System.nanoTime();
            long before = lookups();
            look();
            boolean remembered = lookups() == before;
            follower.changed(List.of(changed));
            for (int looks = 0; looks < 100 && lookups() == before; looks++) {
                Thread.sleep(2);
                look();
            }
            if (remembered && System.nanoTime() - begun < Policies.DIRECTORIES_KEPT.toNanos()) {
                return lookups() > before;
            }
        }
        return false;
    }

    @Test
    void aNameThatWasChangedIsAskedFor() throws Exception {
        assertThat(asksAfter(key('E', top, "d"))).isTrue();
        boolean asks = true;
        for (int tries = 0; tries < 5 && asks; tries++) {   // somebody may empty the kernel's caches just then
            asks = asksAfter(key('E', top, "other"));
        }
        assertThat(asks).as("another name").isFalse();
    }

    @Test
    void aDirectoryWhoseEntriesOrAttributesWereChangedIsAskedFor() throws Exception {
        long directory = volume.vfs().lookup(top, Name.of("d")).ino();
        assertThat(asksAfter(key('N', directory, ""))).isTrue();
        assertThat(asksAfter(key('S', directory, "\u0003"))).isTrue();
        follower.lostTrack();
    }
}
