package volsh.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
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
import volsh.fs.Name;
import volsh.meta.EngineKind;
import volsh.meta.OnEveryEngine;
import volsh.meta.Quotas;
import volsh.quota.QuotaRule;
import volsh.vfs.TestVolume;
import volsh.vfs.Vfs;

/** Copies within a mount share blocks, as reflinks do, whichever program asks and wherever ranges begin and end. */
@OnEveryEngine
@Tag("mount")
final class MountCopyTest {
    private static final String PYTHON = """
            import errno, os, sys
            def refused(call, *arguments):
                try:
                    call(*arguments)
                    return 'done'
                except OSError as e:
                    return errno.errorcode[e.errno]
            """;

    @TempDir
    private Path temporary;

    private final ExecutorService executor = Executors.newFixedThreadPool(2, Thread.ofPlatform().daemon().factory());
    private final MemoryBlockStore store = new MemoryBlockStore();
    private final MetaEngine engine;
    private final Duration timeout;
    private TestVolume volume;
    private TestMount mount;

    MountCopyTest(EngineKind kind) throws IOException {
        engine = kind.open();
        timeout = kind == EngineKind.POSTGRES ? Duration.ZERO : Duration.ofSeconds(1);   // what the program chooses
    }

    @BeforeEach
    void mount() throws IOException {
        volume = open();
        mount = TestMount.of(volume.vfs(), temporary, InstantSource.system(), usual -> usual.withTimeout(timeout));
    }

    private TestVolume open() throws IOException {
        return TestVolume.open(engine, store, new ChunkSettings(64 << 10, 4096, 4 << 20), executor,
                InstantSource.system());
    }

    @AfterEach
    void unmount() throws IOException {
        mount.close();
        assertThat(volume.audit()).isEmpty();
        volume.close();
        executor.shutdown();
    }

    private String shell(String lines) throws Exception {
        return Programs.shell(mount.directory(), lines).strip();
    }

    /** What a Python program prints that runs in the top directory. */
    private String python(String lines, String... arguments) throws Exception {
        var script = Files.writeString(Files.createTempFile(temporary, "script", ".py"), PYTHON + lines);
        var command = new ArrayList<>(List.of("python3", script.toString()));
        command.addAll(List.of(arguments));
        return Programs.run(mount.directory(), command.toArray(String[]::new)).strip();
    }

    @Test
    void aCopyWithinTheVolumeCopiesNoData() throws Exception {
        shell("head -c 1000000 /dev/urandom >f; sync f");
        long blocks = volume.blocks();
        assertThat(blocks).isPositive();
        assertThat(python("""
                f = os.open('f', os.O_RDONLY); g = os.open('g', os.O_RDWR | os.O_CREAT)
                done = 0
                while done < 1000000:
                    done += os.copy_file_range(f, g, 1000000 - done, done, done)
                os.fsync(g); print(done)
                """)).isEqualTo("1000000");
        shell("cp --reflink=auto f h; cmp f g; cmp f h; sync g h");
        assertThat(volume.blocks()).isEqualTo(blocks);
        shell("dd if=f of=i bs=100000 status=none; sync i");
        assertThat(volume.blocks()).as("the count sees a copy that is one").isGreaterThan(blocks);
    }

    /** Wherever ranges begin and end, whatever was not written out before, and onto a file that had other bytes. */
    @Test
    void copiesOfAnyRangeShareBlocks() throws Exception {
        shell("head -c 1000000 /dev/urandom >f; echo small >s; sync f s");
        long blocks = volume.blocks();
        assertThat(python("""
                right = bytearray(open('f', 'rb').read())
                f = os.open('f', os.O_RDWR); g = os.open('g', os.O_RDWR | os.O_CREAT)
                print(os.copy_file_range(f, g, 700001, 12345, 77), os.copy_file_range(f, g, 5, 1000000, 0), refused(os.copy_file_range, f, f, 1000, 0, 500))
                print(os.pread(g, 1 << 20, 0) == bytes(77) + right[12345:712346])
                print(os.copy_file_range(f, f, 300000, 1001, 1000000), os.pread(f, 300000, 1000000) == right[1001:301001])
                os.ftruncate(f, 1000000); os.fsync(f); os.fsync(g)
                """).lines()).containsExactly("700001 0 EINVAL", "True", "300000 True");
        shell("cp --reflink=auto f s; cmp f s; sync s");
        assertThat(volume.blocks()).isEqualTo(blocks);
        assertThat(python("""
                f = os.open('f', os.O_RDWR); h = os.open('h', os.O_RDWR | os.O_CREAT)
                os.pwrite(f, b'unwritten', 65530); os.pwrite(h, b'y' * 100000, 0)
                print(os.copy_file_range(f, h, 1000, 65000, 50000), os.pread(h, 10, 50530), os.pread(h, 1, 49999), os.pread(h, 1, 51000))
                """)).isEqualTo("1000 " + "%s b'y' b'y'".formatted(python("print(os.pread(os.open('f', os.O_RDONLY), 10, 65530))")));
    }

