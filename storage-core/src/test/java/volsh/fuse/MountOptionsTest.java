package volsh.fuse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.OptionalInt;
import java.util.Set;
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
import volsh.engine.sqlite.SqliteMetaEngine;
import volsh.fs.Name;
import volsh.vfs.TestVolume;
import volsh.vfs.Vfs;

/** Every option of a mount does what it says, on a real mount and as programs see it. */
@Tag("mount")
final class MountOptionsTest {
    private static final String AS_SOMEBODY = "setpriv --reuid=4321 --regid=4321 --clear-groups ";
    private static final int READ = 15;
    private static final Appearance OURS = new Appearance(OptionalInt.of(4321), OptionalInt.of(99),
            OptionalInt.of(027));

    @TempDir
    private Path temporary;

    private final ExecutorService executor = Executors.newFixedThreadPool(2, Thread.ofPlatform().daemon().factory());
    private MetaEngine engine;
    private TestVolume volume;

    @BeforeEach
    void open() throws Exception {
        Programs.run(temporary, "chmod", "755", temporary.toString());
        engine = SqliteMetaEngine.create(temporary.resolve("meta.db"));
        volume = TestVolume.open(
                engine, new MemoryBlockStore(), new ChunkSettings(64 << 10, 4096, 4 << 20), executor,
                InstantSource.system());
    }

    @AfterEach
    void close() throws IOException {
        assertThat(volume.audit()).isEmpty();
        volume.close();
        engine.close();
        executor.shutdown();
    }

    /** What lines of shell say in the top directory of a mount. */
    private String on(TestMount.Wish wish, String lines) throws Exception {
        try (var mount = TestMount.of(volume.vfs(), temporary, InstantSource.system(), wish)) {
            return Programs.shell(mount.directory(), lines).strip();
        }
    }

    private static String refused(String command) {
        return "if " + command + " 2>&1; then echo done; else echo refused; fi";
    }

    // ---- whose files seem to be

    @Test
    void filesSeemToBelongToTheUserAndGroupAskedFor() throws Exception {
        on(usual -> usual, "echo x >f; chmod 600 f; mkdir d; echo '#!/bin/true' >run; chmod 700 run; ln -s f l");
        var said = on(usual -> usual.with(OURS), "stat -c '%n %u %g %a' f d run l .");
        assertThat(said.lines()).containsExactly("f 4321 99 640", "d 4321 99 750", "run 4321 99 750", "l 4321 99 750",
                ". 4321 99 750");
        assertThat(on(usual -> usual, "stat -c '%n %u %g %a' f d run")).as("the volume is as it was")
                .isEqualTo("f 0 0 600\nd 0 0 755\nrun 0 0 700");
    }

    @Test
    void theKernelLetsThemInAsTheyAreShown() throws Exception {
        on(usual -> usual, "echo x >f; chmod 600 f");
        assertThat(on(usual -> usual, refused(AS_SOMEBODY + "cat f"))).endsWith("refused");
        assertThat(on(usual -> usual.with(OURS), AS_SOMEBODY
                + "sh -c 'cat f; echo y >f; cat f; echo new >g; mkdir d; stat -c %u g'")).isEqualTo("x\ny\n4321");
        assertThat(on(usual -> usual.with(OURS), refused("setpriv --reuid=1234 --regid=1234 --clear-groups cat f")))
                .endsWith("refused");
        assertThat(on(usual -> usual, "stat -c %u f g d")).as("whoever makes a file owns it in the volume")
                .isEqualTo("0\n4321\n4321");
    }

    @Test
    void whatWouldNotShowIsRefused() throws Exception {
        on(usual -> usual, "echo x >f; chmod 600 f");
        assertThat(on(usual -> usual.with(OURS),
                refused("chown 55 f") + "; " + refused("chgrp 55 f") + "; " + refused("chmod 666 f")))
                .contains("Operation not permitted").endsWith("refused").doesNotContain("done");
        assertThat(on(usual -> usual.with(OURS),
                "chown 4321:99 f; chmod 640 f; chmod 750 f; touch -d @7 f; stat -c '%u %g %a %Y' f"))
                .isEqualTo("4321 99 750 7");
        assertThat(on(usual -> usual, "stat -c '%u %g %a' f")).isEqualTo("0 0 750");
    }

