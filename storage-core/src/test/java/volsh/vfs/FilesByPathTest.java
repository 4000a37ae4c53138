package volsh.vfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.engine.MetaEngine;
import volsh.fs.FileKind;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.NewFile;
import volsh.fs.Owner;
import volsh.meta.EngineKind;
import volsh.meta.MetadataAudit;
import volsh.meta.OnEveryEngine;

/** Files that are found, read and made by path: always what {@link Vfs} says of them. */
@OnEveryEngine
final class FilesByPathTest {
    private static final byte[] NOTE = "user.note".getBytes(StandardCharsets.US_ASCII);
    private static final int INLINE = 4096;

    private final MetaEngine engine;
    private final MemoryBlockStore store = new MemoryBlockStore();
    private final TestVolume volume;
    private final Vfs vfs;
    private final FilesByPath byPath;

    FilesByPathTest(EngineKind kind) throws IOException {
        engine = kind.open();
        volume = TestVolume.open(engine, store, new ChunkSettings(64 << 10, INLINE, 8L << 20), Runnable::run,
                new ManualClock());
        vfs = volume.vfs();
        byPath = new FilesByPath(vfs);
    }

    @AfterEach
    void rowsAgree() throws IOException {
        volume.close();
        assertThat(MetadataAudit.of(engine).with(store).problems()).isEmpty();
        engine.close();
    }

    private static List<Name> path(String text) throws IOException {
        var names = new ArrayList<Name>();
        for (String part : text.split("/")) {
            names.add(Name.of(part));
        }
        return names;
    }

    private long write(long parent, String name, byte[] bytes) throws IOException {
        try (var file = vfs.create(parent, Name.of(name), 0644, Owner.ROOT)) {
            file.write(0, ByteBuffer.wrap(bytes));
            file.flush();
            return file.ino();
        }
    }

    @Test
    void whatIsFoundIsWhatEachCallSays() throws IOException {
        long a = vfs.makeDirectory(Vfs.ROOT, Name.of("a"), 0755, Owner.ROOT).ino();
        long b = vfs.makeDirectory(a, Name.of("b"), 0755, Owner.ROOT).ino();
        long small = write(b, "small", new byte[] {1, 2, 3});
        long large = write(b, "large", new byte[100_000]);
        long empty = write(b, "empty", new byte[0]);
        vfs.setExtendedAttribute(small, NOTE, new byte[] {9}, true, true);
        vfs.makeSymlink(a, Name.of("link"), new byte[] {'b'}, Owner.ROOT);
        var found = byPath.find(path("a/b/small"), NOTE).orElseThrow();
        assertThat(found.attributes()).isEqualTo(vfs.attributes(small));
        assertThat(found.attribute()).hasValue(new byte[] {9});
        assertThat(found.bytes()).hasValue(new byte[] {1, 2, 3});
        var second = byPath.find(path("a/b/large"), NOTE).orElseThrow();
        assertThat(second.attributes()).isEqualTo(vfs.attributes(large));
        assertThat(second.attribute()).isEmpty();
        assertThat(second.bytes()).isEmpty();
        assertThat(byPath.find(path("a/b/empty"), NOTE).orElseThrow().attributes()).isEqualTo(vfs.attributes(empty));
        assertThat(byPath.find(path("a/b"), NOTE).orElseThrow().attributes()).isEqualTo(vfs.attributes(b));
        assertThat(byPath.find(path("a/link"), NOTE).orElseThrow().attributes().kind()).isEqualTo(FileKind.SYMLINK);
        for (String none : List.of("x", "a/x", "a/b/small/x", "a/link/small")) {
            assertThat(byPath.find(path(none), NOTE)).as(none).isEmpty();
            assertThat(byPath.directory(path(none))).isEmpty();
        }
        assertThat(byPath.directory(path("a/b"))).hasValue(b);
        assertThat(byPath.directory(path("a/b/small"))).isEmpty();
    }

