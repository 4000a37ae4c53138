package volsh.fuse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.file.FileBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.disk.OsDisk;
import volsh.engine.MetaEngine;
import volsh.engine.sqlite.SqliteMetaEngine;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.fs.RenameMode;
import volsh.fuse.jnr.JnrMount;
import volsh.vfs.TestVolume;
import volsh.vfs.Vfs;

/** Real programs on a mount through libfuse, what is special to it, and that nothing a request meets gets past it. */
@Tag("mount")
final class JnrMountTest {
    @TempDir
    private Path temporary;

    private final ExecutorService executor = Executors.newFixedThreadPool(4, Thread.ofPlatform().daemon().factory());
    private MetaEngine engine;
    private TestVolume volume;
    private TestMount mount;

    @BeforeEach
    void mount() throws IOException {
        engine = SqliteMetaEngine.create(temporary.resolve("meta.db"));
        volume = TestVolume.open(
                engine, new FileBlockStore(temporary.resolve("store"), new OsDisk()),
                new ChunkSettings(1 << 20, 4096, 64 << 20), executor, InstantSource.system());
        mount = TestMount.jnr(volume.vfs(), temporary, InstantSource.system());
        Files.setPosixFilePermissions(mount.directory(), PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @AfterEach
    void unmount() throws IOException {
        try {
            mount.close();
            assertThat(TestMount.isMounted(mount.directory())).isFalse();
            assertThat(volume.audit()).isEmpty();
            volume.close();
        } finally {
            engine.close();
            executor.shutdown();
        }
    }

    private String shell(String lines) throws Exception {
        return Programs.shell(mount.directory(), lines);
    }

    private String python(String lines) throws Exception {
        return Programs.run(mount.directory(), "python3", "-c", "import errno, mmap, os\n" + lines);
    }

    private void remount() throws IOException {
        mount.close();
        mount = TestMount.jnr(volume.vfs(), temporary, InstantSource.system());
    }

    private static void needs(String program) throws Exception {
        assumeTrue(Programs.isThere(program), () -> program + " is not installed");
    }

    @Test
    void moreThanIsFreeIsNotReserved() throws Exception {
        assertThat(python("""
                f = os.open('f', os.O_RDWR | os.O_CREAT)
                try: os.posix_fallocate(f, 0, 1 << 40)
                except OSError as refused: print(refused.errno == errno.ENOSPC, os.fstat(f).st_size)
                os.posix_fallocate(f, 0, 1 << 30); print(os.fstat(f).st_size >> 30)
                """)).isEqualToIgnoringWhitespace("True 0 1");
    }

    // ---- locks

    /** Honest rather than good: whoever needs locks between mounts takes the other transport. */
    @Test
    void locksAreNotSeenByAnotherMount() throws Exception {
        shell("echo x >f");
        try (var other = TestMount.of(volume.vfs(), temporary, InstantSource.system())) {
            assertThat(python("""
                    import fcntl
                    mine = os.open('f', os.O_RDWR); theirs = os.open('%s/f', os.O_RDWR)
                    fcntl.flock(mine, fcntl.LOCK_EX); fcntl.flock(theirs, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    print('both')
                    """.formatted(other.directory()))).isEqualTo("both\n");
        }
    }

    // ---- programs

    @Test
    void gitCommitsClonesAndChecks() throws Exception {
        needs("git");
        shell("""
                export HOME=$PWD GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
                git init -q one && cd one
                for i in 1 2 3 4 5 6; do mkdir -p d$((i % 3)); seq $i $((i * 50)) > d$((i % 3))/f$i; done
                git add . && git commit -qm first && git mv d1 moved && git commit -qm second && git gc -q
                cd .. && git clone -q one two
                """);
        remount();
        assertThat(shell("cd two && git fsck --strict 2>&1 && git status --porcelain && git log --oneline | wc -l"))
                .endsWith("2\n");
    }

    @Test
    void sqliteWithARollbackJournal() throws Exception {
        needs("sqlite3");
        shell("""
                sqlite3 db 'CREATE TABLE t(writer, number)'
                for writer in 1 2; do
                  (for n in $(seq 10); do echo "PRAGMA busy_timeout=60000; BEGIN IMMEDIATE; INSERT INTO t VALUES($writer, $n); COMMIT;"; done | sqlite3 db) &
                done
                wait
                """);
        remount();
        assertThat(shell("sqlite3 db 'PRAGMA integrity_check' 'SELECT count(*) FROM t'")).isEqualTo("ok\n20\n");
    }

    @Test
    void tarKeepsEverything() throws Exception {
        shell("""
                mkdir -p in/a/b in/empty out; seq 1000 > in/a/text; head -c 2000000 /dev/urandom > in/a/b/big; ln in/a/text in/hard; ln -s a/text in/soft
                mkfifo in/pipe; printf x > "$(printf 'in/odd\\377 name')"; chmod 4750 in/a/text; chown 1234:4321 in/a/b
                python3 -c 'import os; os.setxattr("in/a/text", "user.note", b"hello")'; touch -d '2001-02-03 04:05:06.123456789' in/a/b/big
                tar --xattrs -C in -cf all.tar . && tar --xattrs -C out -xpf all.tar
                """);
        remount();
        assertThat(shell("tar --xattrs -C out -df all.tar && stat -c '%a %h %U' out/hard && stat -c %Y.%y out/a/b/big"))
                .startsWith("4750 2 root\n981173106");
    }

    // ---- files without a name, files with two

    @Test
    void anUnlinkedFileGoesByItsHandle() throws Exception {
        assertThat(python("""
                open('f', 'w').write('hello')
                f = os.open('f', os.O_RDWR)
                os.unlink('f')
                s = os.fstat(f)
                os.pwrite(f, b'HELLO there', 0)
                os.ftruncate(f, 8)
                os.fsync(f)
                print(s.st_nlink, s.st_size, os.fstat(f).st_size, os.pread(f, 100, 0), os.listdir('.'))
                """)).isEqualTo("0 5 8 b'HELLO th' []\n");
    }

    @Test
    void bothNamesOfAFileShowTheSameBytes() throws Exception {
        assertThat(python("""
                open('a', 'w').write('old' * 10000)
                os.link('a', 'b')
                a, b = os.open('a', os.O_RDWR), os.open('b', os.O_RDWR)
                os.pread(a, 3, 0), os.pread(b, 3, 0)
                os.pwrite(a, b'new', 0)
                os.truncate('b', 5)
                print(os.pread(b, 100, 0), os.pread(a, 100, 0), os.stat('a').st_size, os.stat('a').st_nlink, os.stat('a').st_ino == os.stat('b').st_ino)
                """)).isEqualTo("b'newol' b'newol' 5 2 True\n");
    }

    @Test
    void aFileWithTwoNamesCannotBeMappedShared() throws Exception {
        assertThat(python("""
                open('a', 'w').write('x' * 5000)
                os.link('a', 'b')
                try: mmap.mmap(os.open('a', os.O_RDWR), 5000)
                except OSError as e: print(errno.errorcode[e.errno])
                print(mmap.mmap(os.open('a', os.O_RDONLY), 5000, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ)[:3])
                """)).isEqualTo("ENODEV\nb'xxx'\n");
    }

    @Test
    void aSecondNameGivenWhileAFileIsOpenIsSeenWhenItIsOpenedAgain() throws Exception {
        assertThat(python("""
                open('a', 'w').write('old')
                a = os.open('a', os.O_RDONLY)
                os.pread(a, 3, 0)
                os.link('a', 'b')
                f = os.open('b', os.O_RDWR); os.pwrite(f, b'new', 0); os.close(f)
                print(os.pread(a, 3, 0), os.pread(os.open('a', os.O_RDONLY), 3, 0))
                """)).isEqualTo("b'old' b'new'\n");
    }

    /** As another mount of the volume does it: this one is not told. */
    @Test
    void aFileReplacedElsewhereWhileItIsOpenIsFoundUnderItsName() throws Exception {
        var vfs = volume.vfs();
        try (var old = vfs.create(Vfs.ROOT, Name.of("f"), 0644, Owner.ROOT);
                var young = vfs.create(Vfs.ROOT, Name.of("g"), 0644, Owner.ROOT)) {
            old.write(0, ByteBuffer.wrap("old and long".getBytes(StandardCharsets.UTF_8)));
            young.write(0, ByteBuffer.wrap("new".getBytes(StandardCharsets.UTF_8)));
        }
        var reader = new ProcessBuilder("python3", "-c", """
                import os, sys
                f = os.open('f', os.O_RDONLY)
                print(os.pread(f, 100, 0), flush=True)
                sys.stdin.readline()
                g = os.open('f', os.O_RDONLY)
                print(os.pread(g, 100, 0), os.stat('f').st_size, os.pread(f, 100, 0), flush=True)
                """).directory(mount.directory().toFile()).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try (var in = reader.inputReader(StandardCharsets.UTF_8);
                var out = reader.outputWriter(StandardCharsets.UTF_8)) {
            assertThat(in.readLine()).isEqualTo("b'old and long'");
            vfs.rename(Vfs.ROOT, Name.of("g"), Vfs.ROOT, Name.of("f"), RenameMode.REPLACE);
            out.write("\n");
            out.flush();
            assertThat(in.readLine()).isEqualTo("b'new' 3 b'old and long'");
        } finally {
            reader.destroyForcibly().waitFor();
        }
    }

    @Test
    void aFileMadeAndUnlinkedBeforeItIsUsedHasNoAttributesUntilItIs() throws Exception {
        assertThat(python("""
                f = os.open('f', os.O_RDWR | os.O_CREAT)
                os.unlink('f')
                try: os.fstat(f)
                except OSError as e: print(errno.errorcode[e.errno])
                os.write(f, b'hello')
                print(os.fstat(f).st_size)
                """)).isEqualTo("ENOENT\n5\n");
    }

    @Test
    void whatIsUnlinkedCannotBeChangedButInItsBytes() throws Exception {
        assertThat(python("""
                open('f', 'w').write('hello')
                os.mkdir('d')
                f, d = os.open('f', os.O_RDWR), os.open('d', os.O_RDONLY)
                os.unlink('f'); os.rmdir('d')
                for call in (lambda: os.fchmod(f, 0o600), lambda: os.utime(f), lambda: os.setxattr(f, 'user.x', b'y'), lambda: os.fstat(d)):
                    try: call()
                    except OSError as e: print(errno.errorcode[e.errno])
                """)).isEqualTo("ENOENT\nENOENT\nENOENT\nENOENT\n");
    }

    // ---- surprises

    @Test
    void aSurpriseIsAnErrorOfItsRequestAndNothingElse() throws Exception {
        var directory = Files.createDirectory(temporary.resolve("surprised"));
        Space.Source surprising = () -> {
            throw new AssertionError("a surprise, as a test wants it");
        };
        try (var surprised = JnrMount.start(volume.vfs(), MountOptions.at(directory, "volsh:test"), surprising,
                InstantSource.system())) {
            assertThat(Programs.shell(directory, "stat -f . 2>&1 || echo fails; echo x > f; cat f"))
                    .contains("Input/output error", "fails\nx\n");
            assertThat(surprised.stats().rows()).anyMatch(row -> row.operation().equals("statfs") && row.failed() > 0);
        } finally {
            TestMount.detach(directory);
        }
    }

    /** A mount whose {@code statfs} waits until the latch opens, and a process that asks for it. */
    private interface Waiting {
        void with(JnrMount waited, Process asking, CountDownLatch latch) throws Exception;
    }

    private void whileSomebodyWaits(Waiting test) throws Exception {
        var directory = Files.createDirectory(temporary.resolve("silent"));
        var latch = new CountDownLatch(1);
        var asked = new CountDownLatch(1);
        Space.Source silent = () -> {
            asked.countDown();
            try {
                latch.await();
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
            }
            return new Space(1, 1, 1);
        };
        try (var waited = JnrMount.start(volume.vfs(), MountOptions.at(directory, "volsh:test"), silent,
                InstantSource.system())) {
            var asking = new ProcessBuilder("stat", "-f", directory.toString())
                    .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
            try {
                assertThat(asked.await(120, TimeUnit.SECONDS)).isTrue();
                test.with(waited, asking, latch);
            } finally {
                latch.countDown();
                asking.destroyForcibly().waitFor();
            }
        } finally {
            TestMount.detach(directory);
        }
    }

    @Test
    void whoIsKilledWhileWaitingWaitsForTheAnswer() throws Exception {
        whileSomebodyWaits((waited, asking, latch) -> {
            asking.destroyForcibly();
            assertThat(asking.waitFor(300, TimeUnit.MILLISECONDS)).isFalse();
            latch.countDown();
            assertThat(asking.waitFor(120, TimeUnit.SECONDS)).isTrue();
        });
    }

    @Test
    void canBeTakenAwayWhileSomebodyWaits() throws Exception {
        whileSomebodyWaits((waited, asking, latch) -> {
            waited.close();
            assertThat(asking.waitFor(120, TimeUnit.SECONDS)).isTrue();
            assertThat(asking.exitValue()).isNotZero();
        });
    }

    @Test
    void refusesAWritebackCache() throws Exception {
        var usual = MountOptions.at(Files.createDirectory(temporary.resolve("cached")), "volsh:test");
        var options = usual.with(MountFlag.WRITEBACK_CACHE);
        assertThatThrownBy(() -> JnrMount.start(volume.vfs(), options, () -> new Space(1, 1, 1),
                InstantSource.system()))
                .hasMessageContaining("does not support a writeback cache");
    }

    @Test
    void programsThatUseItKeepItFromBeingUnmounted() throws Exception {
        var user = new ProcessBuilder("sleep", "600").directory(mount.directory().toFile()).start();
        try {
            assertThat(Programs.shell(temporary, "sleep 0.1; ls -d %s".formatted(mount.directory()))).isNotEmpty();
            assertThatThrownBy(() -> mount.mount().unmount(false)).isInstanceOf(FsException.class);
            mount.mount().unmount(true);
        } finally {
            user.destroyForcibly().waitFor();
        }
        mount.mount().await();
    }
}