    @Test
    void oneOfThemLeavesTheOthersReal() throws Exception {
        on(usual -> usual, "echo x >f; chmod 604 f; chown 5:6 f");
        var onlyGroup = new Appearance(OptionalInt.empty(), OptionalInt.of(7), OptionalInt.empty());
        assertThat(on(usual -> usual.with(onlyGroup), "chown 8 f; chmod 640 f; stat -c '%u %g %a' f"))
                .isEqualTo("8 7 640");
        assertThat(on(usual -> usual, "stat -c '%u %g %a' f")).isEqualTo("8 6 640");
    }

    @Test
    void aUmaskHasNineBits() {
        assertThatThrownBy(() -> new Appearance(OptionalInt.empty(), OptionalInt.empty(), OptionalInt.of(01000)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    // ---- what is allowed

    @Test
    void readOnlyRefusesEveryChange() throws Exception {
        on(usual -> usual, "echo x >f; mkdir d; ln -s f l; mkfifo p");
        var program = Files.writeString(temporary.resolve("changes.py"), """
                import errno, os
                def said(call, *arguments):
                    try:
                        return call(*arguments) and 'done'
                    except OSError as refused:
                        return errno.errorcode[refused.errno]
                print({said(*each) for each in (
                    (os.chmod, 'f', 0o600), (os.chown, 'f', 1, 1), (os.lchown, 'l', 1, 1), (os.utime, 'f', (1, 1)), (os.truncate, 'f', 0),
                    (os.setxattr, 'f', 'user.a', b''), (os.removexattr, 'f', 'user.a'), (os.link, 'f', 'n'), (os.mkdir, 'n'), (os.mkfifo, 'n'),
                    (os.mknod, 'n'), (os.symlink, 'x', 'n'), (os.rename, 'f', 'n'), (os.rmdir, 'd'), (os.unlink, 'f'),
                    (os.open, 'n', os.O_CREAT | os.O_WRONLY), (os.open, 'f', os.O_WRONLY), (os.open, 'f', os.O_RDWR | os.O_APPEND),
                    (os.open, 'f', os.O_TRUNC), (os.open, '.', os.O_TMPFILE | os.O_RDWR))})
                print({said(*each) for each in ((os.mkdir, 'd'), (os.symlink, 'x', 'f'), (os.open, 'f', os.O_CREAT | os.O_EXCL | os.O_WRONLY))})
                print(said(os.open, 'f', os.O_CREAT), said(os.open, 'p', os.O_RDWR | os.O_NONBLOCK))
                """);
        assertThat(on(usual -> usual.with(MountFlag.READ_ONLY), "cat f; python3 " + program))
                .isEqualTo("x\n{'EROFS'}\n{'EEXIST'}\ndone done");
    }

    @Test
    void setIdProgramsHaveNoEffectUnlessAskedFor() throws Exception {
        on(usual -> usual, "cp /usr/bin/id .; chmod 4755 id");
        assertThat(on(usual -> usual, AS_SOMEBODY + "./id -u")).isEqualTo("4321");
        assertThat(on(usual -> usual.with(MountFlag.SET_ID), AS_SOMEBODY + "./id -u")).isEqualTo("0");
    }

    @Test
    void deviceFilesAreNoDevicesUnlessAskedFor() throws Exception {
        on(usual -> usual, "mknod zero c 1 5");
        assertThat(on(usual -> usual, refused("head -c 1 zero"))).contains("Permission denied").endsWith("refused");
        assertThat(on(usual -> usual.with(MountFlag.DEVICES), "head -c 5 zero | wc -c")).isEqualTo("5");
    }

    @Test
    void noProgramIsRunIfNoneMay() throws Exception {
        on(usual -> usual, "cp /bin/true .");
        assertThat(on(usual -> usual, "./true && echo ran")).isEqualTo("ran");
        assertThat(on(usual -> usual.with(MountFlag.NO_EXECUTION), refused("./true"))).contains("Permission denied")
                .endsWith("refused");
    }

    @Test
    void otherUsersStayOutUnlessLetIn() throws Exception {
        on(usual -> usual, "echo x >f");
        assertThat(on(usual -> usual, AS_SOMEBODY + "cat f")).isEqualTo("x");
        assertThat(on(usual -> new MountOptions(
                usual.mountPoint(), usual.source(), usual.root(), Set.of(), usual.appearance(),
                usual.attributeTimeout(), usual.entryTimeout(), usual.threads()),
                "cat f; " + refused(AS_SOMEBODY + "cat $PWD/f"))).startsWith("x").endsWith("refused");
    }

    @Test
    void theMountTableSaysWhatHolds() throws Exception {
        var line = "grep -F \" $PWD \" /proc/self/mountinfo | cut -d' ' -f6";
        assertThat(on(usual -> usual, line)).isEqualTo("rw,nosuid,nodev,noatime");
        assertThat(on(usual -> usual.with(MountFlag.READ_ONLY, MountFlag.SET_ID, MountFlag.DEVICES,
                MountFlag.NO_EXECUTION), line))
                .isEqualTo("ro,noexec,noatime");
    }

    // ---- what is remembered

    @Test
    void readingChangesNoAccessTime() throws Exception {
        var said = on(usual -> usual.withTimeout(Duration.ZERO),
                "echo x >f; mkdir d; touch -a -d @5 f d; cat f >/dev/null; ls d; head -c1 f >/dev/null; "
                        + "stat -c %X f d; touch -a f; test $(stat -c %X f) -gt 5");
        assertThat(said).isEqualTo("5\n5");
    }

    @Test
    void directIoAsksForEveryRead() throws Exception {
        on(usual -> usual, "head -c 100000 /dev/urandom >f");
        boolean remembered = false;
        for (int tries = 0; tries < 10 && !remembered; tries++) {   // somebody may empty the kernel's caches just then
            remembered = reads(usual -> usual) == reads(usual -> usual, 1);
        }
        assertThat(remembered).as("five times cost no more than once").isTrue();
        assertThat(reads(usual -> usual.with(MountFlag.DIRECT_IO)))
                .isGreaterThanOrEqualTo(5 * reads(usual -> usual.with(MountFlag.DIRECT_IO), 1));
    }

    @Test
    void memoryIsMappedAlsoWithDirectIo() throws Exception {
        assertThat(on(usual -> usual.with(MountFlag.DIRECT_IO), """
                python3 - <<'END'
                import mmap, os
                f = os.open('f', os.O_RDWR | os.O_CREAT)
                os.write(f, b'x' * 100000)
                m = mmap.mmap(f, 100000)
                m[50000:50005] = b'hello'
                m.flush()
                print(os.pread(f, 5, 50000), m[99999:100000], mmap.mmap(f, 100000, mmap.MAP_PRIVATE)[50000:50005])
                END
                """)).isEqualTo("b'hello' b'x' b'hello'");
    }

    private long reads(TestMount.Wish wish) throws Exception {
        return reads(wish, 5);
    }

    /** How often we are asked for bytes when a file is read so often. */
    private long reads(TestMount.Wish wish, int times) throws Exception {
        try (var mount = TestMount.of(volume.vfs(), temporary, InstantSource.system(), wish)) {
            for (int i = 0; i < times; i++) {
                Programs.shell(mount.directory(), "cat f >/dev/null");
            }
            long reads = mount.kernel().requests(READ);
            assertThat(reads).isPositive();
            return reads;
        }
    }

    // ---- part of a volume

    @Test
    void aDirectoryIsATopOfItsOwn() throws Exception {
        on(usual -> usual, "mkdir -p a/b/c; echo deep >a/b/c/f; echo secret >outside");
        long inner = volume.vfs().lookup(volume.vfs().lookup(Vfs.ROOT, Name.of("a")).ino(), Name.of("b")).ino();
        var said = on(usual -> usual.withRoot(inner),
                "ls -a; cat c/f; cat c/../c/f; ls ../outside 2>/dev/null || echo none; mv c d; echo new >d/g; "
                        + "ln d/g h; stat -c %h h");
        assertThat(said.lines()).containsExactly(".", "..", "c", "deep", "deep", "none", "2");
        assertThat(on(usual -> usual, "cat a/b/d/g a/b/h; ls")).isEqualTo("new\nnew\na\noutside");
    }
}