    /** The kernel does not ask us about files of two mounts: it copies, as it does between file systems. */
    @Test
    void aCopyBetweenMountsIsOneOfBytes() throws Exception {
        try (var elsewhere = open();
                var other = TestMount.of(elsewhere.vfs(), temporary, InstantSource.system())) {
            assertThat(python("""
                    open('f', 'wb').write(os.urandom(300000))
                    f = os.open('f', os.O_RDONLY); g = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT); done = 0
                    while done < 300000: done += os.copy_file_range(f, g, 300000 - done, done, done)
                    print(os.pread(g, 1 << 20, 0) == os.pread(f, 1 << 20, 0))
                    """, other.directory().resolve("g").toString())).isEqualTo("True");
        }
    }

    @Test
    void programsThatCopyShareBlocks() throws Exception {
        shell("head -c 1000000 /dev/urandom >f; sync f");
        long blocks = volume.blocks();
        assertThat(shell("""
                mkdir d
                for way in --reflink=auto --sparse=auto --sparse=never -p -a; do cp $way f d/f$way; cmp f d/f$way; done
                cp f g; mv g d/g; cat f >d/cat
                sync d/*; cmp f d/cat
                if cp --reflink=always f d/never 2>&1; then echo done; fi
                """)).contains("Operation not supported").doesNotContain("done");
        assertThat(volume.blocks()).isEqualTo(blocks);
    }

    /**
     * Holes stay holes. What cp does about a file that has some is its own affair: that of coreutils 9.1 reads and
     * writes what is between them.
     */
    @Test
    void filesWithHolesAreShared() throws Exception {
        python("""
                f = os.open('f', os.O_RDWR | os.O_CREAT)
                for at in range(0, 40, 2): os.pwrite(f, os.urandom(65536), at * 65536)
                os.ftruncate(f, 45 * 65536); os.fsync(f)
                """);
        long blocks = volume.blocks();
        assertThat(python("""
                f = os.open('f', os.O_RDONLY); g = os.open('g', os.O_RDWR | os.O_CREAT)
                print(os.copy_file_range(f, g, 1 << 30) == 45 * 65536, os.fstat(f).st_size == os.fstat(g).st_size)
                os.fsync(g); print(os.pread(f, 1 << 30, 0) == os.pread(g, 1 << 30, 0), os.lseek(g, 0, os.SEEK_HOLE), os.lseek(g, 65536, os.SEEK_DATA))
                """)).isEqualToIgnoringWhitespace("True True True 65536 131072");
        assertThat(volume.blocks()).isEqualTo(blocks);
        assertThat(shell("cp f h; cmp f h; sync h; stat -c %b f g h | uniq | wc -l")).as("as much space each")
                .isEqualTo("1");
    }

    /** More extents than a transaction has room for, on both sides. */
    @Test
    void filesOfManyExtentsAreShared() throws Exception {
        python("""
                for name in 'fg':
                    f = os.open(name, os.O_RDWR | os.O_CREAT)
                    for at in range(300): os.pwrite(f, os.urandom(4096), at * 65536 + (0 if name == 'f' else 4096))
                    os.fsync(f)
                """);
        long blocks = volume.blocks();
        assertThat(python("""
                f = os.open('f', os.O_RDWR); g = os.open('g', os.O_RDWR)
                print(os.copy_file_range(f, g, 1 << 30, 0, 0)); os.fsync(g)
                print(os.pread(g, 1 << 30, 0) == os.pread(f, 1 << 30, 0) + os.pread(g, 4096, 299 * 65536 + 4096))
                print(os.fstat(g).st_blocks - os.fstat(f).st_blocks)
                """)).isEqualToIgnoringWhitespace("%d True 8".formatted(299 * 65536 + 4096));
        assertThat(volume.blocks()).isEqualTo(blocks);
    }

    /**
     * A copy counts in full where it goes to, though it costs nothing; what does not fit is refused, and the file is as
     * it was.
     */
    @Test
    void aCopyIntoADirectoryWithAQuota() throws Exception {
        shell("mkdir limited; head -c 100000 /dev/urandom >f; sync f");
        long blocks = volume.blocks();
        new Quotas(engine, InstantSource.system(), volume.session().id())
                .set(volume.vfs().lookup(Vfs.ROOT, Name.of("limited")).ino(), 150_000, QuotaRule.NONE, counted -> {});
        try (var later = open();   // who opens the volume now knows the quota; others hear of it within a second
                var limited = TestMount.of(later.vfs(), temporary, InstantSource.system(),
                        usual -> usual.withTimeout(timeout))) {
            assertThat(python("""
                    os.chdir(sys.argv[1])
                    f = os.open('f', os.O_RDONLY); g = os.open('limited/g', os.O_RDWR | os.O_CREAT)
                    print(os.copy_file_range(f, g, 100000, 0, 0))
                    print(refused(os.copy_file_range, f, g, 100000, 0, 100000), os.fstat(g).st_size)
                    print(os.copy_file_range(f, g, 50000, 0, 100000), refused(os.copy_file_range, f, g, 1, 0, 150000))
                    os.fsync(g); print(os.pread(g, 1 << 20, 0) == os.pread(f, 100000, 0) + os.pread(f, 50000, 0))
                    """, limited.directory().toString())).isEqualToIgnoringWhitespace("100000 EDQUOT 100000 50000 EDQUOT True");
        }
        assertThat(volume.blocks()).isEqualTo(blocks);
    }
}
