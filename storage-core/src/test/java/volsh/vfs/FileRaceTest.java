package volsh.vfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static volsh.vfs.PosixContract.noise;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.fs.AttributeChange;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.meta.EngineKind;
import volsh.meta.Intrusion;
import volsh.meta.MetadataAudit;
import volsh.meta.OnEveryEngine;
import volsh.meta.Reclaim;

/** What happens to a file in the middle of its own reads, uploads and commits; in one thread, step by step. */
@OnEveryEngine
@Tag("model")
final class FileRaceTest {
    private static final int BLOCK = 4096;

    private final Intrusion intrusion = new Intrusion();
    private final AfterRead engine;
    private final Interrupting store = new Interrupting(new MemoryBlockStore());
    private final ManualClock clock = new ManualClock();
    private TestVolume volume;
    private OpenFile file;

    FileRaceTest(EngineKind kind) throws IOException {
        engine = new AfterRead(kind.open(intrusion));
    }

    @BeforeEach
    void open() throws IOException {
        volume = mount(0);
        file = volume.vfs().create(Vfs.ROOT, Name.of("f"), 0644, Owner.ROOT);
    }

    private TestVolume mount(int inline) throws IOException {
        return TestVolume.open(engine, store, new ChunkSettings(BLOCK, inline, 1 << 20), Runnable::run, clock);
    }

    @AfterEach
    void rowsAgree() throws IOException {
        assertThat(MetadataAudit.of(engine).withNeeded(store).problems()).isEmpty();
    }

    private void write(byte[] bytes, long offset) throws IOException {
        file.write(offset, ByteBuffer.wrap(bytes));
    }

    private static byte[] load(OpenFile from) throws IOException {
        byte[] bytes = new byte[(int) from.attributes().size()];
        assertThat(from.read(0, ByteBuffer.wrap(bytes))).isEqualTo(bytes.length);
        return bytes;
    }

    private byte[] load() throws IOException {
        return load(file);
    }

    // ---- truncate, upload, read

    @Test
    void bytesCutOffDuringTheirUploadDoNotComeBack() throws IOException {
        byte[] bytes = noise(1000, 1);
        write(bytes, 0);
        store.onPut(() -> file.truncate(400));
        file.flush();
        assertThat(store.done()).hasValue(1);
        assertThat(load()).isEqualTo(Arrays.copyOf(bytes, 400));
        file.truncate(1000);
        assertThat(load()).isEqualTo(Arrays.copyOf(Arrays.copyOf(bytes, 400), 1000));
    }

    @Test
    void allBytesCutOffDuringTheirUpload() throws IOException {
        write(noise(1000, 1), 0);
        store.onPut(() -> file.truncate(0));
        file.flush();
        assertThat(load()).isEmpty();
        assertThat(volume.blocks()).as("the superfluous block is deleted").isZero();
    }

    @Test
    void cutOffAndExtendedDuringTheUpload() throws IOException {
        byte[] bytes = noise(3000, 1);
        write(bytes, 0);
        store.onPut(() -> {
            file.truncate(100);
            file.truncate(5000);
            write(noise(50, 2), 2000);
        });
        file.flush();
        byte[] right = Arrays.copyOf(Arrays.copyOf(bytes, 100), 5000);
        System.arraycopy(noise(50, 2), 0, right, 2000, 50);
        assertThat(load()).isEqualTo(right);
        file.flush();
        assertThat(load()).isEqualTo(right);
    }

    @Test
    void readersSeeTheBytesDuringTheUpload() throws IOException {
        byte[] bytes = noise(1000, 1);
        write(bytes, 0);
        store.onPut(() -> assertThat(load()).isEqualTo(bytes));
        file.flush();
        assertThat(load()).isEqualTo(bytes);
        assertThat(store.done()).hasValue(1);
    }

    @Test
    void aReadThatMeetsATruncationSeesTheShorterFile() throws IOException {
        byte[] bytes = noise(1000, 1);
        write(bytes, 0);
        file.flush();
        store.onGet(() -> file.truncate(10));
        byte[] target = new byte[1000];
        assertThat(file.read(0, ByteBuffer.wrap(target))).isEqualTo(10);
        assertThat(Arrays.copyOf(target, 10)).isEqualTo(Arrays.copyOf(bytes, 10));
        assertThat(store.done()).hasValue(1);
    }

    @Test
    void aReadThatMeetsAnOverwriteSeesOldOrNew() throws IOException {
        write(noise(1000, 1), 0);
        file.flush();
        store.onGet(() -> {
            write(noise(1000, 2), 0);
            file.flush();
        });
        byte[] target = new byte[1000];
        file.read(0, ByteBuffer.wrap(target));
        assertThat(target).isIn(noise(1000, 1), noise(1000, 2));
    }