    /** Bytes that are not committed yet are in what is found, and are not missed by reading the metadata alone. */
    @Test
    void unwrittenBytesAreSeen() throws IOException {
        long ino = write(Vfs.ROOT, "x", new byte[] {1});
        try (var file = vfs.open(ino)) {
            file.write(0, ByteBuffer.wrap(new byte[] {7, 7}));
            var found = byPath.find(path("x"), NOTE).orElseThrow();
            assertThat(found.attributes().size()).isEqualTo(2);
            assertThat(found.bytes()).isEmpty();
            file.flush();
            assertThat(byPath.find(path("x"), NOTE).orElseThrow().bytes()).hasValue(new byte[] {7, 7});
        }
    }

    @Test
    void aFileIsMadeWithItsAttributeInOneStep() throws IOException {
        var note = new NewFile.Attribute(NOTE, new byte[] {5});
        byPath.create(Vfs.ROOT, Name.of("x"), Owner.ROOT, new byte[] {1}, note, true);
        assertRefused(FsError.EXISTS, () -> byPath.create(Vfs.ROOT, Name.of("x"), Owner.ROOT, new byte[] {2}, note,
                true));
        assertThat(byPath.find(path("x"), NOTE).orElseThrow().bytes()).hasValue(new byte[] {1});
        byPath.create(Vfs.ROOT, Name.of("x"), Owner.ROOT, new byte[INLINE], note, false);
        var found = byPath.find(path("x"), NOTE).orElseThrow();
        assertThat(found.attributes().size()).isEqualTo(INLINE);
        assertThat(found.attributes().version()).isEqualTo(NewFile.VERSION);
        assertThat(found.attributes().mtime()).isPositive();
        assertThat(found.attribute()).hasValue(new byte[] {5});
        long directory = vfs.makeDirectory(Vfs.ROOT, Name.of("d"), 0755, Owner.ROOT).ino();
        assertRefused(FsError.IS_DIRECTORY, () -> byPath.create(Vfs.ROOT, Name.of("d"), Owner.ROOT, new byte[0], note,
                false));
        vfs.removeDirectory(Vfs.ROOT, Name.of("d"));
        assertRefused(FsError.NO_ENTRY, () -> byPath.create(directory, Name.of("y"), Owner.ROOT, new byte[0], note,
                false));
    }

    private interface Refused {
        void run() throws IOException;
    }

    private static void assertRefused(FsError error, Refused call) {
        assertThatThrownBy(call::run).isInstanceOfSatisfying(FsException.class,
                refused -> assertThat(refused.error()).isEqualTo(error));
    }

    @Test
    void theFactsOfManyFilesAreReadTogether() throws IOException {
        var inos = new ArrayList<Long>();
        for (int i = 0; i < 600; i++) {
            byPath.create(Vfs.ROOT, Name.of("f" + i), Owner.ROOT, new byte[0],
                    new NewFile.Attribute(i % 2 == 0 ? NOTE : Arrays.copyOf(NOTE, 6), new byte[] {(byte) i}), true);
            inos.add(vfs.lookup(Vfs.ROOT, Name.of("f" + i)).ino());
        }
        var found = byPath.attributes(inos, NOTE);
        assertThat(found).hasSize(300);
        for (int i = 0; i < 600; i += 2) {
            assertThat(found.get(inos.get(i))).containsExactly((byte) i);
        }
    }

    /** What was found is current until anything is committed, here or elsewhere, or bytes of the file wait here. */
    @Test
    void whatWasFoundIsCurrentUntilSomethingChanges() throws IOException {
        byPath.create(Vfs.ROOT, Name.of("f"), Owner.ROOT, new byte[10], new NewFile.Attribute(NOTE, new byte[1]),
                false);
        var found = byPath.find(path("f"), NOTE).orElseThrow();
        assertThat(byPath.isCurrent(found)).isEqualTo(engine.stateMark() != null);
        try (var file = vfs.open(found.attributes().ino())) {
            file.write(0, ByteBuffer.wrap(new byte[3]));
            assertThat(byPath.isCurrent(found)).as("bytes wait").isFalse();
        }
        assertThat(byPath.isCurrent(found)).as("they were committed").isFalse();
        var again = byPath.find(path("f"), NOTE).orElseThrow();
        assertThat(byPath.isCurrent(again)).isEqualTo(engine.stateMark() != null);
        vfs.makeDirectory(Vfs.ROOT, Name.of("other"), 0755, Owner.ROOT);
        assertThat(byPath.isCurrent(again)).isFalse();
    }
}