    /** Bytes that arrive in the metadata just after it was read, and just before the buffers are asked. */
    @Test
    void statMissesNoWrite() throws IOException {
        var vfs = volume.vfs();
        var entries = vfs.list(Vfs.ROOT, null, 5);
        write(noise(100, 1), 0);
        engine.then(file::flush);
        assertThat(vfs.attributes(file.ino()).size()).isEqualTo(100);
        write(noise(100, 1), 100);
        engine.then(file::flush);
        assertThat(vfs.lookup(Vfs.ROOT, Name.of("f")).size()).isEqualTo(200);
        write(noise(100, 1), 200);
        engine.then(file::flush);
        assertThat(vfs.attributes(entries).getFirst().size()).isEqualTo(300);
        write(noise(100, 1), 300);
        engine.then(file::close);
        assertThat(vfs.lookup(Vfs.ROOT, Name.of("f")).size()).isEqualTo(400);
    }

    @Test
    void aTimeSetDuringTheUploadStays() throws IOException {
        write(noise(1000, 1), 0);
        store.onPut(() -> volume.vfs().change(file.ino(), AttributeChange.NONE.withMtime(77)));
        file.flush();
        assertThat(file.attributes().mtime()).isEqualTo(77);
    }

    // ---- failed uploads

    @Test
    void bytesWhoseUploadFailedStayAndAreWrittenLater() throws IOException {
        byte[] bytes = noise(1000, 1);
        write(bytes, 0);
        store.onPut(() -> {
            throw new IOException("no store today");
        });
        assertThatThrownBy(file::fsync).isInstanceOf(IOException.class).hasMessageContaining("no store today");
        assertThat(load()).isEqualTo(bytes);
        file.fsync();
        try (var again = mount(0).vfs().open(file.ino())) {
            assertThat(load(again)).isEqualTo(bytes);
        }
    }

    @Test
    void newerBytesStayAboveOlderOnesThatFailed() throws IOException {
        write(noise(1000, 1), 0);
        store.onPut(() -> {
            throw new IOException("no store today");
        });
        assertThat(catchThrowable(file::flush)).isInstanceOf(IOException.class);
        write(noise(500, 2), 250);
        byte[] right = noise(1000, 1);
        System.arraycopy(noise(500, 2), 0, right, 250, 500);
        assertThat(load()).isEqualTo(right);
        file.flush();
        assertThat(load()).isEqualTo(right);
    }

    /**
     * Two full windows of the same bytes, one behind the other; the first upload fails: the second must not pass it.
     */
    @Test
    void aWindowDoesNotPassTheOneBeforeIt() throws IOException {
        store.onPut(() -> {
            throw new IOException("no store today");
        });
        write(noise(BLOCK, 1), 0);
        write(noise(BLOCK, 2), 0);
        assertThat(load()).isEqualTo(noise(BLOCK, 2));
        write(noise(10, 3), 100);
        byte[] right = noise(BLOCK, 2);
        System.arraycopy(noise(10, 3), 0, right, 100, 10);
        file.flush();
        assertThat(load()).isEqualTo(right);
        try (var again = mount(0).vfs().open(file.ino())) {
            assertThat(load(again)).isEqualTo(right);
        }
    }

    @Test
    void aFailedWindowIsCutByTruncation() throws IOException {
        write(noise(1000, 1), 0);
        store.onPut(() -> {
            throw new IOException("no store today");
        });
        assertThat(catchThrowable(file::flush)).isInstanceOf(IOException.class);
        file.truncate(10);
        file.truncate(100);
        file.flush();
        assertThat(load()).isEqualTo(Arrays.copyOf(Arrays.copyOf(noise(1000, 1), 10), 100));
    }

    @Test
    void aFileThatIsGoneUnderItsUserIsNoSuccess() throws IOException {
        write(noise(1000, 1), 0);
        volume.vfs().unlink(Vfs.ROOT, Name.of("f"));
        clock.advance(Duration.ofSeconds(5));
        volume.superblock().sessions().renew(volume.session(), volume.ticks().advance());
        var reclaim = new Reclaim(engine, clock, volume.session().id());
        assertThat(reclaim.freeOrphans()).isTrue();
        assertThat(catchThrowableOfType(FsException.class, file::flush).error()).isEqualTo(FsError.STALE);
        assertThat(catchThrowable(file::close)).isInstanceOf(FsException.class);
        volume.vfs().close();   // with its last user its bytes went
    }

    // ---- inline files and other mounts

    @Test
    void promotionWhileAnotherMountWritesTheInlineBytes() throws IOException {
        var small = mount(BLOCK);
        try (var here = small.vfs().create(Vfs.ROOT, Name.of("g"), 0644, Owner.ROOT)) {
            here.write(0, ByteBuffer.wrap(noise(100, 1)));
            here.flush();
            here.write(BLOCK, ByteBuffer.wrap(noise(BLOCK, 2)).limit(1000));
            var other = mount(BLOCK);
            store.onPut(() -> store.onPut(() -> {   // the second put is that of the inline bytes
                try (var there = other.vfs().open(here.ino())) {
                    there.write(50, ByteBuffer.wrap(noise(100, 3)));
                }
            }));
            here.flush();
            assertThat(store.done()).hasValue(2);
            byte[] right = new byte[BLOCK + 1000];
            System.arraycopy(noise(100, 1), 0, right, 0, 100);
            System.arraycopy(noise(100, 3), 0, right, 50, 100);
            System.arraycopy(noise(BLOCK, 2), 0, right, BLOCK, 1000);
            assertThat(load(here)).isEqualTo(right);
        }
    }

    @Test
    void twoMountsCommitToOneFile() throws IOException {
        var other = mount(0);
        write(noise(1000, 1), 0);
        file.flush();
        write(noise(1000, 2), 0);
        intrusion.before(() -> {
            try (var there = other.vfs().open(file.ino())) {
                there.write(5 * BLOCK, ByteBuffer.wrap(noise(1000, 3)));
            }
        });
        file.flush();
        byte[] right = Arrays.copyOf(noise(1000, 2), 5 * BLOCK + 1000);
        System.arraycopy(noise(1000, 3), 0, right, 5 * BLOCK, 1000);
        assertThat(load()).isEqualTo(right);
    }

    // ---- fences and reclamation

    @Test
    void aFencedMountCommitsNothing() throws IOException {
        write(noise(1000, 1), 0);
        store.onPut(() -> volume.superblock().sessions().end(volume.session().id()));
        var thrown = catchThrowable(file::flush);
        assertThat(thrown).isInstanceOf(FsException.class);
        assertThat(((FsException) thrown).error()).isEqualTo(FsError.STALE);
        try (var there = mount(0).vfs().open(file.ino())) {
            assertThat(there.attributes().size()).isZero();
        }
    }

    @Test
    void whatAPausedMountReadsIsNotTakenAway() throws IOException {
        byte[] bytes = noise(10_000, 1);
        write(bytes, 0);
        file.flush();
        var other = mount(0);
        clock.advance(Duration.ofSeconds(5));
        other.vfs().unlink(Vfs.ROOT, Name.of("f"));
        clock.advance(Duration.ofSeconds(20));
        assertThat(other.reclaim()).isZero();
        volume.renew();
        assertThat(other.reclaim()).as("still open").isZero();
        assertThat(load()).isEqualTo(bytes);
        file.close();
        volume.renew();
        other.reclaim();
        clock.advance(Duration.ofSeconds(2));
        volume.renew();
        assertThat(other.reclaim()).isEqualTo(3);
        assertThat(other.blocks()).isZero();
    }

    @Test
    void whatAPausedMountReadsIsNotTakenAwayByAnOverwrite() throws IOException {
        byte[] bytes = noise(1000, 1);
        write(bytes, 0);
        file.flush();
        var other = mount(0);
        clock.advance(Duration.ofSeconds(5));
        store.onGet(() -> {
            try (var there = other.vfs().open(file.ino())) {
                there.write(0, ByteBuffer.wrap(noise(1000, 2)));
            }
            clock.advance(Duration.ofSeconds(20));
            assertThat(other.reclaim()).as("a reader is under way").isZero();
        });
        assertThat(load()).isEqualTo(bytes);
        assertThat(load()).isEqualTo(noise(1000, 2));
    }

    /** A mount that sleeps beyond its lease loses what it was reading: it gets an error, never other bytes. */
    @Test
    void aMountThatSleptTooLongGetsErrors() throws IOException {
        write(noise(10_000, 1), 0);
        file.flush();
        var other = mount(0);
        other.vfs().unlink(Vfs.ROOT, Name.of("f"));
        clock.advance(Duration.ofSeconds(61));
        other.renew();
        assertThat(other.superblock().sessions().fenceExpired()).hasSize(1);
        other.reclaim();
        clock.advance(Duration.ofSeconds(2));
        assertThat(other.reclaim()).isEqualTo(3);
        assertThat(catchThrowable(() -> file.read(0, ByteBuffer.allocate(10_000)))).isInstanceOf(IOException.class);
        var thrown = catchThrowable(() -> volume.vfs().create(Vfs.ROOT, Name.of("g"), 0644, Owner.ROOT));
        assertThat(thrown).isInstanceOf(FsException.class);
        assertThat(((FsException) thrown).error()).isEqualTo(FsError.STALE);
    }
}
